"""What a template is: a kernel's text that a person wrote, with holes that are filled from the kernel.

    TRANSPOSE = Template("transpose", transpose_of, transpose_source, Turn)

    found = TRANSPOSE.match(kernel)                     # what it is made of, or None: not for this kernel
    TRANSPOSE.source(kernel, found, name, card, None)   # the text, and the move that says how it is laid out

A template is a last resort: kernels that none takes are lowered from their loops (`schemes`). What fits, the
choice of tiles, the check of a given move and the text of one template sit together in one folder or file.
`every.TEMPLATES` lists them all, in the order in which a kernel is shown to them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from ....graph.kernels.kernel import Kernel
from ....runtime.program import Source
from ...moves.legal import IllegalMove
from ..search.moves import Card, GpuMove

Found = TypeVar("Found")


@dataclass(frozen=True)
class Template(Generic[Found]):
    """`match` recognises; `write` chooses and writes, and takes moves of one `kind`, or none at all."""

    name: str
    match: Callable[[Kernel], Found | None]
    write: Callable[[Kernel, Found, str, Card, Any], tuple[Source, GpuMove | None]]
    kind: type[GpuMove] | None = None

    def source(
        self, kernel: Kernel, found: Found, name: str, card: Card, move: GpuMove | None
    ) -> tuple[Source, GpuMove | None]:
        """The source of a kernel that matched, and its layout: as the move says, or chosen by the template;
        IllegalMove for a move of another kind."""
        if move is not None and (self.kind is None or not isinstance(move, self.kind)):
            raise IllegalMove(f"{move} is no layout for this kernel: it is written as {self.name}")
        return self.write(kernel, found, name, card, move)
