"""Memory that is given: the argument of a PARAM. Apart from `kernel`, which only a compiler needs."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Param:
    """Memory a kernel or a traced function is given: its slot and its size in elements. Of a `partial` one
    there may be fewer, as a mask around it says: the others must not be read."""

    slot: int
    size: int
    device: str | None = None
    partial: bool = field(default=False, repr=False)
