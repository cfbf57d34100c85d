"""The examples in the module docstrings are true."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest

from saccade import Key, Tensor, dtypes
from saccade.graph.node import make
from saccade.graph.ops import Op

MODULES = (
    "build core host interop operands elementwise.analysis elementwise.arithmetic elementwise.logic "
    "elementwise.gamma elementwise.numeric elementwise.series elementwise.special functional.composed "
    "functional.functional functional.losses "
    "functional.random functional.sampling programs.form programs.holes reductions.ordering "
    "reductions.products reductions.reduce reductions.segments shapes.creation shapes.gather "
    "shapes.indexing shapes.movement shapes.patches shapes.tables shapes.windows stores.inplace"
)
LINALG = "factor solving spectral least norms functions"


@pytest.mark.host_memory  # some print the device
@pytest.mark.parametrize(
    "name",
    [
        *[f"tensor.{name}" for name in MODULES.split()],
        *[f"linalg.{name}" for name in LINALG.split()],
        "linalg",
    ],
)
def test_examples(name: str) -> None:
    module = import_module(f"saccade.{name}")
    names = {**vars(module), "Tensor": Tensor, "Key": Key, "dtypes": dtypes, "make": make, "Op": Op}
    assert module.__doc__ is not None
    example = doctest.DocTestParser().get_doctest(module.__doc__, names, name, None, None)
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0
