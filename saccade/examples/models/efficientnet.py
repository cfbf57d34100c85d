"""EfficientNet-Lite0 (Tan and Le 2019; the Lite form has ReLU6 and no squeeze): a classifier of photos."""

from __future__ import annotations

from typing import Any, Final

#: times, kernel, stride of the first, widening, channels
STAGES: Final = (
    (1, 3, 1, 1, 16), (2, 3, 2, 6, 24), (2, 5, 2, 6, 40), (3, 3, 2, 6, 80), (3, 5, 1, 6, 112),
    (4, 5, 2, 6, 192), (1, 3, 1, 6, 320),
)  # fmt: skip
SIZE: Final = 224


def efficientnet_lite0(nn: Any, classes: int = 1000) -> Any:
    """(batch, 3, 224, 224), values (rgb - 127) / 128, to (batch, classes). Names are those of the published
    weights."""

    def norm(channels: int) -> Any:
        return nn.BatchNorm2d(channels, eps=1e-3, momentum=0.01)

    def same(kernel: int, stride: int, size: int) -> tuple[int, int, int, int]:
        """TensorFlow's padding: half of what is needed before, the rest behind."""
        whole = max((-(-size // stride) - 1) * stride + kernel - size, 0)
        return (whole // 2, whole - whole // 2) * 2

    class Block(nn.Module):  # type: ignore[misc]
        def __init__(self, inputs: int, outputs: int, kernel: int, stride: int, wider: int) -> None:
            super().__init__()
            inner = inputs * wider
            self.wider, self.kernel, self.stride = wider != 1, kernel, stride
            self.beside = stride == 1 and inputs == outputs
            if self.wider:
                self._expand_conv = nn.Conv2d(inputs, inner, 1, bias=False)
                self._bn0 = norm(inner)
            self._depthwise_conv = nn.Conv2d(inner, inner, kernel, stride, groups=inner, bias=False)
            self._bn1, self._bn2 = norm(inner), norm(outputs)
            self._project_conv = nn.Conv2d(inner, outputs, 1, bias=False)

        def forward(self, x: Any) -> Any:
            relu6, pad = nn.functional.relu6, nn.functional.pad
            y = relu6(self._bn0(self._expand_conv(x))) if self.wider else x
            y = pad(y, same(self.kernel, self.stride, y.shape[-1]))
            y = self._bn2(self._project_conv(relu6(self._bn1(self._depthwise_conv(y)))))
            return x + y if self.beside else y

    class EfficientNet(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self._conv_stem, self._bn0 = nn.Conv2d(3, 32, 3, 2, bias=False), norm(32)
            blocks: list[Any] = []
            inputs = 32
            for times, kernel, stride, wider, outputs in STAGES:
                for number in range(times):
                    blocks.append(Block(inputs, outputs, kernel, stride if number == 0 else 1, wider))
                    inputs = outputs
            self._blocks = nn.ModuleList(blocks)
            self._conv_head, self._bn1 = nn.Conv2d(320, 1280, 1, bias=False), norm(1280)
            self._fc = nn.Linear(1280, classes)

        def forward(self, x: Any) -> Any:
            relu6 = nn.functional.relu6
            x = relu6(self._bn0(self._conv_stem(nn.functional.pad(x, same(3, 2, x.shape[-1])))))
            for block in self._blocks:
                x = block(x)
            return self._fc(relu6(self._bn1(self._conv_head(x))).mean((2, 3)))

    return EfficientNet()
