"""A function of a tensor as a module: the name of a method of `Tensor`, and the options that torch's
constructor has, in its order.

    class MaxPool2d(Function):
        method, options = "max_pool2d", {"kernel_size": NEEDED, "stride": None, "padding": 0}
"""

from __future__ import annotations

from inspect import Parameter, Signature
from typing import Any, ClassVar, Final

from ..tensor.tensor import Tensor
from .module import Module

#: an option without a default
NEEDED: Final = object()


class Function(Module):
    """A method of `Tensor` with options. `inplace` is taken and changes nothing: values are not overwritten
    while somebody needs them."""

    method: ClassVar[str]
    options: ClassVar[dict[str, Any]] = {}
    __signature__: ClassVar[Signature]

    def __init_subclass__(cls) -> None:
        """`help` shows the options."""
        own = [
            Parameter(
                key, Parameter.POSITIONAL_OR_KEYWORD, default=Parameter.empty if value is NEEDED else value
            )
            for key, value in cls.options.items()
        ]
        cls.__signature__ = Signature(own)

    def __init__(self, *args: Any, **options: Any) -> None:
        name = type(self).__name__
        if len(args) > len(self.options):
            raise TypeError(f"{name} takes {len(self.options)} arguments, not {len(args)}")
        given = dict(zip(self.options, args, strict=False))
        strange = [key for key in options if key not in self.options or key in given]
        if strange:
            raise TypeError(f"{name} does not take {strange[0]!r}: it has {', '.join(self.options)}")
        for key, value in {**self.options, **given, **options}.items():
            if value is NEEDED:
                raise TypeError(f"{name} needs {key}")
            setattr(self, key, value)

    def forward(self, input: Tensor, *more: Any, **others: Any) -> Any:
        """`more` are further arguments of the method, such as targets."""
        options = {key: getattr(self, key) for key in self.options if key != "inplace"}
        return getattr(input, self.method)(*more, **options, **others)

    def extra_repr(self) -> str:
        shown = {key: getattr(self, key) for key in self.options if getattr(self, key) is not False}
        return ", ".join([f"{key}={value}" for key, value in shown.items()])
