"""How much memory a training step of Llama-3.1-8B with AdamW needs, without any of it.

    SACCADE_DEVICE=null:cuda saccade explain --memory saccade/examples/sizing.py --length 2048 --batch 1

Everything is in bfloat16, the means of AdamW too.
"""

from __future__ import annotations

import argparse
from typing import Any

from saccade import Tensor, jit, nn
from saccade.examples.models import LlamaSize, llama


@jit
def step(
    model: nn.Module,
    optimizer: nn.optim.Optimizer,
    text: Tensor,
    wanted: Tensor,
    cosine: Tensor,
    sine: Tensor,
) -> Tensor:
    logits = model(text, cosine, sine)
    loss: Tensor = logits.reshape(-1, logits.shape[-1]).cross_entropy(wanted.reshape(-1))
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return loss


def everything(size: LlamaSize, batch: int, length: int) -> tuple[Any, ...]:
    """What a step takes: model, optimiser, text, what comes next, and the angles of places."""
    model = llama(nn, size, Tensor.cat).to("bfloat16")
    optimizer = nn.optim.AdamW(model.parameters(), lr=1e-5)
    text = Tensor.zeros(batch, length, dtype="int64").realize()
    angles = Tensor.zeros(length, size.width // size.heads // 2, dtype="bfloat16").realize()
    return model, optimizer, text, text, angles, angles


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--length", type=int, default=2048)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--layers", type=int, default=LlamaSize.layers)
    options = parser.parse_args()
    given = everything(LlamaSize(layers=options.layers), options.batch, options.length)
    count = sum(parameter.numel() for parameter in given[0].parameters())
    print(f"{count / 1e9:.2f} billion parameters")
    step(*given)


if __name__ == "__main__":
    main()
