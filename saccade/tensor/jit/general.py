"""A trace whose programs serve every length: replayed often, it gives way to one for its own length.

step = jit(lambda x: (x * 2).sum())
for n in (100, 200, 300): step(ones(n))         # the third is served by a program for all lengths
for _ in range(1000): step(ones(300))           # for a while: then it is traced again, and knows its own
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol
from weakref import ref

from ..programs.form import Form
from ..programs.lengths import OFTEN
from .replay import Variant


class Owner(Protocol):
    """Keeps traces: a `JitFunction`."""

    def retire(self, key: Any, variant: GeneralVariant) -> None:
        """Forget the trace, so that the next call makes another."""


class GeneralVariant(Variant):
    """A trace of which some programs serve every length: those of these forms on these devices."""

    def __init__(self, *parts: Any, forms: Sequence[tuple[Form, str]]) -> None:
        super().__init__(*parts)
        self.forms = forms
        self._left = OFTEN
        #: not held: a function and its traces go when nobody has the function
        self._owner: ref[Owner] | None = None
        self._key: Any = None

    def belongs_to(self, owner: Owner, key: Any) -> None:
        """Who is told when it was replayed often, and the key it is kept under there."""
        self._owner, self._key = ref(owner), key

    def run(
        self, leaves: Sequence[Any], addresses: list[int], words: Sequence[bytes | None] | None = None
    ) -> Any:
        self._left -= 1
        if self._left == 0 and self._owner is not None:
            owner = self._owner()
            if owner is not None:
                owner.retire(self._key, self)
        return super().run(leaves, addresses, words)
