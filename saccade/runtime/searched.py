"""What searches found: the moves of a kernel as text, in the cache on disk, for this kind of processor.

    keep(kernel_text, '[{"move": "Split", ...}]')
    find(kernel_text)           # in this process, the next one, until the cache lets it go

A result takes effect for whatever is compiled after it. `generation` changes with every result, so that
what was compiled before can be told from what is compiled after.
"""

from __future__ import annotations

import os
from functools import cache

from .cache import key_of, shared_cache
from .cpu.build import processor


def keep(kernel: str, moves: str) -> None:
    """Store the moves found for a kernel; both are text."""
    shared_cache().put(_key(kernel), moves.encode())
    shared_cache().put(_generation_key(), os.urandom(8))
    generation.cache_clear()


def find(kernel: str) -> str | None:
    """The moves kept for a kernel, if any."""
    found = shared_cache().get(_key(kernel))
    return None if found is None else found.decode(errors="replace")


def discard(kernel: str, reason: str) -> None:
    """Forget a result that turned out to be no good, and say so."""
    shared_cache().discard(_key(kernel), reason)


@cache  # read once: part of the key of everything compiled
def generation() -> str:
    """Another text after each result; empty while there is none."""
    found = shared_cache().get(_generation_key())
    return "" if found is None else found.hex()


def _key(kernel: str) -> str:
    return key_of("moves 1", kernel, processor())


def _generation_key() -> str:
    return key_of("moves generation", processor())
