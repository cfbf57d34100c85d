"""Every name of the standard is there with its signature, and nothing else is."""

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


@pytest.mark.parametrize(("name", "parameters"), names.table(names.FFT).items())
def test_fft(name: str, parameters: list[str]) -> None:
    assert written(getattr(xp.fft, name)) == parameters


def test_constants_and_attributes() -> None:
    for name in f"{names.CONSTANTS} {names.DTYPES} __array_api_version__".split():
        assert hasattr(xp, name), name
    for name in names.ATTRIBUTES.split():
        assert hasattr(Tensor, name), name


def test_nothing_else_is_there() -> None:
    others = f"{names.CONSTANTS} {names.DTYPES} fft linalg __array_api_version__"
    standard = {*names.functions(), *others.split()}
    assert set(xp.__all__) == standard
    assert set(xp.linalg.__all__) == set(names.table(names.LINALG))
    assert set(xp.fft.__all__) == set(names.table(names.FFT))


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
    assert list(info.dtypes(kind="complex floating")) == ["complex64", "complex128"]
    assert info.default_dtypes()["complex floating"] is xp.complex64
    assert set(info.dtypes()) == set(names.DTYPES.split())
    assert info.capabilities()["data-dependent shapes"] is True
    with pytest.raises(ValueError, match="unknown kind 'real'"):
        info.dtypes(kind="real")
