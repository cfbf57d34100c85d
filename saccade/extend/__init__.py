"""One's own parts of an experiment: registered by name, chosen by config like those that are built in.

    from saccade import extend

    @extend.motor_policy("stay")             # --set policy.motion=stay
    def stay(config): return Stay()

| decorator         | chosen by           | gets                           | gives                           |
|-------------------|---------------------|--------------------------------|---------------------------------|
| `sensor_module`   | `sensor.module`     | config                         | a function like `sense.sense`   |
| `learning_module` | `module.kind(s)`    | name, channels, models, config | a `module.LearningModule`       |
| `motor_policy`    | `policy.motion`     | config                         | a `motor.Policy`                |
| `world`           | `world.kind`        | config, objects, rows, noisy   | a `world.protocol.World`        |
| `logger`          | `recording.loggers` | config, run folder             | an `extend.loggers.Logger`      |

A config can name the Python modules that register them, `extensions = ["my_package.parts"]`; they are
imported before the config is read. The command line makes every part once before a run begins (a logger in a
folder that is thrown away), so that one that lacks something begins nothing.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any, TypeVar

__all__ = ["learning_module", "logger", "made", "motor_policy", "names", "sensor_module", "use", "world"]

Make = TypeVar("Make", bound=Callable[..., Any])

#: names that are taken, by kind
BUILT_IN: dict[str, tuple[str, ...]] = {
    "sensor_module": ("camera",),
    "learning_module": ("evidence", "displacement"),
    "motor_policy": ("auto", "random_walk", "spiral", "curvature"),
    "world": ("mesh", "field", "image"),
    "logger": ("csv", "json", "wandb"),
}
#: what a part must have to be of its kind
METHODS: dict[str, tuple[str, ...]] = {
    "sensor_module": ("__call__",),
    "learning_module": ("name", "channels", "group_key", "layouts", "bank", "conclude", "reset", "keep"),
    "motor_policy": ("start", "act", "interrupt"),
    "world": ("rows", "rig", "object_names", "scenes", "agent", "reset", "place", "step", "keep", "look"),
    "logger": ("begin", "step", "episode", "end"),
}


class PartError(TypeError):
    """A part of one's own that lacks what its kind must have."""


_made: dict[str, dict[str, Callable[..., Any]]] = {kind: {} for kind in BUILT_IN}


def _registering(kind: str) -> Callable[[str], Callable[[Make], Make]]:
    def named(name: str) -> Callable[[Make], Make]:
        if not isinstance(name, str):
            raise TypeError(f'a {kind} is registered under a name: @extend.{kind}("mine"), not {name!r}')

        def register(make: Make) -> Make:
            if name in BUILT_IN[kind]:
                raise ValueError(f"{kind} {name!r} is built in; choose another name")
            if name in _made[kind]:
                raise ValueError(f"{kind} {name!r} is registered already, by {_made[kind][name].__module__}")
            if not callable(make):
                raise TypeError(f"{kind} {name!r} must be a function that makes one, not {make!r}")
            _made[kind][name] = make
            return make

        return register

    named.__doc__ = f"Register what makes a {kind.replace('_', ' ')} under a name."
    return named


sensor_module = _registering("sensor_module")
learning_module = _registering("learning_module")
motor_policy = _registering("motor_policy")
world = _registering("world")
logger = _registering("logger")


def names(kind: str) -> tuple[str, ...]:
    """All names of a kind, those built in first."""
    return (*BUILT_IN[kind], *_made[kind])


def is_own(kind: str, name: str) -> bool:
    """Whether a name was registered, and is not built in."""
    return name in _made[kind]


def made(kind: str, name: str, *given: Any) -> Any:
    """A registered part, checked for what its kind must have."""
    part = _made[kind][name](*given)
    missing = [method for method in METHODS[kind] if not hasattr(part, method)]
    if missing:
        raise PartError(f"{kind} {name!r} lacks {', '.join(missing)}: {type(part).__name__} is no {kind}")
    return part


def forget(kind: str, name: str) -> None:
    """Take a registration back."""
    if name not in _made[kind]:
        raise KeyError(f"no {kind} {name!r} is registered; there are {', '.join(_made[kind]) or 'none'}")
    del _made[kind][name]


def use(modules: Iterable[str]) -> None:
    """Import modules that register parts, installed ones or those of the working directory; one that cannot
    be imported is named."""
    for name in modules:
        if not {"", os.getcwd()} & set(sys.path):  # `saccade` looks where it is installed, `python -m` here
            sys.path.append(os.getcwd())
        try:
            import_module(name)
        except ImportError as error:
            raise ImportError(
                f"extensions has {name!r}, which cannot be imported ({error}): install it or run where it is",
                name=error.name,
            ) from error
