"""Whether a device can be used, and how much memory is free there, asked without opening it in this process.

In: the name of a device. Out: free bytes, or a ValueError that says what is missing.

CUDA does not survive a fork after its first use, so whoever will fork processes that share a GPU must not
touch it. A forked process opens the device, tells, and ends.
"""

from __future__ import annotations

from functools import cache
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

from saccade.cortex.bank.space import free_bytes
from saccade.runtime.device import Device

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


@cache
def probed(name: str) -> int | None:
    """Bytes that are free on a device, None where nobody can tell; ValueError if it cannot be used."""
    context: Any = get_context("fork")  # the base of contexts has no Process for mypy
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_ask, args=(name, sender), daemon=True)
    process.start()
    sender.close()
    try:
        found: int | str | None = receiver.recv()
    except EOFError:
        process.join()
        raise ValueError(f"the process that opened {name!r} ended with code {process.exitcode}") from None
    process.join()
    if isinstance(found, str):
        raise ValueError(found)
    return found


def _ask(name: str, sender: Connection) -> None:
    try:
        found: int | str | None = free_bytes(Device.usable(name))
    except ValueError as error:
        found = str(error)
    sender.send(found)
