"""Losses and bags of rows: values worked out by hand, and torch's where it is installed."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, grad

from .compare import same, value

rng = np.random.default_rng(7)
Array = np.ndarray[Any, Any]
Program = Callable[..., Any]
#: every program is compiled, so the default run has one of each kind
REDUCTIONS = ["mean", *[pytest.param(name, marks=pytest.mark.slow) for name in ("sum", "none")]]


def normal(*shape: int) -> Array:
    return rng.standard_normal(shape).astype(np.float32)


def signs(*shape: int) -> Array:
    return rng.choice([-1.0, 1.0], shape).astype(np.float32)


def against_torch(program: Program, *arrays: Array, **tolerance: Any) -> None:
    """The same program of `torch.nn.functional` and of our methods, with the gradient of its sum."""
    torch = pytest.importorskip("torch")
    F = torch.nn.functional

    class Ours:
        """Functions of torch as our methods."""

        def __getattr__(self, name: str) -> Program:
            return getattr(Tensor, name)  # type: ignore[no-any-return]

    theirs_in = [torch.tensor(a, requires_grad=a.dtype.kind == "f") for a in arrays]
    theirs = program(F, *theirs_in)
    same(value(program(Ours(), *map(Tensor, arrays))), value(theirs.detach()), **tolerance)
    theirs.sum().backward()
    places = tuple(n for n, a in enumerate(arrays) if a.dtype.kind == "f")
    slopes = grad(lambda *given: program(Ours(), *given).sum(), places)(*map(Tensor, arrays))
    for slope, place in zip(slopes, places, strict=True):
        expected = theirs_in[place].grad
        expected = np.zeros_like(arrays[place]) if expected is None else expected.numpy()
        np.testing.assert_allclose(slope.numpy(), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_margins(reduction: str) -> None:
    x, y = normal(6, 4), normal(6, 4)
    against_torch(
        lambda F, a, b, t: F.margin_ranking_loss(a, b, t, 0.3, reduction=reduction), x, y, signs(6, 4)
    )
    against_torch(lambda F, a, t: F.hinge_embedding_loss(a, t, 0.5, reduction=reduction), x, signs(6, 4))
    against_torch(lambda F, a, t: F.soft_margin_loss(a, t.detach(), reduction=reduction), x, signs(6, 4))
    against_torch(
        lambda F, a, b, t: F.cosine_embedding_loss(a, b, t, 0.1, reduction=reduction), x, y, signs(6)
    )
    against_torch(
        lambda F, a, b, c: F.triplet_margin_loss(a, b, c, 0.5, swap=True, reduction=reduction),
        x,
        y,
        normal(6, 4),
    )
    against_torch(lambda F, a, b, c: F.triplet_margin_loss(a, b, c, p=1.0), x, y, normal(6, 4))


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_margins_between_classes(reduction: str) -> None:
    x, t = normal(6, 4), rng.integers(0, 4, 6)
    for p in (1, 2):
        against_torch(lambda F, a, t, p=p: F.multi_margin_loss(a, t, p, 0.7, reduction=reduction), x, t)
    against_torch(
        lambda F, a, t, w: F.multi_margin_loss(a, t, weight=w.detach()), x, t, np.ones(4, np.float32)
    )
    many = np.array([[0, 2, -1, 1], [3, -1, -1, -1], [-1, 0, 1, 2], [0, 1, 2, 3]])
    against_torch(lambda F, a, t: F.multilabel_margin_loss(a, t, reduction=reduction), normal(4, 4), many)
    there = (rng.random((6, 4)) > 0.5).astype(np.float32)
    against_torch(lambda F, a, t: F.multilabel_soft_margin_loss(a, t.detach(), reduction=reduction), x, there)


@pytest.mark.parametrize("full", [pytest.param(False, marks=pytest.mark.slow), True])
def test_likelihoods(full: bool) -> None:
    x, t, var = normal(5, 3), normal(5, 3), (rng.random((5, 3)) + 0.1).astype(np.float32)
    against_torch(lambda F, a, t, v: F.gaussian_nll_loss(a, t, v, full), x, t, var)
    against_torch(lambda F, a, t, v: F.gaussian_nll_loss(a, t, v, full), x, t, var[:, :1] * 0)
    counts = rng.integers(0, 9, (5, 3)).astype(np.float32)
    against_torch(lambda F, a, t: F.poisson_nll_loss(a, t.detach(), full=full), x, counts)
    against_torch(lambda F, a, t: F.poisson_nll_loss(a, t.detach(), False, full), var, counts)


def test_a_margin_by_hand() -> None:
    x, y, t = Tensor([0.5, 1.0]), Tensor([0.2, 2.0]), Tensor([1.0, 1.0])
    assert x.margin_ranking_loss(y, t, 0.5).item() == pytest.approx((0.2 + 1.5) / 2)
    assert x.hinge_embedding_loss(Tensor([1.0, -1.0]), 1.5).item() == pytest.approx((0.5 + 0.5) / 2)
    assert Tensor([[0.0, 1.0]]).multi_margin_loss(Tensor([0])).item() == 1.0
    assert Tensor([1.0]).poisson_nll_loss(Tensor([2.0]), log_input=False, eps=0.0).item() == pytest.approx(
        1.0
    )


# --- sequences


def by_all_paths(logs: Array, labels: list[int], blank: int = 0) -> float:
    """ctc_loss by its definition: all sequences of classes that collapse to the labels."""
    total = 0.0
    for path in product(range(logs.shape[1]), repeat=len(logs)):
        kept = [c for n, c in enumerate(path) if c != blank and (n == 0 or path[n - 1] != c)]
        if kept == labels:
            total += float(np.exp(sum(logs[n, c] for n, c in enumerate(path))))
    return -np.log(total) if total else np.inf


@pytest.mark.parametrize(
    "labels", [[2, 2], [], *[pytest.param(x, marks=pytest.mark.slow) for x in ([1], [1, 2, 1], [1, 1, 1, 1])]]
)
def test_ctc_is_the_sum_over_all_alignments(labels: list[int]) -> None:
    logs = Tensor(normal(5, 3)).log_softmax(-1).numpy()
    targets = Tensor(np.array([labels + [1] * (4 - len(labels))]))  # what is behind the length does not count
    loss = Tensor(logs.reshape(5, 1, 3)).ctc_loss(targets, [5], [len(labels)], reduction="none")
    assert loss.tolist() == pytest.approx([by_all_paths(logs, labels)], rel=1e-5)


@pytest.mark.parametrize("reduction", REDUCTIONS[::2])
def test_ctc_like_torch(reduction: str) -> None:
    logs = normal(6, 3, 5)
    targets, lengths, given = rng.integers(1, 5, (3, 3)), np.array([6, 4, 5]), np.array([3, 2, 1])

    def rows(F: Any, x: Any, t: Any, a: Any, b: Any) -> Any:
        return F.ctc_loss(F.log_softmax(x, -1), t, a, b, reduction=reduction)

    against_torch(rows, logs, targets, lengths, given)
    flat = np.concatenate([row[:n] for row, n in zip(targets, given, strict=True)])
    against_torch(rows, logs, flat, lengths, given)


def test_ctc_that_is_impossible() -> None:
    logs = Tensor(normal(2, 1, 3)).log_softmax(-1)
    assert logs.ctc_loss(Tensor([[1, 1]]), [2], [2], reduction="none").tolist() == [np.inf]
    assert logs.ctc_loss(Tensor([[1, 1]]), [2], [2], zero_infinity=True).item() == 0
    slope = grad(lambda x: x.ctc_loss(Tensor([[1, 1]]), [2], [2], zero_infinity=True))(logs)
    assert not np.isnan(slope.numpy()).any()


@pytest.mark.host_memory
def test_ctc_of_a_class_that_is_not_there() -> None:
    logs = Tensor(normal(2, 1, 3)).log_softmax(-1)
    with pytest.raises(ValueError, match="class 7 is not one of 3"):
        logs.ctc_loss(Tensor([[7]]), [2], [1])


# --- bags


@pytest.mark.parametrize("mode", ["mean", *[pytest.param(m, marks=pytest.mark.slow) for m in ("sum", "max")]])
def test_bags_of_rows(mode: str) -> None:
    table, numbers = normal(7, 3), rng.integers(0, 7, (4, 5))
    reduce = {"sum": np.sum, "mean": np.mean, "max": np.max}[mode]
    made = Tensor.embedding_bag(Tensor(numbers), Tensor(table), mode=mode)
    np.testing.assert_allclose(made.numpy(), reduce(table[numbers], axis=1), rtol=1e-5, atol=1e-6)
    against_torch(lambda F, w, i: F.embedding_bag(i, w, mode=mode), table, numbers)
    line, offsets = rng.integers(0, 7, 9), np.array([0, 4, 4, 6])
    against_torch(lambda F, w, i, o: F.embedding_bag(i, w, offsets=o, mode=mode), table, line, offsets)
    against_torch(
        lambda F, w, i, o: F.embedding_bag(i, w, offsets=o, mode=mode, padding_idx=int(line[0])),
        table,
        line,
        offsets,
    )


def test_bags_with_weights() -> None:
    table, numbers, share = normal(7, 3), rng.integers(0, 7, (4, 5)), normal(4, 5)
    against_torch(
        lambda F, w, i, s: F.embedding_bag(i, w, mode="sum", per_sample_weights=s), table, numbers, share
    )
    with pytest.raises(ValueError, match="mode='sum'"):
        Tensor.embedding_bag(Tensor(numbers), Tensor(table), per_sample_weights=Tensor(share))


# --- what does not fit


@pytest.mark.parametrize(
    ("program", "match"),
    [
        (lambda x: x.sigmoid().binary_cross_entropy(Tensor([1.0])), r"targets of shape \(1,\) do not fit"),
        (lambda x: x.binary_cross_entropy_with_logits(Tensor([1.0])), r"targets of shape \(1,\) do not fit"),
        (lambda x: x.cross_entropy(Tensor([0, 1]), weight=Tensor([1.0])), "one for each of 3 classes"),
        (lambda x: x.cross_entropy(x.exp(), weight=Tensor([1.0])), "one for each of 3 classes"),
        (lambda x: x.multi_margin_loss(Tensor([0, 1]), weight=Tensor([1.0])), "one for each of 3 classes"),
        (lambda x: x.cross_entropy(Tensor([0, 1]), label_smoothing=2.0), "between 0 and 1, not 2"),
        (lambda x: x.huber_loss(x, delta=0), "a delta above 0"),
        (lambda x: x.smooth_l1_loss(x, beta=-1), "a beta of at least 0"),
        (lambda x: x[:, None].ctc_loss(Tensor([[1]]), [3], [1]), "input lengths lie between 0 and 2, not 3"),
        (lambda x: x[:, None].ctc_loss(Tensor([[1]]), [2], [2]), "target lengths lie between 0 and 1, not 2"),
        (lambda x: x[:, None].ctc_loss(Tensor([[1]]), [2, 2], [1]), "a length for each of 1 sequences"),
    ],
)
def test_wrong_targets_and_options(program: Program, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        program(Tensor(normal(2, 3)))


@pytest.mark.parametrize("name", ["mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"])
def test_a_broadcast_target_is_told(name: str) -> None:
    column, row = Tensor(normal(3, 1)), Tensor(normal(3))
    with pytest.warns(UserWarning, match=r"a target of shape \(3,\) is broadcast to predictions of shape"):
        getattr(column, name)(row)
