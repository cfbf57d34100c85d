"""An LSTM whose hidden state is projected: beside NumPy's loop and beside torch, with gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade import Tensor, nn

Array = np.ndarray[Any, Any]


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def layer(x: Array, weights: dict[str, Array], suffix: str, h: Array, c: Array) -> tuple[Array, Array, Array]:
    """One layer in one direction: (length, batch, in) to results and the last h and c, gates i, f, g, o."""
    found = {}
    order = range(len(x))
    for t in reversed(order) if suffix.endswith("reverse") else order:
        gates = x[t] @ weights[f"weight_ih_{suffix}"].T + weights[f"bias_ih_{suffix}"]
        gates = gates + h @ weights[f"weight_hh_{suffix}"].T + weights[f"bias_hh_{suffix}"]
        i, f, g, o = np.split(gates, 4, -1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = found[t] = (sigmoid(o) * np.tanh(c)) @ weights[f"weight_hr_{suffix}"].T
    return np.stack([found[t] for t in order]), h, c


def test_a_projected_lstm_is_the_loop() -> None:
    rng = np.random.default_rng(0)
    made = nn.LSTM(3, 5, 2, bidirectional=True, proj_size=2, dtype="float64")
    weights = {name: rng.standard_normal(t.shape) for name, t in made.state_dict().items()}
    made.load_state_dict({name: Tensor(value) for name, value in weights.items()})
    x, h, c = (rng.standard_normal(shape) for shape in ((2, 2, 3), (4, 2, 2), (4, 2, 5)))

    def loop(x: Array) -> tuple[Array, list[Array], list[Array]]:
        ends: list[tuple[Array, Array]] = []
        for number in range(2):
            both = []
            for suffix in (f"l{number}", f"l{number}_reverse"):
                results, *end = layer(x, weights, suffix, h[len(ends)], c[len(ends)])
                both.append(results)
                ends.append((end[0], end[1]))
            x = np.concatenate(both, -1)
        return x, [end[0] for end in ends], [end[1] for end in ends]

    given = Tensor(x, requires_grad=True)
    results, ends = made(given, (Tensor(h), Tensor(c)))
    results.sum().backward()
    expected, *wanted = loop(x)
    for found, value in zip((results, *ends), (expected, *wanted), strict=True):
        np.testing.assert_allclose(found.detach().numpy(), value, rtol=1e-6, atol=1e-8)
    step = np.zeros_like(x)
    step[1, 0, 2] = 1e-5
    slope = (loop(x + step)[0].sum() - loop(x - step)[0].sum()) / 2e-5
    np.testing.assert_allclose(given.grad.numpy()[1, 0, 2], slope, rtol=1e-5)
    projection = made.weight_hr_l1.grad
    assert projection is not None
    weights["weight_hr_l1"][1, 3] += 1e-5
    more = loop(x)[0].sum()
    weights["weight_hr_l1"][1, 3] -= 2e-5
    np.testing.assert_allclose(projection.numpy()[1, 3], (more - loop(x)[0].sum()) / 2e-5, rtol=1e-5)


def test_sizes_of_projections() -> None:
    made = nn.LSTM(3, 5, proj_size=2)
    assert {name: t.shape for name, t in made.state_dict().items()} == {
        "weight_ih_l0": (20, 3),
        "weight_hh_l0": (20, 2),
        "bias_ih_l0": (20,),
        "bias_hh_l0": (20,),
        "weight_hr_l0": (2, 5),
    }
    results, (h, c) = made(Tensor.zeros(4, 3))
    assert (results.shape, h.shape, c.shape) == ((4, 2), (1, 2), (1, 5))
    with pytest.raises(ValueError, match="proj_size=5 has to be smaller than hidden_size=5"):
        nn.LSTM(3, 5, proj_size=5)
    with pytest.raises(ValueError, match=r"state has shape \(1, 2, 5\) instead of \(1, 2, 2\)"):
        made(Tensor.zeros(4, 2, 3), (Tensor.zeros(1, 2, 5), Tensor.zeros(1, 2, 5)))


@pytest.mark.parametrize(
    "options",
    [
        {},
        pytest.param({"num_layers": 2, "bidirectional": True, "batch_first": True}, marks=pytest.mark.slow),
        pytest.param({"num_layers": 3, "bias": False}, marks=pytest.mark.slow),
    ],
)
def test_projections_like_torch(options: dict[str, Any]) -> None:
    torch = pytest.importorskip("torch")
    theirs = torch.nn.LSTM(3, 5, proj_size=2, **options)
    ours = nn.LSTM(3, 5, proj_size=2, **options)
    assert list(ours.state_dict()) == list(theirs.state_dict())
    ours.load_state_dict({name: Tensor(t.numpy()) for name, t in theirs.state_dict().items()})
    x = np.random.default_rng(0).standard_normal((4, 2, 3)).astype(np.float32)
    mine, its = Tensor(x, requires_grad=True), torch.tensor(x, requires_grad=True)
    (results, ends), (expected, wanted) = ours(mine), theirs(its)
    for found, value in zip((results, *ends), (expected, *wanted), strict=True):
        np.testing.assert_allclose(found.detach().numpy(), value.detach().numpy(), rtol=1e-4, atol=1e-6)
    ((results**2).sum() + ends[1].sum()).backward()
    ((expected**2).sum() + wanted[1].sum()).backward()
    np.testing.assert_allclose(mine.grad.numpy(), its.grad.numpy(), rtol=1e-4, atol=1e-6)
    for name, parameter in theirs.named_parameters():
        found = dict(ours.named_parameters())[name].grad
        assert found is not None
        np.testing.assert_allclose(found.numpy(), parameter.grad.numpy(), rtol=1e-4, atol=1e-5, err_msg=name)
