"""Work that a forked process does: what it opens is not open here.

    apart(Device.usable, "cuda")         # "cuda:0", and this process can still be forked for ones that use it
    asked = Apart(Device.usable, "cuda") # the same, begun
    asked.result()

CUDA does not survive a fork after its first use, so whoever will fork processes that share a GPU must not
touch it before. Under Linux alone.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class Apart(Generic[Result]):
    """A forked process at work, which ends then. What it returns or raises must be of a kind that can be
    sent."""

    def __init__(
        self, work: Callable[Arguments, Result], *given: Arguments.args, **named: Arguments.kwargs
    ) -> None:
        from multiprocessing import get_context  # sockets and processes: 10 ms, for who needs them

        context: Any = get_context("fork")  # the base of contexts has no Process for mypy
        self._work, (self._receiver, sender) = work, context.Pipe(duplex=False)
        self._process = context.Process(target=_do, args=(sender, work, given, named), daemon=True)
        with warnings.catch_warnings():  # of forks beside threads: the runtime is made for them
            warnings.simplefilter("ignore", DeprecationWarning)
            self._process.start()
        sender.close()

    def result(self) -> Result:
        """What the work returned or raised; asked for once."""
        try:
            is_error, found = self._receiver.recv()
        except EOFError:
            self._process.join()
            code = self._process.exitcode
            raise RuntimeError(f"a process of {self._work!r} ended with code {code}") from None
        self._process.join()
        self._receiver.close()
        if is_error:
            raise found
        answer: Result = found
        return answer


def apart(work: Callable[Arguments, Result], *given: Arguments.args, **named: Arguments.kwargs) -> Result:
    """What `work` returns or raises in a forked process."""
    return Apart(work, *given, **named).result()


def _do(sender: Connection, work: Callable[..., object], given: Any, named: Any) -> None:
    try:
        answer = False, work(*given, **named)
    except Exception as error:  # noqa: BLE001  raised again by the one who asked
        sender.send((True, error))
        return
    sender.send(answer)
