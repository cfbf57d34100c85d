"""The weights of a GGUF file in another format: Q4_0 or Q8_0, as llama.cpp's own tool rounds them.

requantised(Path("model.Q4_1.gguf"), Path("model.Q8_0.gguf"), "Q8_0")

Matrices of blocks change; the metadata, vectors and the embedding are copied byte by byte.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np

from saccade.llm.files.gguf import Gguf

Array = np.ndarray[Any, Any]
ALIGNMENT = 32
KINDS = {"Q4_0": 2, "Q8_0": 8}


def q4_0(values: Array) -> bytes:
    """Blocks of 32: a scale whose -8 is the number farthest from zero, then nibbles."""
    blocks = values.reshape(-1, 32)
    farthest = np.take_along_axis(blocks, np.abs(blocks).argmax(1)[:, None], 1)
    scale = farthest / np.float32(-8)
    inverse = np.divide(1, scale, out=np.zeros_like(scale), where=scale != 0)
    codes = np.clip(np.floor(blocks * inverse + np.float32(8.5)), 0, 15).astype(np.uint8)
    packed = codes[:, :16] | codes[:, 16:] << 4
    return np.concatenate([scale.astype("<f2").view(np.uint8), packed], 1).tobytes()


def q8_0(values: Array) -> bytes:
    """Blocks of 32: a scale whose 127 is the farthest, then bytes."""
    blocks = values.reshape(-1, 32)
    scale = np.abs(blocks).max(1, keepdims=True) / np.float32(127)
    inverse = np.divide(1, scale, out=np.zeros_like(scale), where=scale != 0)
    codes = np.round(blocks * inverse).astype(np.int8)
    return np.concatenate([scale.astype("<f2").view(np.uint8), codes.view(np.uint8)], 1).tobytes()


QUANTISERS = {"Q4_0": q4_0, "Q8_0": q8_0}


def requantised(source: Path, target: Path, name: str) -> Path:
    """Write the file; it is made once."""
    if target.exists():
        return target
    file, data = Gguf(source), source.read_bytes()
    first = next(iter(file)).encode()
    # pairs of metadata end where the first tensor is described
    end = data.index(struct.pack("<Q", len(first)) + first)
    infos, bodies, at = b"", [], 0
    for tensor in file.values():
        info = tensor.info
        kind, body = info.kind, data[info.begin : info.begin + (info.size or 0)]
        if tensor.name.startswith("blk.") and len(info.shape) == 2:
            kind, body = KINDS[name], QUANTISERS[name](tensor.dequantised().numpy())
        title = tensor.name.encode()
        infos += struct.pack("<Q", len(title)) + title + struct.pack("<I", len(info.shape))
        infos += struct.pack(f"<{len(info.shape)}Q", *reversed(info.shape)) + struct.pack("<IQ", kind, at)
        bodies.append(body + bytes(-len(body) % ALIGNMENT))
        at += len(bodies[-1])
    head = data[:end] + infos
    part = target.with_suffix(".part")
    with part.open("wb") as out:
        out.write(head + bytes(-len(head) % ALIGNMENT))
        out.writelines(bodies)
    part.rename(target)
    return target
