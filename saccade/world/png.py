"""PNG files in and out as arrays, so that textures and photos need no picture library.

    pixels = read_png(path)            # (H, W, C) float64 0..1, or the integers of the file with raw=True
    write_png(path, pixels)            # (H, W, 3) float 0..1 or uint8

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

from saccade.reproducible.native import I64, I32s, native

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
    """Undo the prediction of every line (H, 1 + bytes): bytes are stored as differences from neighbours."""
    height, width = lines.shape
    out = np.zeros((height, width - 1), np.int32)
    undo_predictions(lines.astype(np.int32), height, width - 1, depth, out)
    return out.astype(np.uint8)


@native
def undo_predictions(lines: I32s, height: I64, width: I64, depth: I64, out: I32s) -> None:
    """The kinds: 0 none, 1 left, 2 above, 3 mean of both, 4 whichever of left, above and corner is nearest to
    left + above - corner."""
    for y in range(height):
        kind = lines[y * (width + 1)]
        for x in range(width):
            left, above, corner = 0, 0, 0
            if x >= depth:
                left = out[y * width + x - depth]
            if y > 0:
                above = out[(y - 1) * width + x]
            if x >= depth and y > 0:
                corner = out[(y - 1) * width + x - depth]
            guess = 0
            if kind == 1:
                guess = left
            elif kind == 2:
                guess = above
            elif kind == 3:
                guess = (left + above) // 2
            elif kind == 4:
                a, b, c = abs(above - corner), abs(left - corner), abs(left + above - 2 * corner)
                guess = corner
                if a <= b and a <= c:
                    guess = left
                elif b <= c:
                    guess = above
            out[y * width + x] = (lines[y * (width + 1) + 1 + x] + guess) % 256


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
