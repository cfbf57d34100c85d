"""Which token comes next: from logits to one id.

    sampler = Sampler(Sampling(temperature=0.8, top_p=0.95, seed=1), prompt_ids)
    id = sampler.choose(logits)             # logits (vocabulary,)

Penalties and biases change the logits, temperature divides them; of the probabilities that follow, top-k,
top-p and min-p leave the largest, in this order, and one is drawn: those that are left lie one behind the
other by their ids, and a number from 0 to 1 points at one of them. The same seed gives the same ids. A device
does the same with its logits (`model/choice.py`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np

Array = np.ndarray[Any, Any]
#: Top-p sorts this many of the largest first, and all of them only if those do not do.
FIRST_SORTED: Final = 1024
#: The least temperature: clients that want no luck at all ask for 1e-8 or less.
LEAST_HEAT: Final = 1e-6
BROKEN: Final = "the model gives NaN: its weights are broken"


@dataclass(frozen=True)
class Sampling:
    """How a token is chosen. Without more, the most probable one is (greedy).

    temperature: 0 is greedy, 1 the model's own distribution. top_k: of the k most probable ones; 0: of all.
    top_p: of the fewest whose probabilities reach it. min_p: of those at least so probable, relative to the
    most probable one. repetition_penalty: divides what speaks for tokens that were there (above 1: fewer).
    frequency_penalty, presence_penalty: taken from the logit of a token that was made, for each time and
    once. bias: added to logits by id. seed: None draws one.
    """

    temperature: float = 0.0
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    repetition_penalty: float = 1.0
    frequency_penalty: float = 0.0
    presence_penalty: float = 0.0
    bias: Mapping[int, float] = field(default_factory=dict)
    seed: int | None = None

    def __post_init__(self) -> None:
        for name, least, most in _BOUNDS:
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= most:
                raise ValueError(f"{name} is {value!r}, and a number from {least:g} to {most:g} is due")
        if isinstance(self.top_k, bool) or not isinstance(self.top_k, int) or self.top_k < 0:
            raise ValueError(f"top_k is {self.top_k!r}, and a whole number from 0 on is due")
        if self.seed is not None and (isinstance(self.seed, bool) or not isinstance(self.seed, int)):
            raise ValueError(f"seed is {self.seed!r}, and a whole number is due")

    @property
    def heat(self) -> float:
        """The temperature that logits are divided by; 0 is greedy. Logits that differ at all are as far apart
        as can be at the least one, and differences divided by less have no number."""
        return max(self.temperature, LEAST_HEAT) if self.temperature else 0.0


_BOUNDS: Final = (
    ("temperature", 0.0, 100.0), ("top_p", 0.0, 1.0), ("min_p", 0.0, 1.0),
    ("repetition_penalty", 0.01, 100.0), ("frequency_penalty", -100.0, 100.0),
    ("presence_penalty", -100.0, 100.0),
)  # fmt: skip


class Sampler:
    """Chooses the tokens of one text. `prompt`: ids that were there before."""

    def __init__(self, sampling: Sampling, prompt: Iterable[int] = ()) -> None:
        self.sampling = sampling
        self._prompt = set(prompt)
        self._made: Counter[int] = Counter()

    @cached_property
    def _random(self) -> np.random.Generator:
        """Made where something is drawn: to import it takes as long as a token."""
        seed = self.sampling.seed
        return np.random.default_rng(seed if seed is None or seed >= 0 else [-seed])

    def choose(self, logits: Array, allowed: Array | None = None) -> int:
        """The next id. logits: (vocabulary,); allowed: (vocabulary,) of bool, what may come at all."""
        if np.isnan(logits.max()):
            raise ValueError(BROKEN)
        changed = self.changed(logits)
        if allowed is not None:
            changed = np.where(allowed, changed, -np.inf)
        if self.sampling.temperature == 0:
            chosen = int(changed.argmax())
        else:
            chosen = self._drawn(changed)
        self.took(chosen)
        return chosen

    def took(self, id: int) -> None:
        """A token came."""
        self._made[id] += 1

    @property
    def is_plain(self) -> bool:
        """Is the next token the most probable one, or drawn by the model's own distribution, whatever was
        there before?"""
        return not self.remembers and (self.sampling.temperature == 0 or not self.cuts)

    @property
    def cuts(self) -> bool:
        """Are tokens left out because they are not probable enough?"""
        options = self.sampling
        return options.top_k > 0 or options.top_p < 1 or options.min_p > 0

    @property
    def remembers(self) -> bool:
        """Do logits depend on the tokens that were there, or are biased?"""
        options = self.sampling
        penalties = options.repetition_penalty - 1, options.frequency_penalty, options.presence_penalty
        return any(penalties) or bool(options.bias)

    def memory(self, size: int) -> Array:
        """What a device has to know of the text: (3, size), as of `Memory` in `model/choice.py`."""
        known = np.zeros((3, size), np.float32)
        known[0, list(self._prompt)] = 1
        known[1, list(self._made)] = list(self._made.values())
        known[2, list(self.sampling.bias)] = list(self.sampling.bias.values())
        return known

    def luck(self) -> float:
        """What a token is drawn with, from 0 to 1; nothing is drawn where the most probable one is taken."""
        return float(self._random.random()) if self.sampling.temperature else 0.0

    def _drawn(self, logits: Array) -> int:
        # of all nothing is sorted, which of 128,256 took four times as long
        ids = np.sort(distribution(logits, self.sampling)[0]) if self.cuts else None
        kept = logits if ids is None else logits[ids]
        sums = np.exp((kept - kept.max()) / self.sampling.heat).cumsum()
        place = int(np.searchsorted(sums, self.luck() * sums[-1], side="right"))
        place = place if place < len(sums) else int(kept.argmax())
        return place if ids is None else int(ids[place])

    def changed(self, logits: Array) -> Array:
        """The logits after penalties and biases, float64."""
        options, made = self.sampling, np.array(logits, np.float64)
        if options.repetition_penalty != 1 and (self._prompt or self._made):
            ids = np.array(list(self._prompt.union(self._made)), np.int64)
            factor = options.repetition_penalty
            made[ids] = np.where(made[ids] > 0, made[ids] / factor, made[ids] * factor)
        if (options.frequency_penalty or options.presence_penalty) and self._made:
            ids = np.fromiter(self._made.keys(), np.int64)
            times = np.fromiter(self._made.values(), np.float64)
            made[ids] -= options.frequency_penalty * times + options.presence_penalty
        for number, value in options.bias.items():
            made[number] += value
        return made


def distribution(logits: Array, sampling: Sampling) -> tuple[Array, Array]:
    """Ids that may be drawn, the most probable one first, and their probabilities, which sum to 1."""
    powers = np.exp((logits - logits.max()) / sampling.heat)
    probabilities = powers / powers.sum()
    ids = _largest(probabilities, sampling.top_k, sampling.top_p)
    kept = probabilities[ids]
    kept = kept / kept.sum() if sampling.top_k else kept  # without, some may be left out that do not matter
    ids, kept = _within(ids, kept, sampling.top_p)
    few = kept >= sampling.min_p * kept[0]
    ids, kept = ids[few], kept[few]
    return ids, kept / kept.sum()


def _largest(probabilities: Array, top_k: int, top_p: float) -> Array:
    """Ids of the largest, sorted: the top k, or enough for top-p. Of equal ones the lower id comes first."""
    if top_k == 0 and top_p >= 1:
        ids = np.flatnonzero(probabilities)
        first = int(probabilities[ids].argmax())  # only the first has to be the largest
        return np.concatenate([ids[first : first + 1], ids[:first], ids[first + 1 :]])
    size = len(probabilities)
    for wanted in (top_k or FIRST_SORTED, size):
        wanted = min(wanted, size)
        least = np.partition(probabilities, size - wanted)[size - wanted]
        ids = np.flatnonzero(probabilities >= least)
        ids = ids[np.argsort(-probabilities[ids], kind="stable")][:wanted]
        if top_k or probabilities[ids].sum() >= top_p:
            break
    return ids[probabilities[ids] > 0]


def _within(ids: Array, probabilities: Array, top_p: float) -> tuple[Array, Array]:
    """The fewest of the first that reach top_p together; at least one."""
    if top_p >= 1:
        return ids, probabilities
    before = probabilities.cumsum() - probabilities
    count = max(1, int((before < top_p).sum()))
    return ids[:count], probabilities[:count]


def log_probabilities(logits: Array) -> Array:
    """Of the model itself, whatever is drawn from: (vocabulary,) float64."""
    wide = logits.astype(np.float64)
    wide -= wide.max()
    return wide - math.log(np.exp(wide).sum())
