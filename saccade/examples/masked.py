"""A BERT-style step: some words of a text are hidden, and the model learns to name them.

    python -m saccade.examples masked --data FOLDER

Of all words 15% are asked for: eight of ten of those are replaced by [MASK], one by another word, one stays
(Devlin et al. 2018). What is hidden depends on the item and the epoch alone (`item_random`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from saccade import Tensor, jit, nn

from .models import bert
from .shakespeare import letters_of, read

Ids = NDArray[np.int64]
#: what cross entropy passes over
NOT_ASKED: Final = -100


class Masked(nn.data.Dataset):
    """Pieces of a text with hidden words: ids, kinds, which are padding, and what was hidden."""

    def __init__(self, text: Ids, words: int, length: int) -> None:
        self.text, self.words, self.length = text, words, length

    def __len__(self) -> int:
        return len(self.text) // self.length

    def __getitem__(self, index: int) -> dict[str, Any]:
        rng = nn.data.item_random()
        piece = self.text[index * self.length : (index + 1) * self.length]
        asked = rng.random(self.length) < 0.15
        asked[rng.integers(self.length)] = True  # at least one
        turn = rng.random(self.length)
        shown = np.where(
            turn < 0.8, self.words, np.where(turn < 0.9, rng.integers(0, self.words, self.length), piece)
        )
        return {
            "text": np.where(asked, shown, piece),
            "kind": np.zeros(self.length, np.int64),
            "is_padding": np.zeros(self.length, np.bool_),
            "asked": np.where(asked, piece, NOT_ASKED),
        }


@jit
def masked_step(model: nn.Module, optimizer: nn.optim.Optimizer, batch: dict[str, Tensor]) -> Tensor:
    logits = model(batch["text"], batch["kind"], batch["is_padding"])
    loss: Tensor = logits.reshape(-1, logits.shape[-1]).cross_entropy(
        batch["asked"].reshape(-1), ignore_index=NOT_ASKED
    )
    loss.backward()
    nn.optim.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
    return loss


def losses(
    ids: Ids, words: int, steps: int, length: int = 32, batch: int = 16, width: int = 64
) -> list[float]:
    """Train for so many steps; the number `words` stands for [MASK]."""
    model = bert(nn, words + 1, length, width)
    optimizer = nn.optim.AdamW(model.parameters(), lr=2e-3)
    loader = nn.data.DataLoader(Masked(ids, words, length), batch, shuffle=True, drop_last=True)
    found: list[float] = []
    while len(found) < steps:
        for given in loader:
            found.append(masked_step(model, optimizer, given).item())
            if len(found) == steps:
                break
    return found


def main(data: Path, steps: int = 200) -> None:
    Tensor.manual_seed(0)
    ids, letters = letters_of(read(data))
    found = losses(ids, len(letters), steps)
    for number in range(0, steps, 20):
        print(f"step {number}: loss {np.mean(found[number : number + 20]):.4f}")
