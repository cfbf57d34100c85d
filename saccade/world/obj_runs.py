"""Many lines of an OBJ file at once: a scan has tens of thousands of one kind, all written alike.

    >>> kind, numbers = numbers_of(["f 1/1 2/2 3/3", "f 1/1 3/3 4/4"])
    >>> kind, numbers.tolist()
    ('f', [[1, 1, 2, 2, 3, 3], [1, 1, 3, 3, 4, 4]])

Only the usual forms are known here; other lines, and those with a fault in them, are read one by one.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt

_FLOAT = r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
# what an int64 holds, counted from 1
_WHOLE = r"[1-9][0-9]{0,17}"


def _lines(kind: str, word: str, *counts: int) -> list[tuple[str, re.Pattern[str]]]:
    form = r"^{}(?:[ \t]+{}){{{}}}[ \t]*$"
    return [(kind, re.compile(form.format(kind, word, count), re.MULTILINE)) for count in counts]


FORMS = [
    *_lines("v", _FLOAT, 3, 6),
    *_lines("vt", _FLOAT, 2, 3),
    *_lines("f", _WHOLE, 3),
    *_lines("f", f"{_WHOLE}/{_WHOLE}", 3),
    *_lines("f", f"{_WHOLE}/{_WHOLE}/{_WHOLE}", 3),
]


def numbers_of(lines: list[str]) -> tuple[str, npt.NDArray[Any]] | None:
    """What all lines are (v, vt, f) and their numbers (lines, numbers in a line); None if they are not all of
    one form."""
    for kind, form in FORMS:
        if form.match(lines[0]):
            text = "\n".join(lines)
            if len(form.findall(text)) != len(lines):
                return None
            words = text.replace(kind, " ").replace("/", " ").split()
            numbers = [int(w) for w in words] if kind == "f" else [float(w) for w in words]
            return kind, np.array(numbers).reshape(len(lines), -1)
    return None
