"""What there is to know of a GPU before a run, without opening it where the run could not be forked then.

In: the name of a device. Out: its free memory and how it describes itself (`Card`), or a ValueError that says
what it lacks.
"""

from __future__ import annotations

import sys
from typing import NamedTuple

from saccade.experiment.config.sections import ConfigError
from saccade.experiment.config.settings import ExperimentConfig
from saccade.runtime.device import Device
from saccade.runtime.process.apart import Apart, apart


class Card(NamedTuple):
    """free: bytes, None where nobody can tell. about: what it is. target: what results of searches are kept
    by."""

    free: int | None
    about: str
    target: str


def device_of(config: ExperimentConfig) -> str:
    """The device that a config asks for; "auto" is the default device of the machine."""
    try:
        return named(config.device)
    except ValueError as error:
        raise ConfigError(f"device = {config.device!r}: {error}") from None


def named(device: str) -> str:
    """The name of the device that a config asks for; "auto" is the default device of the machine, which
    another process finds, as `card_of` does."""
    if device != "auto":
        return Device.canonical(device)
    if sys.platform == "linux" and Device.default_may_open:
        name, card = apart(_default)
        Device.assume_default(name)
        if card is not None:
            _known[name] = card
    return Device.canonical(None)


def _default() -> tuple[str, Card | None]:
    """The default device and, of a GPU, what is known of it."""
    name = Device.default
    return name, looked(name) if name.startswith("cuda") else None


_known: dict[str, Card] = {}
_asked: dict[str, Apart[Card]] = {}


def look_at(name: str) -> None:
    """Begin to find out what `card_of` tells, where another process does."""
    if name not in _known and name not in _asked and _is_better_apart(name):
        _asked[name] = Apart(looked, name)


def know(name: str, card: Card) -> None:
    """Somebody has opened the device of that name, and found this."""
    _known[name] = card


def card_of(name: str) -> Card:
    """The device of that name. While no GPU is open here another process looks, once, so that this one can
    still be forked."""
    look_at(name)
    if name not in _known:
        _known[name] = _asked.pop(name).result() if name in _asked else looked(name)
    return _known[name]


def _is_better_apart(name: str) -> bool:
    return sys.platform == "linux" and name.startswith("cuda") and Device.forkable


def looked(name: str) -> Card:
    """The device of that name, opened here."""
    from saccade.cortex.bank.space import unused_bytes  # and with it a third of what a run imports
    from saccade.runtime.cache.searched import target_of

    opened = Device[Device.usable(name)]
    return Card(unused_bytes(name), str(getattr(opened, "about", "")), target_of(name))
