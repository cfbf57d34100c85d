"""Arrays from numbers, from nothing, and from other libraries.

>>> linspace(0.0, 1.0, 4, endpoint=False).tolist()
[0.0, 0.25, 0.5, 0.75]
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph import dtypes
from ...graph.dtypes import DType
from ...graph.node import Scalar
from ...runtime.device import Device
from ...tensor.jit.trace import memory_of
from ...tensor.programs.realize import is_realized
from ...tensor.stores.storage import is_seen_outside
from ...tensor.tensor import Tensor
from ..promotion import all_agreed, need_array

Shape = int | tuple[int, ...]


def asarray(
    obj: Any, /, *, dtype: DType | None = None, device: str | None = None, copy: bool | None = None
) -> Tensor:
    """An array of numbers, nested lists, or another library's array, which is copied: what is computed later
    is not to see later writes. Its memory is shared only where that is asked for, with `copy=False`."""
    if isinstance(obj, Tensor):
        return _tensor(obj, dtype, device, copy)
    if copy is not False:
        return Tensor(obj, dtype=dtype, device=device)
    if not _can_share(obj, dtype, device):
        raise ValueError(f"asarray cannot share the memory of {type(obj).__name__} as asked: allow the copy")
    return Tensor.from_numpy(obj)


def _tensor(x: Tensor, dtype: DType | None, device: str | None, copy: bool | None) -> Tensor:
    moved = x.to(dtype=dtype, device=device)
    if moved is x:
        return copied(x) if copy else x
    if copy is False:
        raise ValueError(
            f"asarray cannot see {x.dtype.name} on {x.device} as {moved.dtype.name} on {moved.device} "
            "without a copy: allow the copy"
        )
    return moved


def copied(x: Tensor) -> Tensor:
    """What x holds now. Others may write to memory that they see before the copy is computed."""
    made, base = x.clone(), x.whole().node
    return made.realize() if is_realized(base) and is_seen_outside(memory_of(base).arg) else made


def _can_share(obj: object, dtype: DType | None, device: str | None) -> bool:
    """Is it a NumPy array that lies in order in the memory of the device, and that we may write to?"""
    if not isinstance(obj, np.ndarray) or {Device.default, Device.canonical(device)} != {"cpu"}:
        return False
    plain = obj.flags.c_contiguous and obj.flags.writeable and obj.dtype.isnative
    return plain and (dtype is None or dtypes.of(obj.dtype) is dtype)


def from_dlpack(x: object, /, *, device: str | None = None, copy: bool | None = None) -> Tensor:
    """The memory of an array that speaks DLPack, as an array of ours."""
    return _tensor(Tensor.from_dlpack(x), None, device, copy)


# --- constants


def full(
    shape: Shape, fill_value: Scalar | complex, *, dtype: DType | None = None, device: str | None = None
) -> Tensor:
    return Tensor.full(shape, fill_value, dtype=dtype, device=device)


def zeros(shape: Shape, *, dtype: DType | None = None, device: str | None = None) -> Tensor:
    return Tensor.zeros(shape, dtype=dtype, device=device)


def ones(shape: Shape, *, dtype: DType | None = None, device: str | None = None) -> Tensor:
    return Tensor.ones(shape, dtype=dtype, device=device)


def empty(shape: Shape, *, dtype: DType | None = None, device: str | None = None) -> Tensor:
    return Tensor.empty(shape, dtype=dtype, device=device)


def full_like(
    x: Tensor, /, fill_value: Scalar | complex, *, dtype: DType | None = None, device: str | None = None
) -> Tensor:
    return need_array("full_like", x).full_like(fill_value, dtype=dtype, device=device)


def zeros_like(x: Tensor, /, *, dtype: DType | None = None, device: str | None = None) -> Tensor:
    return need_array("zeros_like", x).zeros_like(dtype=dtype, device=device)


def ones_like(x: Tensor, /, *, dtype: DType | None = None, device: str | None = None) -> Tensor:
    return need_array("ones_like", x).ones_like(dtype=dtype, device=device)


def empty_like(x: Tensor, /, *, dtype: DType | None = None, device: str | None = None) -> Tensor:
    return need_array("empty_like", x).empty_like(dtype=dtype, device=device)


# --- sequences


def arange(
    start: Scalar,
    /,
    stop: Scalar | None = None,
    step: Scalar = 1,
    *,
    dtype: DType | None = None,
    device: str | None = None,
) -> Tensor:
    return Tensor.arange(start, stop, step, dtype=dtype, device=device)


def linspace(
    start: float | complex,
    stop: float | complex,
    /,
    num: int,
    *,
    dtype: DType | None = None,
    device: str | None = None,
    endpoint: bool = True,
) -> Tensor:
    """`num` values from start to stop, which is among them with `endpoint`."""
    if endpoint:
        return Tensor.linspace(start, stop, num, dtype=dtype, device=device)
    return Tensor.linspace(start, stop, num + 1, dtype=dtype, device=device)[:num]


# --- matrices and grids


def eye(
    n_rows: int,
    n_cols: int | None = None,
    /,
    *,
    k: int = 0,
    dtype: DType | None = None,
    device: str | None = None,
) -> Tensor:
    """Ones on the k-th diagonal."""
    width = n_rows if n_cols is None else n_cols
    rows = Tensor.arange(n_rows, device=device).unsqueeze(1)
    columns = Tensor.arange(width, device=device)
    offset = max(-n_rows, min(k, width))  # what lies beyond is as empty, and any int may be given
    return (columns - rows == offset).cast(dtypes.float32 if dtype is None else dtype)


def tril(x: Tensor, /, *, k: int = 0) -> Tensor:
    return need_array("tril", x).tril(k)


def triu(x: Tensor, /, *, k: int = 0) -> Tensor:
    return need_array("triu", x).triu(k)


def meshgrid(*arrays: Tensor, indexing: str = "xy") -> tuple[Tensor, ...]:
    return Tensor.meshgrid(all_agreed(arrays, "meshgrid"), indexing=indexing) if arrays else ()


__all__ = [
    "arange",
    "asarray",
    "empty",
    "empty_like",
    "eye",
    "from_dlpack",
    "full",
    "full_like",
    "linspace",
    "meshgrid",
    "ones",
    "ones_like",
    "tril",
    "triu",
    "zeros",
    "zeros_like",
]
