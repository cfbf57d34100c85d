"""Arrays as bytes, for the cache on disk: NumPy's own format, in which nothing is ever executed.

data = to_bytes(distance=distance, origin=origin)
from_bytes(data)["origin"]
"""

from __future__ import annotations

import io
import zlib
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt


def to_bytes(compress: bool = False, **arrays: npt.ArrayLike) -> bytes:
    """Named arrays, compressed where that is asked for."""
    file = io.BytesIO()
    if compress:
        np.savez_compressed(file, allow_pickle=False, **arrays)
    else:
        np.savez(file, allow_pickle=False, **arrays)
    return file.getvalue()


def from_bytes(data: bytes) -> dict[str, npt.NDArray[Any]]:
    """The arrays by name, or ValueError for bytes that are none."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as found:
            return dict(found)
    except (BadZipFile, zlib.error, EOFError, OSError, KeyError) as error:
        raise ValueError(f"not stored arrays: {error}") from None
