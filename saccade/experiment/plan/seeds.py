"""Seeds for every random choice of a run, found by name and not by order.

In: the run's seed and the names of a place (phase, episode, purpose). Out: a 64-bit seed, or the random
numbers it stands for. A seed depends on nothing else, so it is the same whether episodes run one at a time,
side by side, after a resume or on another machine.

    >>> seed_of(7, "eval", 3, "rotation") == seed_of(7, "eval", 3, "rotation")
    True
    >>> seed_of(7, "eval", 3, "rotation") == seed_of(7, "eval", 4, "rotation")
    False
"""

from __future__ import annotations

import hashlib

from saccade.reproducible import Draws


def seed_of(run_seed: int, *place: str | int) -> int:
    """A seed in [0, 2**63) for the named place of a run."""
    # Each part is written with its type and length, so ("a", "bc") and ("ab", "c") or 1 and "1" never meet.
    parts = [f"{type(part).__name__}:{len(str(part))}:{part}" for part in (run_seed, *place)]
    digest = hashlib.blake2b("|".join(parts).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") >> 1


def draws_of(run_seed: int, *place: str | int) -> Draws:
    """The random numbers of the named place of a run."""
    return Draws(seed_of(run_seed, *place))
