"""Every name of the standard is there with its signature, or is in the list of what is missing."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

import saccade.array_api as xp
from saccade import Tensor

from . import names

POSITION, KEYWORD = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.KEYWORD_ONLY


def written(function: Callable[..., Any]) -> list[str]:
    """The parameters as the table writes them."""
    words, seen = [], None
    for parameter in inspect.signature(function).parameters.values():
        if seen is POSITION and parameter.kind is not POSITION:
            words.append("/")
        if parameter.kind is KEYWORD and seen not in (KEYWORD, inspect.Parameter.VAR_POSITIONAL):
            words.append("*")
        star = "*" if parameter.kind is inspect.Parameter.VAR_POSITIONAL else ""
        words.append(star + parameter.name)
        seen = parameter.kind
    return words + (["/"] if seen is POSITION else [])


@pytest.mark.parametrize(("name", "parameters"), names.functions().items())
def test_functions(name: str, parameters: list[str]) -> None:
    assert written(getattr(xp, name)) == parameters


@pytest.mark.parametrize(("name", "parameters"), names.table(names.LINALG).items())
def test_linalg(name: str, parameters: list[str]) -> None:
    assert written(getattr(xp.linalg, name)) == parameters


def test_constants_and_attributes() -> None:
    for name in f"{names.CONSTANTS} {names.DTYPES} __array_api_version__".split():
        assert hasattr(xp, name), name
    for name in names.ATTRIBUTES.split():
        assert hasattr(Tensor, name), name


def test_what_is_missing_is_listed_and_nothing_else_is_there() -> None:
    standard = {*names.functions(), *f"{names.CONSTANTS} {names.DTYPES} linalg __array_api_version__".split()}
    assert set(xp.__all__) == standard
    assert set(xp.linalg.__all__) == set(names.table(names.LINALG))
    assert not [name for name in names.MISSING.split() if hasattr(xp, name)]
    assert not [name for name in names.MISSING_LINALG.split() if hasattr(xp.linalg, name)]
    assert "complex floating" not in xp.__array_namespace_info__().default_dtypes()


def test_the_namespace_of_a_tensor() -> None:
    x = Tensor([1.0])
    assert x.__array_namespace__() is xp
    assert x.__array_namespace__(api_version="2024.12") is xp
    with pytest.raises(ValueError, match=r"2020\.01"):
        x.__array_namespace__(api_version="2020.01")


def test_inspection() -> None:
    info = xp.__array_namespace_info__()
    assert info.default_device() in info.devices()
    assert "null" not in info.devices()
    assert list(info.dtypes(kind="real floating")) == ["float32", "float64"]
    assert info.dtypes(kind="complex floating") == {}
    assert set(info.dtypes()) == set(names.DTYPES.split())
    assert info.capabilities()["data-dependent shapes"] is True
    with pytest.raises(ValueError, match="unknown kind 'real'"):
        info.dtypes(kind="real")
