"""An exception in a report names the lines of this package that it came through."""

from __future__ import annotations

import re
from typing import Any

import pytest

from saccade import Tensor
from saccade.fuzz.attacks import unrest
from saccade.fuzz.attacks.unrest import WAYS, drawn, run
from saccade.fuzz.raised import with_frames


def raised() -> ValueError:
    """What a reshape raises that does not fit."""
    try:
        Tensor.ones(3, 4).reshape(5, 2)
    except ValueError as error:
        return error
    raise AssertionError("it was not refused")


def test_the_message_is_first_and_frames_follow() -> None:
    error = raised()
    first, *frames = with_frames(error).splitlines()
    assert first == f"ValueError: {error}"
    assert frames
    assert all(re.fullmatch(r"  saccade/[\w/]+\.py:\d+ \w+: \S.*", frame) for frame in frames), frames


def test_what_it_came_of_is_told_too() -> None:
    error = RuntimeError("outer")
    error.__cause__ = raised()
    assert f"  because of ValueError: {error.__cause__}\n  saccade/" in with_frames(error)
    error.__cause__.__cause__ = error  # a circle ends
    assert with_frames(error).count("RuntimeError: outer") == 1


def test_a_recursion_is_cut() -> None:
    def frames(depth: int) -> str:
        namespace: dict[str, Any] = {}
        path = unrest.__file__  # frames of the package
        exec(compile("def f(n): return f(n - 1) if n else 1 // 0", path, "exec"), namespace)
        try:
            namespace["f"](depth)
        except ZeroDivisionError as error:
            return with_frames(error)
        raise AssertionError

    assert len(frames(20).splitlines()) == 22  # the message, and a line for each call
    assert len(frames(400).splitlines()) < 50
    assert "frames" in frames(400)


@pytest.mark.parametrize("kind", WAYS)
def test_what_threads_and_forks_raise_has_its_frames(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> None:
        Tensor.ones(3, 4).reshape(5, 2)

    monkeypatch.setattr(unrest, "run_on", failing)
    message = run(drawn(kind, 3)) or ""
    assert re.search(r"raised ValueError: .*\n  saccade/[\w/]+\.py:\d+ ", message), message
