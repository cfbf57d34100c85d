"""One experiment under two interpreters (another Python, another NumPy): the first value that differs.

In: two Python executables, a preset and settings. Out: nothing, or the first function of an experiment that
returned something else in the second one.

    python -m saccade.fuzz.releases /venvs/old/bin/python /venvs/new/bin/python default objects.limit=2

Every return of a function of the world, the cortex and the experiment is recorded, in order, as the name of
the function and the bits it returned. Both records are then read side by side. Nothing has to be listed, and
as a caller returns after what it calls, the first line that differs names the innermost function to blame.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, TextIO

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
ROOMS = tuple(
    str(ROOT / "saccade" / room) + os.sep for room in ("experiment", "world", "cortex", "reproducible")
)
#: files that write down what others found, with the time of day
RECORDING = ("record.py", "atomic.py", "progress.py")
#: values of at most so many elements are written out, others as a digest
SHOWN = 12
#: containers in containers that are looked into
DEPTH = 5


@dataclasses.dataclass(frozen=True)
class Difference:
    """Where two records part: the number of the line, and the line of either ("" where a record ends)."""

    number: int
    first: str
    second: str


# --- recording


def bits_of(value: object, depth: int = DEPTH) -> str:
    """The bits of numbers, arrays and what is made of them as text; "" where there are none."""
    if isinstance(value, (bool, int, np.bool_, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return float(value).hex()
    if isinstance(value, str):
        return repr(value)
    if isinstance(value, np.ndarray):
        return _bits_of_array(value)
    if depth == 0:
        return ""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = vars(value) if hasattr(value, "__dict__") else {}
    if isinstance(value, Mapping):
        parts = [f"{key}: {bits}" for key, each in value.items() if (bits := bits_of(each, depth - 1))]
        return "{" + ", ".join(parts) + "}" if parts else ""
    if isinstance(value, (tuple, list)):
        parts = [bits for each in value if (bits := bits_of(each, depth - 1))]
        return "(" + ", ".join(parts) + ")" if parts else ""
    return ""


def _bits_of_array(value: np.ndarray[Any, Any]) -> str:
    if value.dtype.kind not in "biuf":
        return ""
    # an index is as wide as the platform or the release wants it, which decides nothing
    wide = value.astype(np.float64 if value.dtype.kind == "f" else np.int64)
    head = f"{value.dtype.kind}{list(value.shape)}"
    if value.size <= SHOWN:
        return f"{head} {' '.join(bits_of(each) for each in wide.ravel().tolist())}"
    return f"{head} #{hashlib.blake2b(np.ascontiguousarray(wide).tobytes(), digest_size=8).hexdigest()}"


class Recorder:
    """Writes a line for each return of a function in the rooms above that returns numbers."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._names: dict[CodeType, str] = {}

    def __call__(self, frame: FrameType, event: str, value: object) -> None:
        if event != "return":
            return
        name = self._names.get(frame.f_code)
        if name is None:
            name = self._names[frame.f_code] = self._name(frame.f_code)
        if name and (bits := bits_of(value)):
            self._file.write(f"{name} -> {bits}\n")

    @staticmethod
    def _name(code: CodeType) -> str:
        """Where a function is, "" for none of interest. Comprehensions are calls in some releases only."""
        path = code.co_filename
        if not path.startswith(ROOMS) or path.endswith(RECORDING) or code.co_name.startswith("<"):
            return ""
        return f"{Path(code.co_filename).relative_to(ROOT)}:{code.co_qualname}"


def record(path: Path, preset: str, settings: Sequence[str]) -> None:
    """Run a preset with settings in this process; what it computes to `path`, its run folder beside it."""
    from saccade.experiment.config import override
    from saccade.experiment.engine import make_engine
    from saccade.experiment.presets import preset as find_preset
    from saccade.experiment.progress import Silent
    from saccade.experiment.record import RunFolder
    from saccade.experiment.run import execute

    config = override(find_preset(preset), ["recording.plots=false", *settings])
    with path.open("w", encoding="utf-8") as file:
        sys.setprofile(Recorder(file))
        try:
            engine = make_engine(config)
            with RunFolder.create(path.with_suffix(".run"), config) as folder:
                execute(folder, engine, [each.name for each in engine.objects], Silent())
        finally:
            sys.setprofile(None)


# --- comparing


def first_difference(first: Path, second: Path) -> Difference | None:
    """Where two records part."""

    def lines(path: Path) -> Iterator[str]:
        with path.open(encoding="utf-8") as file:
            yield from (line.rstrip("\n") for line in file if not is_time(line))

    for number, (one, two) in enumerate(itertools.zip_longest(lines(first), lines(second), fillvalue="")):
        if one != two:
            return Difference(number, one, two)
    return None


def is_time(line: str) -> bool:
    """Whether a line is of something that holds seconds, which differ from run to run."""
    return "seconds" in line


def between(pythons: Sequence[str], preset: str, settings: Sequence[str]) -> Difference | None:
    """Run under two interpreters, compare what was computed."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{number}.txt" for number in range(2)]
        for python, path in zip(pythons, paths, strict=True):
            command = [python, "-m", "saccade.fuzz.releases", "record", str(path), preset, *settings]
            subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
        return first_difference(*paths)


def main(arguments: Sequence[str]) -> int:
    if arguments[0] == "record":
        record(Path(arguments[1]), arguments[2], arguments[3:])
        return 0
    found = between(arguments[:2], arguments[2], arguments[3:])
    if found is None:
        print("no difference")
        return 0
    print(f"value {found.number} differs:\n  {found.first}\n  {found.second}")
    return 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
