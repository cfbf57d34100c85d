"""PNG files in and out as arrays, so that textures and photos need no picture library.

    pixels = read_png(path)            # (H, W, C) float64 0..1 (or the raw integers with raw=True), C = 1
    to 4 write_png(path, pixels)            # (H, W, 3) float 0..1 or uint8

Reads 8 and 16 bits, grey, colour, palette and alpha, without interlacing; that covers what cameras' depth
maps, textures and our own plots use.
"""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

SIGNATURE = b"\x89PNG\r\n\x1a\n"
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}


def read_png(path: Path | str, raw: bool = False) -> npt.NDArray[Any]:
    """The pixels of a PNG file, (H, W, C); a palette is looked up."""
    data = Path(path).read_bytes()
    if data[:8] != SIGNATURE:
        raise ValueError(f"{path} is not a PNG file")
    chunks: dict[bytes, bytes] = {}
    at = 8
    while at + 8 <= len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        chunks[kind] = chunks.get(kind, b"") + data[at + 8 : at + 8 + size]
        at += 12 + size
    if b"IHDR" not in chunks or b"IDAT" not in chunks:
        raise ValueError(f"{path} is cut short: a PNG file needs a header and pixels")
    width, height, bits, kind_, _, _, interlaced = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    if bits not in (8, 16) or interlaced:
        raise ValueError(
            f"{path}: PNG with {bits} bits{', interlaced,' if interlaced else ''} is not read; "
            "save it with 8 or 16"
        )
    try:
        stream = zlib.decompress(chunks[b"IDAT"])
    except zlib.error as broken:
        raise ValueError(f"{path} is broken: {broken}") from None
    depth = CHANNELS[kind_] * bits // 8
    lines = unfiltered(np.frombuffer(stream, np.uint8).reshape(height, 1 + width * depth), depth)
    pixels: npt.NDArray[Any] = lines.view(">u2").astype(np.uint16) if bits == 16 else lines
    pixels = pixels.reshape(height, width, -1)
    if kind_ == 3:
        pixels = np.frombuffer(chunks[b"PLTE"], np.uint8).reshape(-1, 3)[pixels[..., 0]]
    return pixels if raw else pixels / (2**bits - 1)


def unfiltered(lines: npt.NDArray[np.uint8], depth: int) -> npt.NDArray[np.uint8]:
    """Undo the prediction of every line: each byte was stored as its difference from its left, upper or
    both neighbours."""
    kinds, body = lines[:, 0], lines[:, 1:].astype(np.int64)
    above = np.zeros(body.shape[1], np.int64)
    out = np.empty(body.shape, np.uint8)
    for y, kind in enumerate(kinds):
        line = body[y]
        if kind == 1:
            line = np.cumsum(line.reshape(-1, depth), axis=0).reshape(-1) % 256
        elif kind == 2:
            line = (line + above) % 256
        elif kind in (3, 4):
            line = predicted(line.tolist(), above.tolist(), depth, kind == 4)
        out[y] = line
        above = out[y].astype(np.int64)
    return out


def predicted(line: list[int], above: list[int], depth: int, paeth: bool) -> npt.NDArray[np.int64]:
    """Undo the two predictions that look left and up at once; each byte needs the one before."""
    done = [0] * depth + line
    corner = [0] * depth + above
    for i, value in enumerate(line):
        left, up, diagonal = done[i], above[i], corner[i]
        if not paeth:
            guess = (left + up) // 2
        else:
            a, b, c = abs(up - diagonal), abs(left - diagonal), abs(left + up - 2 * diagonal)
            guess = left if a <= b and a <= c else up if b <= c else diagonal
        done[i + depth] = (value + guess) % 256
    return np.array(done[depth:], np.int64)


def write_png(path: Path | str, pixels: npt.NDArray[Any]) -> None:
    """Write (H, W, 3) or (H, W, 1) pixels: floats 0..1, uint8 or uint16."""
    image = np.asarray(pixels)
    if image.dtype.kind == "f":
        image = (np.clip(image, 0, 1) * 255 + 0.5).astype(np.uint8)
    height, width, channels = image.shape
    bits = image.dtype.itemsize * 8
    body = image.astype(">u2").view(np.uint8) if bits == 16 else image
    lines = np.concatenate([np.zeros((height, 1), np.uint8), body.reshape(height, -1)], axis=1)
    header = struct.pack(">IIBBBBB", width, height, bits, 2 if channels == 3 else 0, 0, 0, 0)
    parts = [SIGNATURE]
    for kind, content in ((b"IHDR", header), (b"IDAT", zlib.compress(lines.tobytes(), 6)), (b"IEND", b"")):
        parts.append(
            struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        )
    Path(path).write_bytes(b"".join(parts))
