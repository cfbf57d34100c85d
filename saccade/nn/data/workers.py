"""Processes that make batches: worker w of n makes batches w, w + n, w + 2n ... and sends them in turn.

Nothing is sent to a worker: it has the dataset and the order of the epoch from the start. A pipe takes little
more than it holds, so a worker that is ahead waits in `send`, and that is all the flow control there is. The
bytes of arrays go beside the pickle (protocol 5) and are received into the memory that the arrays then have.
"""

from __future__ import annotations

import contextlib
import pickle
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Generator, Sequence
from threading import Event
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

#: seconds after which a thread looks whether somebody still wants its batches
GLANCE: Final = 0.1
#: From the number of a batch to the batch; what a worker runs.
MakeBatch = Callable[[int], Any]
#: What a worker calls first, with its number: to open files, or to seed libraries.
Begin = Callable[[int], object]


class WorkerError(RuntimeError):
    """A worker could not make a batch, or is gone."""


def batches_of_workers(
    make: MakeBatch, numbers: Sequence[int], count: int, wanted: Event, begin: Begin | None = None
) -> Generator[Any, None, None]:
    """The batches with these numbers, in order, made by `count` processes, as long as they are wanted. Each
    calls `begin` with its number first."""
    import multiprocessing  # sockets and processes: 10 ms, for who makes batches so

    # a forked child has the dataset at once; where there is no fork it is pickled
    method = "fork" if sys.platform == "linux" else "spawn"
    context: Any = multiprocessing.get_context(method)  # the base of contexts has no Process for mypy
    receivers: list[Connection] = []
    processes = []
    try:
        for worker in range(count):
            receiver, sender = context.Pipe(duplex=False)
            inherited = [*receivers, receiver] if method == "fork" else []
            process = context.Process(
                target=_work,
                args=(make, list(numbers[worker::count]), sender, inherited, begin, worker),
                daemon=True,
            )
            with warnings.catch_warnings():  # of forks beside threads: the runtime is made for them
                warnings.simplefilter("ignore", DeprecationWarning)
                process.start()
            sender.close()
            receivers.append(receiver)
            processes.append(process)
        for place, number in enumerate(numbers):
            receiver = receivers[place % count]
            while not receiver.poll(GLANCE):
                if not wanted.is_set():
                    return
            yield _received(receiver, processes[place % count], number)
    finally:
        for receiver in receivers:
            receiver.close()  # a worker that still sends gets a broken pipe, and ends
        for process in processes:
            process.terminate()
            process.join()


def _work(
    make: MakeBatch,
    numbers: list[int],
    sender: Connection,
    inherited: list[Connection],
    begin: Begin | None,
    worker: int,
) -> None:
    """The life of a worker."""
    for connection in inherited:  # else the pipe would stay open when the parent is gone
        connection.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with contextlib.suppress(BrokenPipeError):  # the parent has enough
        for place, number in enumerate(numbers):
            try:
                if begin is not None and not place:
                    begin(worker)
                batch = make(number)
            except Exception:  # noqa: BLE001  told by the parent
                sender.send((traceback.format_exc(), b"", ()))
                return
            _send(sender, batch)


def _send(sender: Connection, batch: Any) -> None:
    buffers: list[pickle.PickleBuffer] = []
    head = pickle.dumps(batch, protocol=5, buffer_callback=buffers.append)
    parts = [buffer.raw() for buffer in buffers]
    sender.send(("", head, [part.nbytes for part in parts]))
    for part in parts:
        if part.nbytes:
            sender.send_bytes(part)


def _received(receiver: Connection, process: Any, number: int) -> Any:
    try:
        error, head, sizes = receiver.recv()
        if error:
            raise WorkerError(f"a worker could not make batch {number}:\n{error}")
        memory = [np.empty(size, np.uint8) for size in sizes]
        for part in memory:
            if part.nbytes:
                receiver.recv_bytes_into(part)
    except (EOFError, OSError) as gone:
        process.join(1.0)
        raise WorkerError(
            f"a worker ended with code {process.exitcode} before it had sent batch {number}: it was killed, "
            "perhaps for want of memory; use fewer workers or smaller batches"
        ) from gone
    return pickle.loads(head, buffers=memory)
