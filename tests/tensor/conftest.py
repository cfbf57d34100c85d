"""The tests of `tensor` go through `.numpy()`, so they test the whole compiler. SACCADE_TEST_REFERENCE=1 puts
the NumPy evaluator in its place, which tells a wrong graph from a wrong kernel."""

from __future__ import annotations

import os

import numpy as np
import pytest

from saccade.graph.node import Node, make
from saccade.graph.ops import Op
from saccade.runtime.buffer import Buffer
from saccade.runtime.halves import from_float32, storage_dtype
from saccade.tensor import interop
from saccade.tensor.host import has_numpy
from saccade.tensor.realize import is_realized
from tests.reference import evaluate


def realize_by_reference(nodes: list[Node]) -> list[Node]:
    made = []
    for node in nodes:
        if is_realized(node):
            made.append(node)
            continue
        value = evaluate(node)
        stored = value if has_numpy(node.dtype) else from_float32(value, node.dtype)
        buffer = Buffer.from_numpy(
            np.array(stored, storage_dtype(node.dtype), order="C").reshape(-1), node.dtype
        )
        made.append(make(Op.RESHAPE, node.dtype, (make(Op.BUFFER, node.dtype, (), buffer),), node.shape))
    return made


@pytest.fixture(autouse=os.environ.get("SACCADE_TEST_REFERENCE") == "1")
def by_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute with NumPy instead of the compiler."""
    monkeypatch.setattr(interop, "realize", realize_by_reference)
