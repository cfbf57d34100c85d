"""More losses: margins, likelihoods of distributions, sequences without alignment; and bags of table rows.

>>> Tensor([0.2]).margin_ranking_loss(Tensor([0.5]), Tensor([1.0])).item()      # doctest: +ELLIPSIS
0.3...
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Self, TypeVar

from ...graph import dtypes
from .. import build
from ..checks import check_classes, check_most
from ..core import Core, Operand
from ..reductions.segments import Segments
from .composed import Composed
from .functional import Functional

L = TypeVar("L", bound="Losses")


class Losses(Composed, Functional, Segments):
    __slots__ = ()

    # --- margins

    def margin_ranking_loss(
        self, input2: Operand, target: Operand, margin: float = 0.0, reduction: str = "mean"
    ) -> Self:
        """Where the target is 1 the first should be larger, by a margin; where it is -1 the second."""
        return ((self - input2) * -self._coerce(target) + margin).clamp(min=0)._reduced(reduction)

    def hinge_embedding_loss(self, target: Operand, margin: float = 1.0, reduction: str = "mean") -> Self:
        """A distance itself where the target is 1; what it is short of the margin where it is -1."""
        wanted, (x, short) = self._coerce(target), (self, (margin - self).clamp(min=0))
        return (wanted.ne(1)._choose(short, 0.0) + wanted.ne(-1)._choose(x, 0.0))._reduced(reduction)

    def soft_margin_loss(self, target: Operand, reduction: str = "mean") -> Self:
        """log(1 + exp(-y x))."""
        return (-self._coerce(target) * self).softplus()._reduced(reduction)

    def cosine_embedding_loss(
        self, input2: Operand, target: Operand, margin: float = 0.0, reduction: str = "mean"
    ) -> Self:
        """1 - cos where the target is 1; what the cosine exceeds the margin by where it is -1."""
        other, wanted = self._coerce(input2), self._coerce(target)
        square = ((self * self).sum(-1) + 1e-12) * ((other * other).sum(-1) + 1e-12)
        cosine = (self * other).sum(-1) / square.sqrt()
        apart = (cosine - margin).clamp(min=0)
        return wanted.eq(1)._choose(1 - cosine, wanted.eq(-1)._choose(apart, 0.0))._reduced(reduction)

    def triplet_margin_loss(
        self,
        positive: Operand,
        negative: Operand,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        reduction: str = "mean",
    ) -> Self:
        """An anchor should be nearer to the positive than to the negative, by a margin; with `swap` also the
        positive."""
        return self.triplet_margin_with_distance_loss(
            positive,
            negative,
            distance_function=lambda a, b: a.pairwise_distance(b, p, eps),
            margin=margin,
            swap=swap,
            reduction=reduction,
        )

    def triplet_margin_with_distance_loss(
        self,
        positive: Operand,
        negative: Operand,
        *,
        distance_function: Callable[[Self, Self], Self] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> Self:
        """`triplet_margin_loss` with any distance."""
        near, far = self._coerce(positive), self._coerce(negative)
        distance = distance_function or (lambda a, b: a.pairwise_distance(b))
        apart = distance(self, far)
        if swap:
            apart = apart.minimum(distance(near, far))
        return (distance(self, near) - apart + margin).clamp(min=0)._reduced(reduction)

    def multi_margin_loss(
        self,
        target: Operand,
        p: int = 1,
        margin: float = 1.0,
        weight: Operand | None = None,
        reduction: str = "mean",
    ) -> Self:
        """The class of the target should score higher than every other, by a margin: (N, C) and (N,)."""
        if p not in (1, 2):
            raise ValueError(f"multi_margin_loss takes p=1 or p=2, not {p}")
        x, classes = self.atleast_2d(), self._coerce(target).atleast_1d()
        count = x.shape[1]
        check_classes(classes.node, count)
        own = x.gather(1, classes.unsqueeze(1))
        short = (margin - own + x).relu()
        short = short * short if p == 2 else short
        if weight is not None:
            short = short * x._class_weights(weight, 1)[classes].unsqueeze(1)
        others = x._new(build.iota(x.shape, 1)) != classes.unsqueeze(1)
        loss = others._choose(short, 0.0).sum(1) / count
        return (loss if self.ndim > 1 else loss.squeeze(0))._reduced(reduction)

    def multilabel_margin_loss(self, target: Operand, reduction: str = "mean") -> Self:
        """Every class of a row of targets, up to the first -1, should score higher by 1 than every other."""
        x, classes = self.atleast_2d(), self._coerce(target).atleast_2d()
        rows, count = x.shape
        check_classes(classes.node, count, -1)
        there = (classes >= 0).long().cumprod(1).bool()
        own = x.gather(1, there._choose(classes, 0))
        place = there._choose(classes, count)
        is_target = x._new(build.full(0, dtypes.int64, (rows, count + 1))).scatter(1, place, 1)
        others = is_target.narrow(1, 0, count).eq(0)
        short = (1 - own.unsqueeze(2) + x.unsqueeze(1)).relu()
        counted = there.unsqueeze(2) & others.unsqueeze(1)
        loss = counted._choose(short, 0.0).sum((1, 2)) / count
        return (loss if self.ndim > 1 else loss.squeeze(0))._reduced(reduction)

    def multilabel_soft_margin_loss(
        self, target: Operand, weight: Operand | None = None, reduction: str = "mean"
    ) -> Self:
        """Every class by itself is there (1) or not (0); the mean over classes."""
        wanted = self._coerce(target)
        loss = wanted * (-self).softplus() + (1 - wanted) * self.softplus()
        loss = loss if weight is None else loss * weight
        return loss.mean(-1)._reduced(reduction)

    # --- likelihoods

    def gaussian_nll_loss(
        self,
        target: Operand,
        var: Operand,
        full: bool = False,
        eps: float = 1e-6,
        reduction: str = "mean",
    ) -> Self:
        """Minus the log-likelihood of targets with these means and variances, which are at least eps."""
        spread = self._constant(float(var)) if isinstance(var, (int, float)) else self._coerce(var)
        if spread.shape != self.shape and spread.shape == self.shape[:-1]:
            spread = spread.unsqueeze(-1)
        fixed = spread.detach()
        spread = (fixed < eps)._choose(
            spread - fixed + eps, spread
        )  # what is below the limit keeps its slope
        distance = self - target
        loss = (spread.log() + distance * distance / spread) * 0.5
        return (loss + 0.5 * math.log(2 * math.pi) if full else loss)._reduced(reduction)

    def poisson_nll_loss(
        self,
        target: Operand,
        log_input: bool = True,
        full: bool = False,
        eps: float = 1e-8,
        reduction: str = "mean",
    ) -> Self:
        """Minus the log-likelihood of counts with these means, or logarithms of means."""
        self._need_real("poisson_nll_loss")
        wanted = self._coerce(target)
        loss = self.exp() - wanted * self if log_input else self - wanted * (self + eps).log()
        if full:  # Stirling's approximation of log(target!), where it is one
            stirling = wanted * wanted.log() - wanted + 0.5 * (2 * math.pi * wanted).log()
            loss = loss + (wanted > 1)._choose(stirling, 0.0)
        return loss._reduced(reduction)

    # --- sequences without alignment

    def ctc_loss(
        self,
        targets: Operand,
        input_lengths: Operand,
        target_lengths: Operand,
        blank: int = 0,
        reduction: str = "mean",
        zero_infinity: bool = False,
    ) -> Self:
        """Connectionist temporal classification: minus the log-probability of a target over all alignments.

        From log-probabilities (T, N, C), or (T, C) for one sequence; targets are (N, S), or all of them one
        after the other. The forward recursion of Graves et al. (2006), in logarithms."""
        if self.ndim == 2:
            one = self.unsqueeze(1).ctc_loss(
                self._coerce(targets).reshape(1, -1),
                self._coerce(input_lengths).reshape(1),
                self._coerce(target_lengths).reshape(1),
                blank,
                "none",
                zero_infinity,
            )
            length = self._coerce(target_lengths).reshape(1).clamp(min=1)
            return (one / length if reduction == "mean" else one).squeeze(0)
        steps, count, classes = self.shape
        if not 0 <= blank < classes:
            raise ValueError(f"the blank class {blank} is not one of {classes}")
        lengths, ends = self._coerce(target_lengths).long(), self._coerce(input_lengths).long()
        for each in (lengths, ends):
            if each.shape != (count,):
                raise ValueError(f"ctc_loss takes a length for each of {count} sequences, not {each.shape}")
        check_most(ends.node, steps, "input lengths")
        labels = self._label_rows(self._coerce(targets).long(), lengths, count)
        check_most(lengths.node, labels.shape[1], "target lengths")
        check_classes(labels.node, classes)
        paths = self._label_paths(labels, blank)
        score = self._alignments(paths, ends.unsqueeze(1))
        last = (2 * lengths).unsqueeze(1)
        ending = score.gather(1, self.cat([last, (last - 1).clamp(min=0)], 1))
        lone = lengths.eq(0).unsqueeze(1).expand(count, 2) & self._new(build.iota((count, 2), 1)).eq(1)
        loss = -_log_sum(list(lone._choose(-math.inf, ending).unbind(1)))
        if zero_infinity:
            loss = loss.isinf()._choose(0.0, loss)
        return (loss / lengths.clamp(min=1)).mean() if reduction == "mean" else loss._reduced(reduction)

    def _label_rows(self, targets: Self, lengths: Self, count: int) -> Self:
        """Targets as (N, S), whether they come so or one after the other, which waits for their lengths."""
        if targets.ndim == 2:
            return targets
        most = int(lengths.amax()) if count else 0
        start = (lengths.cumsum(0) - lengths).unsqueeze(1)
        place = start + self._new(build.iota((count, most), 1))
        return targets.take(place.clamp(0, max(targets.numel() - 1, 0))) if most else place

    def _label_paths(self, labels: Self, blank: int) -> Self:
        """(N, S) as (N, 2 S + 1): blanks around every label."""
        count, length = labels.shape
        blanks = labels._constant(blank)
        pairs = self.stack([blanks, labels], 2).reshape(count, 2 * length)
        return self.cat([pairs, self._new(build.full(blank, dtypes.int64, (count, 1)))], 1)

    def _alignments(self, paths: Self, ends: Self) -> Self:
        """log-probabilities of all ways to be at each place of the paths (N, P) when the input ends."""
        steps, count, _ = self.shape
        places = paths.shape[1]
        number = self._new(build.iota((count, places), 1))
        emitted = self.gather(2, paths.unsqueeze(0).expand(steps, count, places))
        # a blank between two different labels may be left out
        skips = (number >= 2) & (paths != paths.pad((2, 0)).narrow(1, 0, places)) & (number % 2).eq(1)
        score = (number < 2)._choose(emitted[0], -math.inf)
        for step in range(1, steps):
            one, two = (_later(score, by) for by in (1, 2))
            moved = _log_sum([score, one, skips._choose(two, -math.inf)]) + emitted[step]
            score = (ends > step)._choose(moved, score)
        return score

    # --- tables

    @classmethod
    def embedding_bag(
        cls,
        input: Operand,
        weight: Core,
        offsets: Operand | None = None,
        mode: str = "mean",
        per_sample_weights: Operand | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> Self:
        """Sums, means or maxima of rows of a table: of each row of (N, L) integers, or of the segments of a
        line that begin at `offsets`. Rows numbered `padding_idx` do not count; of none at all it is 0."""
        if mode not in ("sum", "mean", "max"):
            raise ValueError(f"unknown mode {mode!r}: use sum, mean or max")
        if per_sample_weights is not None and mode != "sum":
            raise ValueError(f"per_sample_weights need mode='sum', not {mode!r}")
        table = cls._of(weight.node)
        numbers = input if isinstance(input, cls) else cls(input)
        if (offsets is None) == (numbers.ndim == 1):
            raise ValueError(
                f"embedding_bag takes (N, L) integers, or a line and offsets, not {numbers.shape}"
            )
        counted = numbers._constant(1).bool() if padding_idx is None else numbers.ne(padding_idx)
        rows = table[numbers]
        if per_sample_weights is not None:
            rows = rows * numbers._coerce(per_sample_weights).unsqueeze(-1)
        neutral = -math.inf if mode == "max" else 0.0
        rows = counted.unsqueeze(-1)._choose(rows, neutral)
        bags: tuple[Self, Self]
        if offsets is None:
            bags = rows.amax(1) if mode == "max" else rows.sum(1), counted.sum(1)
        else:
            bounds = numbers._coerce(offsets).long()
            if not include_last_offset:
                end = numbers._new(build.full(numbers.shape[0], dtypes.int64, (1,)))
                bounds = cls.cat([bounds, end])
            verb = "max" if mode == "max" else "sum"
            bags = (
                rows.segment_reduce(verb, offsets=bounds),
                counted.long().segment_reduce("sum", offsets=bounds),
            )
        total, count = bags[0], bags[1].unsqueeze(-1)
        if mode == "mean":
            return total / count.clamp(min=1).cast(total.dtype)
        return count.eq(0)._choose(0.0, total) if mode == "max" else total


def _later(score: L, by: int) -> L:
    """Every place has what was `by` places before it; the first have nothing."""
    return score.pad((by, 0), value=-math.inf).narrow(1, 0, score.shape[1])


def _log_sum(parts: list[L]) -> L:
    """log of a sum of exponentials, which may all be 0; the gradient of such a sum is 0."""
    top = parts[0]
    for part in parts[1:]:
        top = top.maximum(part)
    top = top.isfinite()._choose(top, 0.0).detach()
    total = (parts[0] - top).exp()
    for part in parts[1:]:
        total = total + (part - top).exp()
    some = total > 0
    return some._choose(some._choose(total, 1.0).log() + top, -math.inf)


__all__ = ["Losses"]
