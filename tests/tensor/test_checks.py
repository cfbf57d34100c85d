"""Classes out of range and weights nobody can draw from: an error where they can be seen, NaN where not."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor, jit


@pytest.mark.host_memory
@pytest.mark.parametrize("wrong", [5, -1, 3])
def test_classes_out_of_range_are_refused(wrong: int) -> None:
    with pytest.raises(ValueError, match=f"class {wrong} is not one of 3"):
        Tensor([0, wrong]).one_hot(3)
    logits = Tensor([[0.0, 1.0, 2.0], [1.0, 0.0, 0.0]])
    with pytest.raises(ValueError, match=f"class {wrong} is not one of 3"):
        logits.cross_entropy(Tensor([0, wrong]))
    with pytest.raises(ValueError, match=f"class {wrong} is not one of 3"):
        logits.nll_loss([0, wrong])


def test_the_ignored_class_may_be_any_number() -> None:
    logits = Tensor([[0.0, 1.0], [1.0, 0.0]])
    alone = logits[1:].cross_entropy(Tensor([1])).item()
    assert logits.cross_entropy(Tensor([-100, 1])).item() == pytest.approx(alone)
    assert logits.cross_entropy(Tensor([7, 1]), ignore_index=7).item() == pytest.approx(alone)


def test_what_cannot_be_looked_at_gives_nan_or_zeros() -> None:
    logits = Tensor([[0.0, 1.0], [1.0, 0.0]])
    targets = Tensor([0, 5])
    assert np.isnan(jit(lambda x, t: x.cross_entropy(t))(logits, targets).item())
    losses = jit(lambda x, t: x.cross_entropy(t, reduction="none"))(logits, targets).numpy()
    assert losses[0] == pytest.approx(np.log(1 + np.e))
    assert np.isnan(losses[1])
    assert jit(lambda t: t.one_hot(2))(targets).tolist() == [[1, 0], [0, 0]]


@pytest.mark.parametrize("weights", [[0.0, 1.0, 0.0, 1.0], [[1.0, 1.0, 1.0, 1.0], [0.0, 1.0, 0.0, 0.0]]])
def test_more_draws_than_weights_above_zero_are_refused(weights: list[float]) -> None:
    with pytest.raises(ValueError, match=r"cannot draw 3 without replacement: [12] of 4 weights are above 0"):
        Tensor(weights).multinomial(3)


@pytest.mark.parametrize("wrong", [-1.0, float("nan"), float("inf")])
def test_weights_that_are_none_are_refused(wrong: float) -> None:
    with pytest.raises(ValueError, match="finite and at least 0"):
        Tensor([1.0, wrong]).multinomial(1)
    with pytest.raises(ValueError, match="0 of 2 weights are above 0"):
        Tensor([0.0, 0.0]).multinomial(1, replacement=True)


def test_draws_take_what_has_weight() -> None:
    drawn = Tensor([0.0, 1.0, 0.0, 1.0]).multinomial(2).tolist()
    assert sorted(drawn) == [1, 3]
    many = Tensor([[0.0, 2.0, 0.0, 1.0]]).multinomial(200, replacement=True).numpy()
    assert set(many.ravel()) == {1, 3}
