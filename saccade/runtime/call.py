"""The seam for plans that are called again and again on the same memory, with what the host sends and reads.

    inbox = device.inbox(address, nbytes)                        # device memory with a side on the host
    call = device.call(plan, addresses, [inbox], (result, size)) # everything is known now
    inbox.ready(); inbox.array[:] = ...                          # for each call: write,
    call.run()                                                   # queue it all,
    call.read()                                                  # wait, and look at the result

A device whose calls are no cheaper than `queue.submit` has none of this. See `tensor.jit.bound` for users.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from .device import Runnable

Bytes = NDArray[np.uint8]


class Inbox(Protocol):
    """Device memory whose content the host writes before each call."""

    array: Bytes

    def ready(self) -> None:
        """Wait until the calls before have taken what the host wrote; at once unless they lag behind."""


class Call(Protocol):
    """A plan with all addresses known."""

    def run(self) -> None:
        """Queue it, with the inboxes taken before and the result posted after; never waits."""

    def read(self) -> Bytes:
        """Wait for the last run; the result, in memory that the next run overwrites."""


@runtime_checkable
class Calling(Protocol):
    """A device that prepares calls."""

    def inbox(self, address: int, nbytes: int) -> Inbox | None:
        """A side on the host for device memory; None where the host writes the memory itself."""

    def call(
        self,
        plan: Runnable,
        addresses: Sequence[int],
        inboxes: Sequence[Inbox],
        result: tuple[int, int] | None,
    ) -> Call | None:
        """`addresses` are those of the plan's slots, `result` where and how long what the host reads is; None
        where the plan is better submitted."""


def view_of_memory(address: int, nbytes: int) -> Bytes:
    """The memory of this process at an address, which the caller keeps alive."""
    return np.ctypeslib.as_array((ctypes.c_uint8 * nbytes).from_address(address))


class HostCall:
    """A call on a device whose memory is the host's: nothing is sent and the result is where it is."""

    __slots__ = ("_result", "run")

    def __init__(self, run: Callable[[], None], result: Bytes | None) -> None:
        self.run = run
        self._result = result

    def read(self) -> Bytes:
        assert self._result is not None, "the call was made without a result"
        return self._result
