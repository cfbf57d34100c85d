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

from saccade.files.reading import TooLarge, read_bytes, reading
from saccade.reproducible.native import I64, U8s, native

SIGNATURE = b"\x89PNG\r\n\x1a\n"
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
PALETTE = 3
# Bytes of the file of a picture, and of its pixels in memory: 8192 x 8192 with alpha as the bytes they are,
# 4096 x 4096 as floats.
PICTURE_BYTES, PIXEL_BYTES = 1 << 28, 1 << 29
# A byte of a deflated stream stands for at most so many.
DEFLATED = 1032
# Bytes of the stream that are unpacked at once, and that come of them at once.
PIECE = 1 << 16


class ImageError(ValueError):
    """A picture that cannot be read, with what to do about it."""


def read_png(path: Path | str, raw: bool = False) -> npt.NDArray[Any]:
    """The pixels of a PNG file, (H, W, C); a palette is looked up."""
    with reading(path, ImageError, "save it again"):
        return decode_png(read_bytes(path, PICTURE_BYTES), str(path), raw)


def decode_png(data: bytes, name: str, raw: bool = False) -> npt.NDArray[Any]:
    """The pixels of a PNG file of that name."""
    if data[:8] != SIGNATURE:
        raise ImageError(f"{name} is not a PNG file; save it as one")
    with reading(name, ImageError, "save it again, with 8 or 16 bits and without interlacing"):
        chunks = chunks_of(data)
        if len(chunks.get(b"IHDR", b"")) != 13 or b"IDAT" not in chunks:
            raise ValueError("it has no header (IHDR) or no pixels (IDAT), as if cut short")
        width, height, bits, kind, _, _, interlaced = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
        if kind not in CHANNELS or bits not in (8, 16) or interlaced or (kind, bits) == (PALETTE, 16):
            told = ", interlaced" if interlaced else ""
            raise ValueError(f"pixels of kind {kind} with {bits} bits{told} are not read")
        channels = 3 if kind == PALETTE else CHANNELS[kind]
        check_size(width, height, channels * (bits // 8 if raw else 8))
        depth = CHANNELS[kind] * bits // 8
        stream = inflated(chunks[b"IDAT"], height * (1 + width * depth))
        lines = unfiltered(stream.reshape(height, 1 + width * depth), depth)
        pixels: npt.NDArray[Any] = lines.view(">u2").astype(np.uint16) if bits == 16 else lines
        pixels = pixels.reshape(height, width, -1)
        if kind == PALETTE:
            pixels = looked_up(pixels[..., 0], chunks.get(b"PLTE", b""))
        return pixels if raw else pixels / (2**bits - 1)


def check_size(width: int, height: int, pixel: int) -> None:
    """Refuse a picture without pixels, or with more of so many bytes each than are held."""
    if not width or not height:
        raise ValueError(f"{width} x {height} pixels are no picture")
    if width * height * pixel > PIXEL_BYTES:
        raise TooLarge(
            f"{width} x {height} pixels would take {width * height * pixel:,} bytes, and at most "
            f"{PIXEL_BYTES:,} are held: make it smaller"
        )


def chunks_of(data: bytes) -> dict[bytes, bytes]:
    """The chunks of a file by their kind, those of one kind joined."""
    found: dict[bytes, list[bytes]] = {}
    at = len(SIGNATURE)
    while at + 8 <= len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        if kind in (b"IHDR", b"PLTE", b"IDAT"):
            found.setdefault(kind, []).append(data[at + 8 : at + 8 + size])
        at += 12 + size
    return {kind: b"".join(pieces) for kind, pieces in found.items()}


def inflated(packed: bytes, size: int) -> npt.NDArray[np.uint8]:
    """The `size` bytes of a deflated stream; it is unpacked no further than one byte more."""
    if size > DEFLATED * (len(packed) + 1):
        raise ValueError(f"it ends before its pixels do: {len(packed)} bytes cannot hold {size}")
    out, at = np.empty(size, np.uint8), 0
    unpacker = zlib.decompressobj()
    for first in range(0, len(packed), PIECE):
        waiting = packed[first : first + PIECE]
        while piece := unpacker.decompress(waiting, min(size - at + 1, PIECE)):
            if len(piece) > size - at:
                raise ValueError(f"it holds more than the {size} bytes of its pixels")
            out[at : at + len(piece)] = np.frombuffer(piece, np.uint8)
            at, waiting = at + len(piece), unpacker.unconsumed_tail
    if at < size or not unpacker.eof:
        raise ValueError(f"it ends before its pixels do: there are {at} bytes of {size}")
    return out


def looked_up(index: npt.NDArray[np.uint8], palette: bytes) -> npt.NDArray[np.uint8]:
    """The colours (H, W, 3) that the pixels (H, W) name in a palette."""
    if len(palette) % 3 or index.max() >= len(palette) // 3:
        raise ValueError(f"a pixel has colour {index.max()} of a palette of {len(palette) / 3:g}")
    return np.frombuffer(palette, np.uint8).reshape(-1, 3)[index]


def unfiltered(lines: npt.NDArray[np.uint8], depth: int) -> npt.NDArray[np.uint8]:
    """Undo the prediction of every line (H, 1 + bytes): bytes are stored as differences from neighbours."""
    height, width = lines.shape
    if lines[:, 0].max() > 4:
        raise ValueError(f"a line is predicted by rule {lines[:, 0].max()}; there are 0 to 4")
    undo_predictions(lines, height, width - 1, depth)
    return np.ascontiguousarray(lines[:, 1:])


@native
def undo_predictions(lines: U8s, height: I64, width: I64, depth: I64) -> None:
    """In place. The kinds: 0 none, 1 left, 2 above, 3 mean of both, 4 whichever of left, above and corner is
    nearest to left + above - corner."""
    for y in range(height):
        first = y * (width + 1) + 1
        kind = lines[first - 1]
        for x in range(width):
            left, above, corner = 0, 0, 0
            if x >= depth:
                left = lines[first + x - depth]
            if y > 0:
                above = lines[first + x - width - 1]
            if x >= depth and y > 0:
                corner = lines[first + x - width - 1 - depth]
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
            lines[first + x] = (lines[first + x] + guess) % 256


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
