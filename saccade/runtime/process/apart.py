"""Work that a forked process does: what it opens is not open here.

    apart(Device.usable, "cuda")         # "cuda:0", and this process can still be forked for ones that use it

CUDA does not survive a fork after its first use, so whoever will fork processes that share a GPU must not
touch it before. Under Linux alone.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def apart(work: Callable[Arguments, Result], *given: Arguments.args, **named: Arguments.kwargs) -> Result:
    """What `work` returns or raises in a forked process, which ends then. Both must be of a kind that can be
    sent."""
    from multiprocessing import get_context  # sockets and processes: 10 ms, for who needs them

    context: Any = get_context("fork")  # the base of contexts has no Process for mypy
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_do, args=(sender, work, given, named), daemon=True)
    with warnings.catch_warnings():  # of forks beside threads: the runtime is made for them
        warnings.simplefilter("ignore", DeprecationWarning)
        process.start()
    sender.close()
    try:
        is_error, found = receiver.recv()
    except EOFError:
        process.join()
        raise RuntimeError(
            f"a process that was to tell something ended with code {process.exitcode}"
        ) from None
    process.join()
    if is_error:
        raise found
    answer: Result = found
    return answer


def _do(sender: Connection, work: Callable[..., object], given: Any, named: Any) -> None:
    try:
        answer = False, work(*given, **named)
    except Exception as error:  # noqa: BLE001  raised again by the one who asked
        sender.send((True, error))
        return
    sender.send(answer)
