"""Whether a summary that was read from a file can be shown.

In: what a JSON file held. Out: the same, as a summary: every figure that tables show is there and a number,
or a ValueError that says which is not.

    checked({"complete": True, "results": {"eval": {"episodes": 3, "correct": "most", ...}}, ...})
    # ValueError: results.eval.correct is 'most', not a number
"""

from __future__ import annotations

from typing import Any

from saccade.files.reading import shown

# What the line of a table needs, what it shows if it is there, and the largest number that can be a figure.
SHOWN = ("episodes", "correct", "used_mlh", "match_steps", "rotation_error")
MOST = 1e300
PHASES = ("train", "eval")
# Groups of episodes of a phase that have a line of their own, those of one row together.
GROUPS = (("first_epoch", "later_epochs"), ("known", "unknown"))
# What is a table among figures, or a list; everything else is a number.
TABLES = ("objects", "confusion", *(name for group in GROUPS for name in group))


def checked(loaded: object) -> dict[str, Any]:
    """The summary, or ValueError."""
    summary = _table(loaded, "it")
    results, timing = _table(summary.get("results"), "results"), _table(summary.get("timing"), "timing")
    for phase in (phase for phase in PHASES if phase in results):
        figures = _figures(results[phase], f"results.{phase}")
        _numbers(_table(timing.get(phase), f"timing.{phase}"), f"timing.{phase}")
        for group in GROUPS:
            for name in group if any(name in figures for name in group) else ():
                _figures(figures.get(name), f"results.{phase}.{name}")
        for name, each in _table(figures.get("objects", {}), f"results.{phase}.objects").items():
            _figures(each, f"results.{phase}.objects.{shown(name)}")
    if results and not isinstance(summary.get("name"), str):
        raise ValueError(f"name is {shown(summary.get('name'))}, not a text")
    if not isinstance(summary.get("complete"), bool):
        raise ValueError(f"complete is {shown(summary.get('complete'))}, not true or false")
    return summary


def _figures(value: object, where: str) -> dict[str, Any]:
    """A table with all that a line needs."""
    table = _table(value, where)
    missing = [name for name in SHOWN if name not in table]
    if missing:
        raise ValueError(f"{where} has no {missing[0]}")
    _numbers(table, where)
    return table


def _numbers(table: dict[str, Any], where: str) -> None:
    for name, value in table.items():
        if name in TABLES and isinstance(value, (dict, list)):
            continue
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        # NaN is false: a mean over nothing is null in our files
        if value is not None and not (is_number and -MOST <= value <= MOST):
            raise ValueError(f"{where}.{name} is {shown(value)}, not a number")


def _table(value: object, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{where} is {shown(value)}, not a table")
    return value
