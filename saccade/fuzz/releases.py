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
import os
import subprocess
import sys
import tempfile
import typing
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, TextIO

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
ROOMS = tuple(
    str(ROOT / "saccade" / room) + os.sep for room in ("experiment", "world", "cortex", "reproducible")
)
#: files that write down what others found, with the time of day and where they found it
RECORDING = ("record.py", "environment.py", "progress.py", "rows.py")
#: functions that return what differs from run to run: free bytes, seconds, addresses, and memory of a device
#: as it is. Behind the last hypothesis it holds anything; who takes from it what means something is compared.
AS_IT_IS = frozenset({
    "cortex/bank/space.py:unused_bytes", "cortex/bank/space.py:free_bytes", "cortex/ops.py:read",
    "cortex/ops.py:read_each",
    "cortex/bank/program.py:Report.numpy",
    "cortex/bank/outcome.py:Outcome.values", "cortex/bank/outcome.py:Outcome.told",
    "reproducible/native.py:_address",
    "experiment/learn/explore.py:look_around", "experiment/learn/discover.py:Discoverer._explore",
})  # fmt: skip
#: values of at most so many elements are written out, others as a digest
SHOWN = 12
#: containers in containers that are looked into
DEPTH = 5


@dataclasses.dataclass(frozen=True)
class Difference:
    """Where two records part: the number of the line, and the line of either ("" where there is none)."""

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
        if name and not _is_question(frame) and (bits := bits_of(value)):
            self._file.write(f"{name} -> {bits}\n")

    @staticmethod
    def _name(code: CodeType) -> str:
        """Where a function is, "" for none of interest. Comprehensions are calls in some releases only."""
        path = code.co_filename
        if not path.startswith(ROOMS) or path.endswith(RECORDING) or code.co_name.startswith("<"):
            return ""
        name = f"{Path(path).relative_to(ROOT / 'saccade').as_posix()}:{code.co_qualname}"
        return "" if name in AS_IT_IS else f"saccade/{name}"


def _is_question(frame: FrameType) -> bool:
    """Whether a call only answers `isinstance` of a protocol, which some releases of Python ask properties
    for."""
    outer = frame.f_back
    for _ in range(6):
        if outer is None:
            return False
        if outer.f_code.co_filename == typing.__file__:
            return True
        outer = outer.f_back
    return False


def record(path: Path, preset: str, settings: Sequence[str]) -> None:
    """Run a preset with settings in this process; what it computes to `path`, its run folder beside it."""
    from saccade.experiment.config.config import override
    from saccade.experiment.config.presets import preset as find_preset
    from saccade.experiment.engine.engine import make_engine
    from saccade.experiment.progress import Silent
    from saccade.experiment.record.record import RunFolder
    from saccade.experiment.run import execute
    from saccade.reproducible import threads

    threads.limit(1)  # so that all that is computed is computed here, in one order
    config = override(find_preset(preset), ["recording.plots=false", *settings])
    with path.open("w", encoding="utf-8") as file:
        sys.setprofile(Recorder(file))
        try:
            engine = make_engine(config)
            with RunFolder.create(path.with_suffix(".run"), config) as folder:
                summary = execute(folder, engine, [each.name for each in engine.objects], Silent())
                rows = [row.results() for row in folder.rows()]
        finally:
            sys.setprofile(None)
        file.writelines(f"row -> {bits_of(row)}\n" for row in rows)
        file.write(f"results -> {summary['results']!r}\n")


# --- comparing


def first_difference(first: Path, second: Path) -> Difference | None:
    """The first value that differs. The calls of a function are compared in order; between functions order is
    free, as releases of Python evaluate some things sooner or later."""
    other: defaultdict[str, deque[str]] = defaultdict(deque)
    for line in _lines(second):
        other[line.partition(" -> ")[0]].append(line)
    number = -1
    for number, line in enumerate(_lines(first)):
        calls = other[line.partition(" -> ")[0]]
        found = calls.popleft() if calls else ""
        if found != line:
            return Difference(number, line, found)
    left = next((calls[0] for calls in other.values() if calls), None)
    return None if left is None else Difference(number + 1, "", left)


def _lines(path: Path) -> Iterator[str]:
    """The lines of a record but for those that hold seconds, which differ from run to run."""
    with path.open(encoding="utf-8") as file:
        yield from (line.rstrip("\n") for line in file if "seconds" not in line)


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
