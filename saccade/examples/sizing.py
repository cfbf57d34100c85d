"""How much memory a training step of Llama-3.1-8B with AdamW needs, without any of it.

    SACCADE_DEVICE=null saccade explain --memory saccade/examples/sizing.py --length 2048 --batch 1

Everything is in bfloat16, the means of AdamW too.
"""

from __future__ import annotations

import argparse

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


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--length", type=int, default=2048)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--layers", type=int, default=LlamaSize.layers)
    options = parser.parse_args()
    size = LlamaSize(layers=options.layers)
    model = llama(nn, size, Tensor.cat).to("bfloat16")
    optimizer = nn.optim.AdamW(model.parameters(), lr=1e-5)
    count = sum(parameter.numel() for parameter in model.parameters())
    print(f"{count / 1e9:.2f} billion parameters")
    text = Tensor.zeros(options.batch, options.length, dtype="int64").realize()
    angles = Tensor.zeros(options.length, size.width // size.heads // 2, dtype="bfloat16").realize()
    step(model, optimizer, text, text, angles, angles)


if __name__ == "__main__":
    main()
