"""Host data: anything array-like becomes a contiguous NumPy array of storage, and back.

bfloat16 and the float8 types have no NumPy dtype; they are stored as words of their width (see
`runtime.halves`).

    >>> array_of([1.5, 2.0], None)
    (array([1.5, 2. ], dtype=float32), dtypes.float32)
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..graph import dtypes
from ..graph.dtypes import DType
from ..runtime.memory.blocks import allocate
from ..runtime.memory.halves import WORDS, from_float32, storage_dtype, to_float32

Array = NDArray[Any]

#: bytes from which on memory is aligned: NumPy's own takes a microsecond less
ALIGNED: Final = 1024

NUMBERS: Final = (bool, int, float, complex)


def has_numpy(dtype: DType) -> bool:
    """Does NumPy have this dtype itself?"""
    return dtype not in WORDS


def array_of(data: object, dtype: DType | None) -> tuple[Array, DType]:
    """A storage array that nobody else writes to, and its dtype. Lists of floats become float32, as in
    torch."""
    array, own = view_of(data, dtype)
    if array.nbytes >= ALIGNED:
        return _aligned(array, storage_dtype(own)), own
    if isinstance(data, (list, tuple, *NUMBERS)) or array.dtype != storage_dtype(own):
        return np.ascontiguousarray(array, storage_dtype(own)).reshape(array.shape), own
    return np.array(array, order="C", copy=True), own


def _aligned(array: Array, storage: np.dtype[Any]) -> Array:
    """A copy that begins with a line of memory, as results do: where NumPy's do not, each vector of 64 bytes
    is in two lines."""
    words = np.asarray(allocate(array.size * storage.itemsize))[: array.size * storage.itemsize]
    made: Array = words.view(storage).reshape(array.shape)
    made[...] = array
    return made


def view_of(data: object, dtype: DType | None) -> tuple[Array, DType]:
    """Like `array_of`, but sharing memory with `data` where no conversion is needed."""
    array, own = _raw(data, narrow=dtype is None)
    wanted = dtype or own
    if wanted is own:
        return array, own
    if own.is_complex and not wanted.is_complex:
        raise TypeError(f"{data!r:.80} is complex, and {wanted.name} is not: take the real parts first")
    values = to_float32(array, own) if own in WORDS else array
    if wanted in WORDS:
        with np.errstate(over="ignore"):
            return from_float32(values, wanted), wanted
    if (
        wanted.is_int
        and own.is_int
        and array.size
        and not _fits(array, wanted)
        and isinstance(data, (list, tuple, int))
    ):
        raise ValueError(
            f"{data!r:.80} does not fit {wanted.name} ({wanted.min} to {wanted.max}): use a wider dtype"
        )
    if wanted.is_int and own.is_float and array.size and not _holds_integers_of(values, wanted):
        raise ValueError(
            f"{data!r:.80} has elements that {wanted.name} cannot hold (NaN, or not in {wanted.min} to "
            f"{wanted.max}): use nan_to_num and clamp first"
        )
    with np.errstate(all="ignore"):
        return values.astype(storage_dtype(wanted)), wanted


def _fits(array: Array, dtype: DType) -> bool:
    return bool(int(array.min()) >= dtype.min and int(array.max()) <= dtype.max)


def _holds_integers_of(array: Array, dtype: DType) -> bool:
    whole = np.trunc(array)
    # the bounds of wide integers are not floats: the power of two above the largest is
    return bool(((whole >= dtype.min) & (whole < 2.0 ** (dtype.bits - (not dtype.is_unsigned)))).all())


def _raw(data: object, narrow: bool = True) -> tuple[Array, DType]:
    """The storage of some data as it is, and its dtype. Python's floats are float32 with `narrow`, else, for
    who converts them, the float64 that they are."""
    if isinstance(data, np.ndarray):
        return _checked(data)
    if isinstance(data, NUMBERS):
        wide = dtypes.float64 if isinstance(data, float) else dtypes.complex128
        own = dtypes.of_scalar(data) if narrow or isinstance(data, int) else wide
        return _checked(np.asarray(data, storage_dtype(own)) if not _is_huge(data) else np.asarray(data))
    if isinstance(data, (list, tuple)):
        return _from_sequence(data, narrow)
    if type(data).__module__.partition(".")[0] == "torch":
        return _from_torch(data)
    if hasattr(data, "__dlpack__") and not _is_arrow(data):  # whose bits and nulls DLPack does not have
        return _checked(np.from_dlpack(data))
    if isinstance(data, (str, bytes)):
        raise TypeError(f"cannot make a tensor of {data!r:.60}: tensors hold numbers; parse the text first")
    return _checked(np.asarray(data))


def _is_arrow(data: object) -> bool:
    return hasattr(data, "__arrow_c_array__") and hasattr(data, "__array__")


def _is_huge(value: object) -> bool:
    return isinstance(value, int) and not -(1 << 63) <= value < 1 << 63


def _from_sequence(data: list[Any] | tuple[Any, ...], narrow: bool) -> tuple[Array, DType]:
    try:
        array = np.asarray(data)
    except ValueError as error:
        raise ValueError(
            f"cannot make a tensor of a ragged list {data!r:.80}: all rows need one length"
        ) from error
    if array.dtype == np.float64 and all(isinstance(part, int) for part in _leaves_of(data)):
        # NumPy has no integer for those of two widths, but uint64 holds them if none is negative
        array = np.asarray(data, np.uint64) if array.size and array.min() >= 0 else array
    leaf: Any = data
    while isinstance(leaf, (list, tuple)) and leaf:
        leaf = leaf[0]
    wide = array.dtype == np.float64 or array.dtype == np.complex128
    if narrow and wide and not isinstance(leaf, (np.generic, np.ndarray)):
        own = getattr(leaf, "dtype", None)
        if own not in (dtypes.float64, dtypes.complex128):
            with np.errstate(over="ignore"):  # what float32 cannot hold is infinite in it
                array = array.astype(np.float32 if array.dtype == np.float64 else np.complex64)
    return _checked(array, data)


def _from_torch(data: Any) -> tuple[Array, DType]:
    """A torch tensor on the CPU shares its memory; types NumPy lacks pass as integers of their width."""
    own = dtypes.of(data.dtype)
    data = data.detach().cpu()
    if own in WORDS:
        torch = sys.modules["torch"]
        return data.view(torch.uint8 if own.bits == 8 else torch.int16).numpy().view(storage_dtype(own)), own
    return data.numpy(), own


def _leaves_of(data: object) -> Iterator[object]:
    if isinstance(data, (list, tuple)):
        for part in data:
            yield from _leaves_of(part)
    else:
        yield data


def _is_number(value: object) -> bool:
    return isinstance(value, (bool, float, complex, np.number)) or (
        isinstance(value, int) and not _is_huge(value)
    )


def _checked(array: Array, source: object = None) -> tuple[Array, DType]:
    own = _OWN.get(array.dtype)
    if own is not None:
        return array, own
    if array.dtype.kind in "USOVMm":
        what = {
            "U": "text",
            "S": "bytes",
            "M": "dates",
            "m": "time spans",
            "V": "records",
        }
        found = what.get(array.dtype.kind, "Python objects")
        sample = [] if source is None else [v for v in _leaves_of(source) if not _is_number(v)][:1]
        sample = sample or array.reshape(-1)[:1].tolist()
        if sample and isinstance(sample[0], int):
            found, example = "Python objects", f" such as {sample[0]}, which neither int64 nor uint64 holds"
            raise TypeError(f"cannot make a tensor of {found}{example}: use floats")
        example = f" such as {sample[0]!r:.40}" if sample else ""
        raise TypeError(f"cannot make a tensor of {found}{example}: tensors hold bools and numbers")
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if array.dtype.name not in _NAMES:
        raise TypeError(
            f"cannot make a tensor of {array.dtype.name}: convert it to float64 or another of "
            f"{', '.join(_NAMES)}"
        )
    return array, dtypes.by_name(array.dtype.name)


_NAMES = tuple(d.name for d in (*dtypes.ALL, *dtypes.COMPLEX) if has_numpy(d))
#: the types of this machine's byte order; asking NumPy for the name of one takes longer than looking it up
_OWN = {np.dtype(name): dtypes.by_name(name) for name in _NAMES}
