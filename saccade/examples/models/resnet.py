"""ResNet-18 (He et al. 2015)."""

from __future__ import annotations

from typing import Any


def resnet18(nn: Any, classes: int = 1000, small: bool = False) -> Any:
    """Pictures (batch, 3, height, width) to (batch, classes). A `small` one is for pictures of 32 x 32: its
    first convolution keeps the size."""

    class Block(nn.Module):  # type: ignore[misc]
        def __init__(self, inputs: int, outputs: int, stride: int) -> None:
            super().__init__()
            self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
            self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
            self.bn1, self.bn2 = nn.BatchNorm2d(outputs), nn.BatchNorm2d(outputs)
            self.shortcut = nn.Identity()
            if stride != 1 or inputs != outputs:
                narrow = nn.Conv2d(inputs, outputs, 1, stride, bias=False)
                self.shortcut = nn.Sequential(narrow, nn.BatchNorm2d(outputs))

        def forward(self, x: Any) -> Any:
            y = self.bn1(self.conv1(x)).relu()
            return (self.bn2(self.conv2(y)) + self.shortcut(x)).relu()

    class ResNet(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.conv1 = (
                nn.Conv2d(3, 64, 3, 1, 1, bias=False) if small else nn.Conv2d(3, 64, 7, 2, 3, bias=False)
            )
            self.bn1 = nn.BatchNorm2d(64)
            self.pool = nn.Identity() if small else nn.MaxPool2d(3, 2, 1)
            blocks: list[Any] = []
            inputs = 64
            for outputs, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
                blocks += [Block(inputs, outputs, stride), Block(outputs, outputs, 1)]
                inputs = outputs
            self.blocks = nn.Sequential(*blocks)
            self.fc = nn.Linear(512, classes)

        def forward(self, x: Any) -> Any:
            x = self.pool(self.bn1(self.conv1(x)).relu())
            return self.fc(self.blocks(x).mean((2, 3)))

    return ResNet()
