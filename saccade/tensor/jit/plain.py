"""A traced function that cannot be replayed, and is called as it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from .replay import needs_plain_call
from .tree import rebuild

if TYPE_CHECKING:
    from .tracing import Traced


class Plain:
    """A function that is called as it is: see `needs_plain_call`, and `Traced.leads_back`."""

    watched = True

    recorder = None

    def __init__(self, function: Callable[..., Any], traced: Traced) -> None:
        self.structure = traced.structure
        self._function, self._captures = function, traced.captures
        self._written = [change.target for change in traced.changed]
        self._leads_back = traced.leads_back

    def holds(self, leaves: Sequence[Any]) -> bool:
        return self._leads_back or needs_plain_call(leaves, self._captures, self._written)

    def changed(self) -> str:
        return "what is written shows memory in another way"

    def run(self, leaves: Sequence[Any], addresses: list[int], words: object = None) -> Any:
        args, kwargs = rebuild(self.structure, iter(leaves))
        return self._function(*args, **kwargs)
