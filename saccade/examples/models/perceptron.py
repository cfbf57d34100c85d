"""Classifiers of small pictures."""

from __future__ import annotations

from itertools import pairwise
from typing import Any


def perceptron(nn: Any, *widths: int) -> Any:
    """Layers of these widths with ReLU between: (batch, widths[0]) gives (batch, widths[-1])."""
    layers: list[Any] = []
    for inputs, outputs in pairwise(widths):
        layers += [nn.Linear(inputs, outputs), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def convolutional(nn: Any, classes: int = 10) -> Any:
    """Two convolutions and a hidden layer: (batch, 1, 28, 28) gives (batch, classes)."""
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(32 * 7 * 7, 128), nn.ReLU(), nn.Linear(128, classes),
    )  # fmt: skip
