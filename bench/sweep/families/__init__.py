"""The programs of the sweep, a file a family."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from bench.sweep.families import (
    attentions,
    audio,
    calls,
    contractions,
    folds,
    gradients,
    graphs,
    language,
    losses,
    maps,
    measures,
    networks,
    odd,
    optimisers,
    physics,
    processing,
    products,
    recurrent,
    serving,
    slopes,
    statistics,
    vision,
)
from bench.sweep.program import Program

_FAMILIES: Final = (
    statistics, maps, products, language, vision, audio, graphs, optimisers, losses, processing,
    gradients, recurrent, physics, serving, networks, odd, folds,
    contractions, attentions, measures, slopes, calls,
)  # fmt: skip

PROGRAMS: Final[tuple[Program, ...]] = tuple(
    replace(program, family=module.__name__.rpartition(".")[2])
    for module in _FAMILIES
    for program in module.PROGRAMS
)
