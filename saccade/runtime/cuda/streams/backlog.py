"""What a stream was given and may not have done, and how to wait for it.

    backlog.enter(plan)                    # before each launch: waits where the driver would
    backlog.suspects()                     # the plans that may be running now, for messages

The launch queue of a stream holds 1,022 kernels, graphs and copies: on an H200 (driver 13.0) a graph counts
one whatever its size, events and waits count nothing, and beyond eight streams two of them share a queue. A
launch that finds it full waits inside the driver, where nobody can be told which kernel does not end. So the
launches of a stream come in batches of `BATCH` with an event behind each, and whoever would begin one too
many waits for the oldest, as for everything else: with a limit, by `wait_until`.

The batches are also who may be blamed. Work that is over by its event is not among the suspects; of a kernel
that hangs, the batch that it is in is known."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from cuda.bindings import driver

from ...process.forking import fork_lock
from ...program import Source
from ..errors import where_sources_are
from .context import Plan
from .event import CudaEvent

#: Launches of a batch, and batches that may wait behind each other: 900 launches in all, with the open one.
BATCH: Final = 100
_MOST_BATCHES: Final = 8
#: Streams beyond which launch queues are shared.
_LAUNCH_QUEUES: Final = 8


class Backlog:
    """The batches of one stream: `record` makes an event behind what is queued, `streams` says how many
    streams the device has."""

    def __init__(self, record: Callable[[], CudaEvent], streams: Callable[[], int]) -> None:
        self._record, self._streams = record, streams
        self._batches: deque[tuple[CudaEvent, list[Plan | None]]] = deque()
        #: the launches of the open batch, each by its plan; a copy is part of none
        self.recent: list[Plan | None] = []
        self._lock = fork_lock()

    def enter(self, plan: Plan | None = None, launches: int = 1) -> None:
        """Something is queued next."""
        if len(self.recent) >= BATCH:
            self.close_batch()
        if launches == 1:
            self.recent.append(plan)
        else:
            self.recent += [plan] * launches

    def close_batch(self) -> None:
        """Begin another batch, when the launch queue has room for it."""
        batches = self._batches
        most = max(1, _MOST_BATCHES * _LAUNCH_QUEUES // max(_LAUNCH_QUEUES, self._streams()))
        self.drop_done()
        while len(batches) >= most:
            batches[0][0].wait()
            self.drop_done()
        batches.append((self._record(), self.recent))
        self.recent = []

    def drop_done(self) -> None:
        """Forget the batches that are over."""
        with self._lock:
            while self._batches and self._batches[0][0].done():
                self._batches.popleft()

    def suspects(self) -> list[Plan]:
        """The plans that may be running: of the oldest batch that is not over, or all of them if the context
        is lost and no event tells."""
        found: list[Plan] = []
        for event, launched in list(self._batches):
            (status,) = driver.cuEventQuery(event.handle)
            if status == driver.CUresult.CUDA_SUCCESS:
                continue
            plans = [plan for plan in launched if plan is not None]
            found += plans
            if status == driver.CUresult.CUDA_ERROR_NOT_READY and plans:
                return found
        return found + [plan for plan in self.recent if plan is not None]


def describe_plans(plans: Iterable[Plan]) -> str:
    """The kernels of some plans by name, and a folder with their sources."""
    return describe_sources([source for plan in dict.fromkeys(plans) for source in plan.sources()])


def describe_sources(sources: Sequence[Source]) -> str:
    by_name = {source.name: source for source in sources}
    return ", ".join(by_name) + where_sources_are(list(by_name.values())) if by_name else "none"
