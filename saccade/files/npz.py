"""NumPy's .npz files, read within bounds: arrays of numbers and texts, no objects.

    arrays = read_npz(path.read_bytes())      # name -> array; ValueError and its like if it holds none

`numpy.load` believes the sizes that a file states: one of 300 bytes can ask for any amount of memory. Here
the sizes of all members are added up before the first is unpacked, and each array must take what its member
has. Traces of episodes, fields and meshes that were made ready are such files.
"""

from __future__ import annotations

import io
import math
import tokenize
import zipfile
from typing import Any

import numpy as np
import numpy.typing as npt

from saccade.files.reading import TooLarge, shown

#: Bytes of all arrays of a file together.
NPZ_BYTES = 1 << 29
MOST_MEMBERS = 10_000
#: Bytes of a header: NumPy's own take 128.
HEADER_BYTES = 4096


def to_npz(compress: bool = False, **arrays: npt.ArrayLike) -> bytes:
    """A file of named arrays, compressed where that is asked for."""
    file = io.BytesIO()
    if compress:
        np.savez_compressed(file, allow_pickle=False, **arrays)
    else:
        np.savez(file, allow_pickle=False, **arrays)
    return file.getvalue()


def read_npz(data: bytes) -> dict[str, npt.NDArray[Any]]:
    """The arrays of a file by name. A file that holds none is one of `saccade.files.reading.FAILURES`."""
    try:
        return _members(data)
    except (zipfile.BadZipFile, RuntimeError, SyntaxError, tokenize.TokenError) as damaged:
        raise ValueError(f"it holds no arrays: {damaged}") from None


def _members(data: bytes) -> dict[str, npt.NDArray[Any]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = archive.infolist()
        if any(each.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for each in members):
            raise ValueError("its arrays are compressed in a way that is not read")
        size = sum(member.file_size for member in members)
        if size > NPZ_BYTES or len(members) > MOST_MEMBERS:
            raise TooLarge(
                f"its {len(members)} arrays take {size:,} bytes, "
                f"and at most {MOST_MEMBERS} of {NPZ_BYTES:,} are read"
            )
        return {member.filename.removesuffix(".npy"): _array(archive.read(member)) for member in members}


def _array(data: bytes) -> npt.NDArray[Any]:
    """The array of a member: a magic text, the version, a header, the numbers."""
    file = io.BytesIO(data)
    version = np.lib.format.read_magic(file)
    read = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    if version not in read:
        raise ValueError(f"an array has version {version}; 1.0 and 2.0 are read")
    shape, fortran, dtype = read[version](file, max_header_size=HEADER_BYTES)
    count = math.prod(map(int, shape))
    if dtype.kind not in "biufUS" or (dtype.itemsize == 0 and count):
        raise ValueError(f"an array has type {shown(dtype.str)}, which holds neither numbers nor text")
    begin = file.tell()
    rest = len(data) - begin
    if count * dtype.itemsize != rest:
        raise ValueError(f"an array of shape {shown(shape)} does not fit its {rest} bytes")
    flat = np.frombuffer(data, dtype, count, begin).copy()
    return flat.reshape(shape, order="F" if fortran else "C")
