"""Lookups in tables of sixteen bytes: one shuffle of a register for all its bytes.

    out[i] = table[codes[i] & 15]     ->     out = shuffle(16 bytes of table, 64 of codes)

What codes of four bits stand for, as in the formats IQ4_NL and MXFP4, was loaded byte by byte.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ...graph import dtypes
from ...graph.kernels.kernel import Kernel
from ...graph.node import Node, make
from ...graph.ops import Op
from ...graph.rules.bounds import bounds
from ...runtime.cpu.machine import host_registers

#: bytes of a table
SIXTEEN: Final = 16
_BYTES: Final = (dtypes.int8, dtypes.uint8)


def with_byte_tables(kernel: Kernel) -> Kernel:
    """The kernel with lookups for loads of a byte from one of sixteen places that a byte tells."""
    if not host_registers().byte_shuffle:
        return kernel
    written = {store.src[0] for store in kernel.sink.src}
    loads = [n for n in kernel.nodes if n.op is Op.LOAD and n.src[0] not in written]
    found = {
        load: make(Op.LOOKUP, load.dtype, (code, load.src[0]))
        for load in loads
        if (code := _code(load)) is not None
    }
    return replace(kernel, sink=kernel.sink.substitute(found)) if found else kernel


def _code(load: Node) -> Node | None:
    """The byte from 0 to 15 that is the place of a load, or None."""
    memory, place, *mask = load.src
    if mask or memory.op is not Op.PARAM or memory.arg.size != SIXTEEN or load.dtype not in _BYTES:
        return None
    while place.op is Op.CAST and place.dtype not in _BYTES:
        (place,) = place.src
    low, high = bounds(place)
    return place if place.dtype in _BYTES and low >= 0 and high < SIXTEEN else None
