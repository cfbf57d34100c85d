"""Where memory goes: live bytes over time, the peak, and every buffer with its maker and readers.

    memory(recording, "cpu")["peak"]        # {"time": ..., "bytes": ..., "live": [...]}

The events of a recording are played back. A buffer lies in the picture where a first-fit allocator would have
put it, so that a moment's buffers lie above one another and fill what is live. The memory between kernels of
a computation (its arena) is there while it runs.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import accumulate
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from saccade.viz.views.recording import Recording

#: Buffers that a page is given, the largest; points of the curve.
MOST_BUFFERS: Final = 3_000
MOST_POINTS: Final = 4_000


@dataclass
class Held:
    """Memory from when it was allocated until it was freed (None: it was there at the end)."""

    number: int
    device: str
    kind: str  # result, given, arena
    nbytes: int
    start: float
    computation: int
    name: str
    maker: str = ""
    line: str = ""
    end: float | None = None
    readers: dict[int, int] = field(default_factory=dict)
    offset: int = 0
    kept: int = 0  # bytes of it that forward keeps for backward

    def told(self) -> dict[str, Any]:
        readers = [{"computation": c, "times": n} for c, n in self.readers.items()]
        return {
            "number": self.number, "kind": self.kind, "bytes": self.nbytes, "start": self.start,
            "end": self.end, "computation": self.computation, "name": self.name, "maker": self.maker,
            "line": self.line, "readers": readers, "offset": self.offset, "kept": self.kept,
        }  # fmt: skip


class _Playback:
    """The events of a recording, one by one."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.held: list[Held] = []
        self.by_number: dict[int, Held] = {}
        self.running: Held | None = None
        self.last = 0.0
        self._graphs: dict[int, dict[str, dict[str, Any]]] = {}
        self._kept_bytes: dict[int, int] = {}

    def play(self) -> None:
        for place in self.recording.reader.places("M"):
            for event in self.recording.reader.read(place):
                self.last = max(self.last, event[1])
                getattr(self, f"_{_EVENTS[event[0]]}")(*event[1:])

    def _buffers(self, computation: int) -> dict[str, dict[str, Any]]:
        """The buffers of a computation by name, with the name of the kernel that makes each."""
        if computation not in self._graphs:
            data = self.recording.kernels(computation)
            makers = {
                buffer["name"]: "".join(data["kernels"][n]["name"] for n in buffer["writers"][:1])
                for buffer in data["buffers"]
            }
            self._graphs[computation] = {
                buffer["name"]: {**buffer, "maker": makers[buffer["name"]]} for buffer in data["buffers"]
            }
        return self._graphs[computation]

    def _kept(self, computation: int) -> int:
        """Bytes between the kernels of a computation that forward keeps for backward, at most at once."""
        if computation not in self._kept_bytes:
            buffers = self._buffers(computation).values()
            kept = [each for each in buffers if each["kept"] and each["role"] == "between"]
            spans = [(min(each["writers"]), max(each["readers"]), each["bytes"]) for each in kept]
            self._kept_bytes[computation] = most_at_once(spans)
        return self._kept_bytes[computation]

    def _add(self, held: Held) -> None:
        self.held.append(held)
        self.by_number[held.number] = held

    def _allocated(self, time: float, number: int, device: str, computation: int, output: int) -> None:
        buffer = self._buffers(computation).get(f"out{output}", {})
        told = buffer.get("maker", ""), buffer.get("line", "")
        size = buffer.get("bytes", 0)
        held = Held(number, device, "result", size, time, computation, f"out{output}", *told)
        held.kept = size if buffer.get("kept") else 0
        self._add(held)

    def _given(self, time: float, number: int, device: str, computation: int, slot: int) -> None:
        size = self._buffers(computation).get(f"in{slot}", {}).get("bytes", 0)
        self._add(Held(number, device, "given", size, time, computation, f"in{slot}"))

    def _freed(self, time: float, number: int) -> None:
        if number in self.by_number:
            self.by_number[number].end = time

    def _ran(self, time: float, computation: int, used: list[int]) -> None:
        self._ended(time)
        for number in used:
            readers = self.by_number[number].readers
            readers[computation] = readers.get(computation, 0) + 1
        summary = self.recording.computation(computation)
        if summary.get("arena"):
            name = "between kernels"
            self.running = Held(-1, summary["device"], "arena", summary["arena"], time, computation, name)
            self.running.kept = self._kept(computation)
            self.held.append(self.running)

    def _ended(self, time: float) -> None:
        if self.running is not None:
            self.running.end, self.running = time, None


