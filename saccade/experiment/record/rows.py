"""Episode rows as lines of CSV that prove themselves whole.

In: `EpisodeRow`s. Out: one line each, its last column a checksum of the others, so that a line cut off by a
kill or a full disk is told from a whole one. Floats are written with all their digits, NaN as nothing.
Older versions had fewer columns: a file is read by those it names, and what it lacks is not known.

    >>> row = EpisodeRow("eval-000000", "eval", 0, 0, "mug", rotation_error=1.5)
    >>> parse(format_row(row)) == row
    True
    >>> parse(format_row(row)[:-3]) is None
    True
"""

from __future__ import annotations

import csv
import dataclasses
import io
import math
import zlib
from collections.abc import Iterable, Sequence

from saccade.experiment.engine.episode import ROW_TYPES, EpisodeRow
from saccade.files.reading import shown

# Seconds that no episode takes.
LONGEST = 1e12
# Bytes of an id: with what is put around it, it names files.
LONGEST_ID = 200
CHECK = "check"
COLUMNS = (*ROW_TYPES, CHECK)
HEADER = ",".join(COLUMNS) + "\n"
# Columns that every version had.
REQUIRED = tuple(each.name for each in dataclasses.fields(EpisodeRow) if each.default is dataclasses.MISSING)


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


def columns_of(header: str) -> tuple[str, ...]:
    """The columns that the first line of a file names, without the checksum; ValueError if they are not those
    of rows of this or an earlier version."""
    names = tuple(header.rstrip("\r\n").split(","))
    if names[-1] != CHECK or len(set(names)) < len(names) or not set(REQUIRED) <= set(names):
        raise ValueError("it does not begin with the columns of episodes")
    unknown = [name for name in names[:-1] if name not in ROW_TYPES]
    if unknown:
        raise ValueError(f"it has columns that this version does not know ({', '.join(map(shown, unknown))})")
    return names[:-1]


def parse(line: str, columns: Sequence[str] = tuple(ROW_TYPES)) -> EpisodeRow | None:
    """The row of a line with these columns, None if the line is not whole or no row of ours."""
    if not line.endswith("\n"):
        return None
    text, comma, check = line[:-1].rpartition(",")
    if not comma or f"{zlib.crc32(text.encode()):08x}" != check:
        return None
    try:
        values = next(csv.reader([text]))
        pairs = zip(columns, values, strict=True)
        row = EpisodeRow(**{name: _parse_value(ROW_TYPES[name], value) for name, value in pairs})  # type: ignore[arg-type]
    except (ValueError, KeyError, csv.Error):  # the sum is right and the line is not ours
        return None
    return row if _possible(row) else None


def _possible(row: EpisodeRow) -> bool:
    """Whether an episode can have such a row: a name that leads nowhere else and is no longer than those of
    files may be, counts, and times that add up."""
    counts = (row.index, row.epoch, row.steps, row.modules, row.modules_correct, row.modules_failed)
    times = (row.seconds, row.seconds_world, row.seconds_modules, row.seconds_recording)
    return (
        not set("/\\\0") & set(row.id)
        and len(row.id.encode()) <= LONGEST_ID
        and all(0 <= count < 2**63 for count in (*counts, row.parts, row.parts_correct, row.nodes))
        and 0 <= row.seed < 2**64
        and all(0 <= time < LONGEST for time in times)
    )


def format_rows(rows: Iterable[EpisodeRow]) -> str:
    """A whole file, rows in the order of their ids' phases and indices."""
    ordered = sorted(rows, key=lambda row: (row.phase != "train", row.phase, row.index))
    return HEADER + "".join(map(format_row, ordered))
