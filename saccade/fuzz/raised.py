"""An exception as the reports of attacks tell it: what it says, then where in this package it came from.

    >>> print(with_frames(error))
    ZeroDivisionError: integer division or modulo by zero
      saccade/tensor/programs/lengths.py:110 find: made = self._make(form, sizes, make)
      saccade/transform/lengths.py:68 size: per, rest = divmod(second - first, self.second - self.first)

What goes wrong once in a thousand races is not seen again when somebody asks for the traceback.
"""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).resolve().parents[2]
_PACKAGE: Final = Path(__file__).resolve().parents[1]
#: frames that are told of one exception: a recursion has thousands
_MOST: Final = 40


def with_frames(error: BaseException) -> str:
    """The first line is `type: message`. The frames of the package follow, outermost first, with the one that
    raised wherever it is; then the exceptions it came of."""
    lines = [f"{type(error).__name__}: {error}", *_frames(error)]
    seen, cause = {id(error)}, _cause(error)
    while cause is not None and id(cause) not in seen:
        lines += [f"  because of {type(cause).__name__}: {cause}", *_frames(cause)]
        seen.add(id(cause))
        cause = _cause(cause)
    return "\n".join(lines)


def _cause(error: BaseException) -> BaseException | None:
    return error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _frames(error: BaseException) -> list[str]:
    every = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in every if Path(frame.filename).is_relative_to(_PACKAGE)]
    if every and every[-1] not in ours:
        ours.append(every[-1])
    left = len(ours) - _MOST
    shown = [_line(frame) for frame in ours]
    if left > 0:
        shown[_MOST // 2 : -_MOST // 2] = [f"  ... {left} frames"]
    return shown


def _line(frame: traceback.FrameSummary) -> str:
    path = Path(frame.filename)
    name = path.relative_to(_ROOT).as_posix() if path.is_relative_to(_ROOT) else path.name
    return f"  {name}:{frame.lineno} {frame.name}: {frame.line}"
