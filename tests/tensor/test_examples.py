"""The examples in the module docstrings are true."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest

from saccade import Key, Tensor, dtypes
from saccade.graph.node import make
from saccade.graph.ops import Op

MODULES = (
    "analysis arithmetic build composed core creation form functional gather holes host indexing inplace "
    "interop logic movement operands ordering products random reduce segments special windows"
)


@pytest.mark.host_memory  # some print the device
@pytest.mark.parametrize("name", MODULES.split())
def test_examples(name: str) -> None:
    module = import_module(f"saccade.tensor.{name}")
    names = {**vars(module), "Tensor": Tensor, "Key": Key, "dtypes": dtypes, "make": make, "Op": Op}
    assert module.__doc__ is not None
    example = doctest.DocTestParser().get_doctest(module.__doc__, names, name, None, None)
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0