_EVENTS: Final = {"a": "allocated", "g": "given", "f": "freed", "r": "ran", "e": "ended"}


def memory(recording: Recording, device: str | None = None) -> dict[str, Any]:
    """The memory of one device, the one that holds most if none is named."""
    playback = _Playback(recording)
    playback.play()
    by_device: dict[str, list[Held]] = {}
    for held in playback.held:
        by_device.setdefault(held.device, []).append(held)
    peaks = {name: _curve(some) for name, some in by_device.items()}
    highest = {name: max((nbytes for _, nbytes in curve), default=0) for name, curve in peaks.items()}
    chosen = device if device in by_device else max(highest, key=highest.__getitem__, default="")
    own, curve = by_device.get(chosen, []), peaks.get(chosen, [])
    when = max(curve, key=lambda point: point[1], default=(0.0, 0))
    shown = sorted(own, key=lambda each: -each.nbytes)[:MOST_BUFFERS]
    _place(shown)
    live = [each for each in own if each.start <= when[0] and (each.end is None or each.end > when[0])]
    return {
        "device": chosen,
        "devices": [{"name": name, "peak": nbytes} for name, nbytes in highest.items()],
        "last": playback.last,
        "curve": _thinned(curve),
        "peak": {
            "time": when[0],
            "bytes": when[1],
            "live": [each.told() for each in sorted(live, key=lambda each: -each.nbytes)[:50]],
        },
        "buffers": [each.told() for each in shown],
        "left_out": len(own) - len(shown),
    }


def most_at_once(spans: Iterable[tuple[int, int, int]]) -> int:
    """The most bytes that are there at one moment, of (first moment, last moment, bytes)."""
    changes = []
    for first, last, nbytes in spans:
        if first <= last:
            changes += [
                (first, False, nbytes),
                (last, True, -nbytes),
            ]  # at one moment, what begins comes first
    changes.sort(key=itemgetter(0, 1))
    return max(accumulate(change for _, _, change in changes), default=0)


def _curve(held: list[Held]) -> list[tuple[float, int]]:
    """Live bytes after each change."""
    changes = [(each.start, each.nbytes) for each in held]
    changes += [(each.end, -each.nbytes) for each in held if each.end is not None]
    live, points = 0, []
    for time, change in sorted(changes, key=lambda each: each[0]):
        live += change
        points.append((time, live))
    return points


def _thinned(curve: list[tuple[float, int]]) -> list[tuple[float, int]]:
    """At most MOST_POINTS points: of each stretch its highest and its last."""
    if len(curve) <= MOST_POINTS:
        return curve
    size = -(-2 * len(curve) // MOST_POINTS)
    found = []
    for first in range(0, len(curve), size):
        some = curve[first : first + size]
        found += sorted({max(some, key=lambda point: point[1]), some[-1]})
    return found


def _place(held: list[Held]) -> None:
    """Offsets as a first-fit allocator would choose them, in the order of time."""
    taken: list[tuple[int, int, int]] = []  # offset, end, which
    ends: list[tuple[float, int]] = []
    order = sorted(range(len(held)), key=lambda n: held[n].start)
    for number in order:
        each = held[number]
        while ends and ends[0][0] <= each.start:
            _, gone = ends.pop(0)
            taken = [piece for piece in taken if piece[2] != gone]
        offset = 0
        for start, end, _ in taken:
            if start - offset >= each.nbytes:
                break
            offset = max(offset, end)
        each.offset = offset
        insort(taken, (offset, offset + each.nbytes, number))
        if each.end is not None:
            insort(ends, (each.end, number))
