"""Episode rows as lines of CSV that prove themselves whole.

In: `EpisodeRow`s. Out: one line each, its last column a checksum of the others, so that a line cut off by a
kill or a full disk is told from a whole one. Floats are written with all their digits, NaN as nothing.

    >>> row = EpisodeRow("eval-000000", "eval", 0, 0, "mug", rotation_error=1.5)
    >>> parse(format_row(row)) == row
    True
    >>> parse(format_row(row)[:-3]) is None
    True
"""

from __future__ import annotations

import csv
import io
import math
import zlib
from collections.abc import Iterable

from saccade.experiment.episode import ROW_TYPES, EpisodeRow

COLUMNS = (*ROW_TYPES, "check")
HEADER = ",".join(COLUMNS) + "\n"


def _format_value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(float(value))
    return str(value)


def _parse_value(kind: type, text: str) -> object:
    if kind is bool:
        return {"true": True, "false": False}[text]
    if kind is float:
        return float(text) if text else math.nan
    return kind(text)


def _line(values: list[str]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="").writerow(values)
    return buffer.getvalue()


def format_row(row: EpisodeRow) -> str:
    """The row's line, with its line end."""
    # A line is one episode, so a line end inside a name is written as a space.
    values = [" ".join(_format_value(getattr(row, name)).splitlines()) for name in ROW_TYPES]
    text = _line(values)
    return f"{text},{zlib.crc32(text.encode()):08x}\n"


def parse(line: str) -> EpisodeRow | None:
    """The row of a line, None if the line is not whole."""
    if not line.endswith("\n"):
        return None
    text, comma, check = line[:-1].rpartition(",")
    if not comma or f"{zlib.crc32(text.encode()):08x}" != check:
        return None
    values = next(csv.reader([text]))
    if len(values) != len(ROW_TYPES):
        return None
    parsed = {name: _parse_value(kind, value) for (name, kind), value in zip(ROW_TYPES.items(), values)}
    return EpisodeRow(**parsed)  # type: ignore[arg-type]


def format_rows(rows: Iterable[EpisodeRow]) -> str:
    """A whole file, rows in the order of their ids' phases and indices."""
    ordered = sorted(rows, key=lambda row: (row.phase != "train", row.phase, row.index))
    return HEADER + "".join(map(format_row, ordered))
