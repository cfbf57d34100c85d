"""Command lines that are read without typer: they say what typer makes of them, or nothing."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from saccade.cli.commands.chat import Activations, chat
from saccade.cli.marks import for_typer
from saccade.cli.plain import plain_arguments

WORDS = st.sampled_from(
    ["m.gguf", "--json", "--seed", "--seed=3", "7", "-7", "1.5", "--max-tokens", "0", "--activations", "int8",
     "float", "--system", "be brief", "--help", "--", "-h", "--temperature", "101", "--schema", "--top-p=0.5",
     "--jsons", "", "-", "--device", "cpu", "1e2", "nan", "--context=2"]
)  # fmt: skip


def of_typer(line: list[str]) -> dict[str, Any] | None:
    """What typer gives to the command; None where it refuses the line."""
    heard: list[dict[str, Any]] = []
    app = typer.Typer(add_completion=False, rich_markup_mode=None)

    def command(**values: Any) -> None:
        heard.append(values)

    signature = inspect.signature(for_typer(chat))
    vars(command)["__signature__"] = signature
    command.__annotations__ = {name: each.annotation for name, each in signature.parameters.items()}
    app.command()(command)
    CliRunner().invoke(app, line)
    return heard[0] if heard else None


@given(st.lists(WORDS, max_size=6))
def test_a_plain_line_is_what_typer_reads(line: list[str]) -> None:
    found = plain_arguments(chat, line)
    if found is not None:
        wanted = of_typer(line)
        assert wanted is not None
        assert {name: wanted[name] for name in found} == found
        assert all(type(wanted[name]) is type(value) for name, value in found.items())


def test_usual_lines_are_plain() -> None:
    line = ["m.gguf", "--max-tokens", "100", "--temperature=0.5", "--activations", "float", "--json"]
    assert plain_arguments(chat, line) == {
        "model": Path("m.gguf"), "max_tokens": 100, "temperature": 0.5, "activations": Activations.float,
        "json_output": True,
    }  # fmt: skip


@pytest.mark.parametrize(
    "line", [[], ["--help"], ["m", "--seed"], ["m", "--top-p", "2"], ["m", "n"], ["m", "--x"]]
)
def test_the_rest_is_left_to_typer(line: list[str]) -> None:
    assert plain_arguments(chat, line) is None
