"""What this namespace has: `__array_namespace_info__`.

>>> __array_namespace_info__().default_dtypes()["real floating"]
dtypes.float32
"""

from __future__ import annotations

from typing import Final

from ..graph import dtypes
from ..graph.dtypes import DType
from ..runtime.device import Device
from .functions.dtype_functions import KINDS

#: of the standard's names; float16, bfloat16 and the 8-bit floats are ours besides
NAMED: Final = {
    "bool": dtypes.bool_,
    **{d.name: d for d in dtypes.INTS},
    "float32": dtypes.float32,
    "float64": dtypes.float64,
    "complex64": dtypes.complex64,
    "complex128": dtypes.complex128,
}
#: NumPy's limit: host data comes in and goes out as its arrays
MOST_AXES: Final = 64


class Info:
    """The answers to the standard's questions."""

    __slots__ = ()

    def capabilities(self) -> dict[str, bool | int | None]:
        """Shapes that depend on data are computed when they are asked for."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": MOST_AXES}

    def default_device(self) -> str:
        return Device.default

    def devices(self) -> tuple[str, ...]:
        """Those that compute values here."""
        return tuple(status.name for status in Device.list() if status.usable and status.name != "null")

    def default_dtypes(self, *, device: str | None = None) -> dict[str, DType]:
        """What creation functions give without a dtype, on every device."""
        return {
            "real floating": dtypes.float32,
            "complex floating": dtypes.complex64,
            "integral": dtypes.int64,
            "indexing": dtypes.int64,
        }

    def dtypes(
        self, *, device: str | None = None, kind: str | tuple[str, ...] | None = None
    ) -> dict[str, DType]:
        """The dtypes by name, of one kind or several."""
        wanted = tuple(KINDS) if kind is None else (kind,) if isinstance(kind, str) else kind
        for each in wanted:
            if each not in KINDS:
                raise ValueError(f"unknown kind {each!r}: use one of {', '.join(KINDS)}")
        return {n: d for n, d in NAMED.items() if any(d.kind in KINDS[each] for each in wanted)}


def __array_namespace_info__() -> Info:
    return Info()


__all__ = ["__array_namespace_info__"]
