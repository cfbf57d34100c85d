"""Randomness inside models: what is kept, what stays on average, and the laws of the distributions."""

from __future__ import annotations

import math

import numpy as np
import pytest

from saccade import Key, Tensor, grad, jit


@pytest.mark.parametrize("dims", [2, *[pytest.param(d, marks=pytest.mark.slow) for d in (1, 3)]])
def test_whole_channels_are_dropped(dims: int) -> None:
    x = Tensor.ones(20, 30, *(2,) * dims)
    made = getattr(x, f"dropout{dims}d")(0.25, key=Key(1)).numpy().reshape(20, 30, -1)
    assert (made == made[..., :1]).all()
    assert set(np.unique(made)) == {np.float32(0), np.float32(1 / 0.75)}
    assert (made == 0).mean() == pytest.approx(0.25, abs=0.06)
    assert getattr(x, f"dropout{dims}d")(0.25, training=False) is x
    with pytest.raises(ValueError, match=f"dropout{dims}d takes"):
        getattr(Tensor.ones(2), f"dropout{dims}d")()


@pytest.mark.parametrize("p", [0.2, 0.5])
def test_alpha_dropout_keeps_mean_and_variance(p: float) -> None:
    x = Tensor.randn(100_000, key=Key(3))
    for made in (x.alpha_dropout(p, True, key=Key(4)), x.reshape(-1, 1, 1).feature_alpha_dropout(p, True)):
        assert made.mean().item() == pytest.approx(0, abs=0.02)
        assert made.std().item() == pytest.approx(1, abs=0.02)
    assert x.alpha_dropout(p) is x


def test_random_slopes() -> None:
    x = Tensor.ones(10_000) * -1
    drawn = x.rrelu(0.1, 0.3, True, key=Key(0)).numpy()
    assert -0.3 <= drawn.min() <= drawn.max() <= -0.1
    assert drawn.mean() == pytest.approx(-0.2, abs=0.002)
    assert x.rrelu(0.1, 0.3)[0].item() == pytest.approx(-0.2)


def test_a_soft_choice_has_the_probabilities_of_its_logits() -> None:
    logits = Tensor(np.log(np.tile([0.2, 0.5, 0.3], (20_000, 1))).astype(np.float32))
    hard = logits.gumbel_softmax(hard=True, key=Key(5)).numpy()
    assert np.allclose(hard.sum(1), 1)
    assert np.allclose(np.sort(hard, 1)[:, :2], 0, atol=1e-6)
    assert hard.mean(0) == pytest.approx([0.2, 0.5, 0.3], abs=0.015)
    soft = logits.gumbel_softmax(0.5, key=Key(5))
    assert np.array_equal(soft.argmax(1).numpy(), hard.argmax(1))
    slopes = [
        grad(lambda x, hard=hard: (x.gumbel_softmax(hard=hard, key=Key(6)) * Tensor([1.0, 2.0, 3.0])).sum())(
            logits[:4]
        ).numpy()
        for hard in (True, False)
    ]
    np.testing.assert_allclose(slopes[0], slopes[1], atol=1e-6)


@pytest.mark.parametrize("mean", [0.0, 0.3, 4.0, 9.99, 10.0, 25.0, 1000.0])
def test_counts_have_their_distribution(mean: float) -> None:
    n = 20_000
    drawn = Tensor(np.full(n, mean)).poisson(key=Key(11)).numpy()
    assert (drawn == np.floor(drawn)).all()
    assert drawn.mean() == pytest.approx(mean, abs=4 * math.sqrt(max(mean, 1e-9) / n))
    assert drawn.var() == pytest.approx(mean, rel=0.06, abs=1e-9)
    if 0 < mean < 100:  # each count as often as its probability says
        counts = np.arange(int(mean + 6 * math.sqrt(mean)) + 2)
        logs = counts * math.log(mean) - mean - np.array([math.lgamma(k + 1) for k in counts])
        expected = n * np.exp(logs)
        seen = np.bincount(drawn.astype(int), minlength=len(counts))[: len(counts)]
        enough = expected > 20
        chi = ((seen - expected)[enough] ** 2 / expected[enough]).sum()
        assert chi < enough.sum() + 5 * math.sqrt(2 * enough.sum())


def test_counts_of_no_mean() -> None:
    drawn = Tensor([[-1.0, float("nan")], [0.0, 3.0]]).poisson().numpy()
    assert np.isnan(drawn[0]).all()
    assert drawn[1, 0] == 0


def test_keys_decide_inside_jit_too() -> None:
    x = Tensor(np.linspace(0, 30, 50).astype(np.float32))
    drawn = jit(lambda x: x.poisson(key=Key(2)))(x).numpy()
    assert np.array_equal(drawn, x.poisson(key=Key(2)).numpy())
    assert not np.array_equal(x.poisson().numpy(), x.poisson().numpy())


def test_integers_of_a_shape() -> None:
    x = Tensor.zeros(1000, dtype="int32")
    drawn = x.randint_like(3, 6, key=Key(1))
    assert drawn.dtype.name == "int32"
    assert set(drawn.tolist()) == {3, 4, 5}
    assert set(x.randint_like(2).tolist()) == {0, 1}
