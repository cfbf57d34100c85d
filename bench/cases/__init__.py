"""The cases, in the order in which they are reported."""

from __future__ import annotations

from bench.case import Case
from bench.cases.elementwise import CHAIN, REPLAY
from bench.cases.neighbours import NEIGHBOURS
from bench.cases.products import ATTENTION, CONV, GEMM
from bench.cases.reductions import LAYER_NORM, SOFTMAX, SUM

CASES: dict[str, Case] = {
    case.name: case for case in (CHAIN, SUM, SOFTMAX, LAYER_NORM, GEMM, ATTENTION, CONV, NEIGHBOURS, REPLAY)
}
