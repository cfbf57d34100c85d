"""Optimisers against torch, and by hand; clipping, means, scaling."""

from __future__ import annotations

import gc
import math
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, jit, nn, no_grad
from saccade.nn import optim
from saccade.nn.optim.optimizer import _replays
from saccade.tensor.jit.trace import TraceError, buffer_of

START = [np.linspace(-1, 1, 6).reshape(2, 3).astype(np.float32), np.array([0.5, -0.5], np.float32)]


def loss_of(first: Any, second: Any) -> Any:
    return (first * first * first).sum() + ((first[:, 0] - second) ** 2).sum() * 2


def ours(
    make: Callable[..., Any], steps: int, traced: bool = False, **options: Any
) -> list[np.ndarray[Any, Any]]:
    params = [Tensor(x, requires_grad=True) for x in START]
    optimizer = make(params, **options)

    def step(params: list[Tensor], optimizer: optim.Optimizer) -> None:
        loss_of(*params).backward()
        optimizer.step()
        optimizer.zero_grad()

    run = jit(step) if traced else step
    for _ in range(steps):
        run(params, optimizer)
    assert optimizer.steps.item() == steps
    return [param.numpy() for param in params]


CASES: list[tuple[str, dict[str, Any]]] = [
    ("SGD", {"lr": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.01}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.5}),
    ("Adam", {"lr": 0.1}),
    ("Adam", {"lr": 0.1, "weight_decay": 0.1, "amsgrad": True}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "maximize": True}),
    ("AdamW", {"lr": 0.1, "maximize": True}),
    ("AdamW", {"lr": 0.1, "betas": (0.5, 0.6)}),
    ("NAdam", {"lr": 0.1}),
    ("ASGD", {"lr": 0.1, "t0": 2.0, "lambd": 0.1}),
    ("Rprop", {"lr": 0.1}),
    ("Adafactor", {"lr": 0.5}),
]
SLOW_CASES: list[tuple[str, dict[str, Any]]] = [
    ("RMSprop", {"lr": 0.1, "weight_decay": 0.01}),
    ("RMSprop", {"lr": 0.1, "momentum": 0.9, "centered": True}),
    ("Adagrad", {"lr": 0.1, "lr_decay": 0.1, "initial_accumulator_value": 0.2}),
    ("Adadelta", {"lr": 0.5, "weight_decay": 0.01}),
    ("Adamax", {"lr": 0.1}),
    ("RAdam", {"lr": 0.1, "betas": (0.9, 0.5)}),
    ("RAdam", {"lr": 0.1}),
    ("NAdam", {"lr": 0.1, "weight_decay": 0.1, "momentum_decay": 0.5}),
    ("NAdam", {"lr": 0.1, "weight_decay": 0.1, "decoupled_weight_decay": True}),
    ("ASGD", {"lr": 0.05, "weight_decay": 0.1, "alpha": 0.5}),
    ("Rprop", {"lr": 0.3, "etas": (0.3, 1.5), "step_sizes": (0.01, 0.5)}),
    ("Adafactor", {"lr": 0.9, "beta2_decay": -0.5, "eps": (0.1, 0.7), "d": 1.5, "weight_decay": 0.1}),
]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        pytest.param(*case, id=f"{case[0]}-{number}", marks=() if case in CASES else pytest.mark.slow)
        for number, case in enumerate([*CASES, *SLOW_CASES])
    ],
)
def test_like_torch(name: str, options: dict[str, Any]) -> None:
    torch = pytest.importorskip("torch")
    params = [torch.tensor(x, requires_grad=True) for x in START]
    theirs = getattr(torch.optim, name)(params, **options)
    for _ in range(5):
        theirs.zero_grad()
        loss_of(*params).backward()
        theirs.step()
    for found, wanted in zip(ours(getattr(optim, name), 5, **options), params, strict=True):
        np.testing.assert_allclose(found, wanted.detach().numpy(), rtol=2e-5, atol=2e-6)


def test_adam_by_hand_and_traced() -> None:
    """Without torch: the formula in float64."""
    params = [x.astype(np.float64) for x in START]
    means = [np.zeros_like(x) for x in params]
    squares = [np.zeros_like(x) for x in params]
    for step in range(1, 6):
        a, b = params
        pull = 4 * (a[:, 0] - b)
        grads = [3 * a * a + np.pad(pull[:, None], ((0, 0), (0, 2))), -pull]
        for n, grad in enumerate(grads):
            means[n] = 0.9 * means[n] + 0.1 * grad
            squares[n] = 0.999 * squares[n] + 0.001 * grad**2
            mean, square = means[n] / (1 - 0.9**step), squares[n] / (1 - 0.999**step)
            params[n] = params[n] * (1 - 0.1 * 0.01) - 0.1 * mean / (np.sqrt(square) + 1e-8)
    for traced in (False, True):
        for found, wanted in zip(ours(optim.AdamW, 5, traced, lr=0.1), params, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=2e-5, atol=2e-6)


def test_lamb_by_hand() -> None:
    x = START[0].astype(np.float64)
    param = Tensor(START[0], requires_grad=True)
    (param**2).sum().backward()
    optim.LAMB([param], lr=0.1, weight_decay=0.5).step()
    direction = 2 * x / (np.abs(2 * x) + 1e-6) + 0.5 * x
    wanted = x - 0.1 * np.linalg.norm(x) / np.linalg.norm(direction) * direction
    np.testing.assert_allclose(param.numpy(), wanted, rtol=1e-5)


def test_state_stays_where_it_is() -> None:
    param = Tensor(START[0], requires_grad=True)
    optimizer = optim.Adam([param])
    tensors = [param, *optimizer.state[0].values(), optimizer.steps]
    places = [buffer_of(tensor.node).address for tensor in tensors]
    for _ in range(3):
        optimizer.zero_grad()
        (param * param).sum().backward()
        optimizer.step()
    assert [buffer_of(tensor.node).address for tensor in tensors] == places


def test_groups_and_what_is_refused() -> None:
    a, b = (Tensor(x, requires_grad=True) for x in START)
    optimizer = optim.SGD([{"params": [a], "lr": 1.0}, {"params": [b]}], lr=0.1)
    (a.sum() + b.sum()).backward()
    optimizer.step()
    np.testing.assert_allclose(a.numpy(), START[0] - 1.0)
    np.testing.assert_allclose(b.numpy(), START[1] - 0.1)
    with pytest.raises(ValueError, match="twice"):
        optimizer.add_param_group({"params": [a]})
    with pytest.raises(TypeError, match="speed"):
        optim.SGD([{"params": [a], "speed": 1.0}])
    with pytest.raises(ValueError, match="no parameters"):
        optim.SGD([])
    with pytest.raises(TypeError, match="requires_grad"):
        optim.SGD([Tensor([1.0])])
    with pytest.raises(ValueError, match="betas"):
        optim.Adam([a], betas=(1.0, 0.9))
    with pytest.raises(ValueError, match="lr=-1"):
        optim.Adam([a], lr=-1)


def test_a_momentum_that_is_set_later() -> None:
    param = Tensor(START[0], requires_grad=True)
    optimizer = optim.SGD([param], lr=1.0)
    optimizer.param_groups[0]["momentum"] = 0.5
    param.sum().backward()
    with pytest.raises(ValueError, match=r"complete_state\(\) first"):
        optimizer.step()
    optimizer.complete_state()
    for _ in range(2):
        optimizer.step()
    np.testing.assert_allclose(param.numpy(), START[0] - 1 - 1.5, rtol=1e-6)


def test_parameters_without_a_gradient_stay() -> None:
    a, b = (Tensor(x, requires_grad=True) for x in START)
    optimizer = optim.Adam([a, b])
    a.sum().backward()
    optimizer.step()
    assert b.tolist() == START[1].tolist()
    assert (a.numpy() != START[0]).all()


def test_saved_state() -> None:
    def trained(steps: int, optimizer: optim.Optimizer, param: Tensor) -> None:
        for _ in range(steps):
            optimizer.zero_grad()
            (param * param).sum().backward()
            optimizer.step()

    whole = Tensor(START[0], requires_grad=True)
    trained(5, optim.Adam([whole], lr=0.1), whole)
    first = Tensor(START[0], requires_grad=True)
    before = optim.Adam([first], lr=0.1)
    trained(3, before, first)
    second = Tensor(first.numpy().copy(), requires_grad=True)
    after = optim.Adam([second], lr=0.5)
    after.load_state_dict(before.state_dict())
    trained(2, after, second)
    assert second.tolist() == whole.tolist()
    with pytest.raises(ValueError, match=r"0\.exp_avg is missing"):
        after.load_state_dict({"state": {"steps": Tensor(1.0)}, "param_groups": []})


# --- rates


def test_a_model_that_is_captured_beside_its_optimizer() -> None:
    """What is one tensor outside is one inside; a gradient that was there, or stays, is refused and kept."""
    model = nn.Linear(2, 1)
    optimizer = optim.SGD(model.parameters(), lr=0.5)
    x = Tensor([[1.0, 2.0]])

    @jit
    def step(optimizer: optim.SGD, x: Tensor) -> None:
        model(x).sum().backward()
        optimizer.step()
        optimizer.zero_grad()

    before = model.weight.numpy().copy()
    for _ in range(3):
        step(optimizer, x)
    np.testing.assert_allclose(model.weight.numpy(), before - 1.5 * np.array([[1.0, 2.0]]), rtol=1e-6)
    assert step.traces == 1
    model.weight.grad = Tensor([[7.0, 7.0]])
    given = model.weight.grad
    with pytest.raises(TraceError, match="pass the model"):
        step(optimizer, x)
    assert model.weight.grad is given


def test_a_rate_that_changes_is_seen_by_jit() -> None:
    param = Tensor([0.0], requires_grad=True)
    optimizer = optim.SGD([param], lr=1.0)
    schedule = optim.ExponentialLR(optimizer, 0.5)

    @jit
    def step(param: Tensor, optimizer: optim.SGD) -> None:
        param.sum().backward()
        optimizer.step()
        optimizer.zero_grad()

    for _ in range(6):
        step(param, optimizer)
        schedule.step()
    assert param.item() == -(2 - 0.5**5)
    assert step.traces <= 3
    again = optim.ExponentialLR(optim.SGD([param], lr=1.0), 0.5)
    again.load_state_dict(schedule.state_dict())
    assert again.get_last_lr() == schedule.get_last_lr()


def test_a_rate_changes_beside_a_loss_with_nan_in_it() -> None:
    """Cross entropy gives NaN for classes that are none: a constant that is equal to itself, too."""
    model = nn.Linear(2, 3)
    optimizer = optim.SGD(model.parameters(), lr=1.0)
    schedule = optim.ExponentialLR(optimizer, 0.5)

    @jit
    def step(model: nn.Linear, optimizer: optim.SGD, x: Tensor, y: Tensor) -> Tensor:
        loss = model(x).cross_entropy(y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return loss

    for _ in range(6):
        step(model, optimizer, Tensor([[1.0, 2.0]]), Tensor([1]))
        schedule.step()
    assert step.traces <= 3


# --- around a step


def test_clipping() -> None:
    a, b = (Tensor(x, requires_grad=True) for x in START)
    (a * 3 + 0).sum().backward()
    (b * 4).sum().backward()
    norm = optim.clip_grad_norm_([a, b], 1.0)
    wanted = math.sqrt(6 * 9 + 2 * 16)
    assert math.isclose(norm.item(), wanted, rel_tol=1e-5)
    np.testing.assert_allclose(a.grad.numpy(), 3 / wanted, rtol=1e-5)
    assert optim.clip_grad_norm_([a, b], 10.0, math.inf).item() == pytest.approx(4 / wanted)
    np.testing.assert_allclose(a.grad.numpy(), 3 / wanted, rtol=1e-5)
    optim.clip_grad_value_([a, b], 0.1)
    assert (a.grad.numpy() == np.float32(0.1)).all()
    a.grad = a.grad * math.inf
    with pytest.raises(RuntimeError, match="norm of the gradients"):
        optim.clip_grad_norm_([a], 1.0, error_if_nonfinite=True)


def test_clipping_by_the_norm_of_others_too() -> None:
    """In two parts, each scaled by the norm of all."""
    params = [Tensor(x, requires_grad=True) for x in START]
    for param in params:
        (param * 3).sum().backward()
    total = optim.get_total_norm([param.grad for param in params])
    for param in params:
        nn.utils.clip_grads_with_norm_(param, 1.0, total)
    np.testing.assert_allclose(params[0].grad.numpy(), 3 / math.sqrt(8 * 9), rtol=1e-5)
    nn.utils.clip_grads_with_norm_(params, 5.0, optim.get_total_norm([param.grad for param in params]))
    np.testing.assert_allclose(params[1].grad.numpy(), 3 / math.sqrt(8 * 9), rtol=1e-5)


def test_running_means() -> None:
    param = Tensor([1.0], requires_grad=True)
    mean = optim.EMA([param], 0.5)
    with no_grad():
        param.fill_(3.0)
    mean.update()
    with mean.applied():
        assert param.tolist() == [2.0]
    assert (param.tolist(), param.requires_grad) == ([3.0], True)
    mean.copy_to()
    assert param.tolist() == [2.0]


@pytest.mark.parametrize("traced", [False, True])
def test_a_scaled_loss(traced: bool) -> None:
    """A gradient that is not finite changes nothing but the scale."""
    param = Tensor([1.0, 2.0], requires_grad=True)
    optimizer = optim.Adam([param], lr=0.1)
    scaler = optim.GradScaler(init_scale=8.0, growth_interval=2)

    def step(param: Tensor, optimizer: optim.Adam, scaler: optim.GradScaler, x: Tensor) -> None:
        scaler.scale((param * x).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()

    run = jit(step) if traced else step
    good, bad = Tensor([1.0, 1.0]), Tensor([1.0, math.inf])
    run(param, optimizer, scaler, bad)
    assert (param.tolist(), scaler.get_scale(), optimizer.steps.item()) == ([1.0, 2.0], 4.0, 0.0)
    run(param, optimizer, scaler, good)
    assert scaler.get_scale() == 4.0
    run(param, optimizer, scaler, good)
    assert (scaler.get_scale(), optimizer.steps.item()) == (8.0, 2.0)
    np.testing.assert_allclose(param.numpy(), [0.8, 1.8], rtol=1e-5)


def test_a_loss_that_is_returned_beside_the_scaled_one() -> None:
    """`backward` of the scaled loss lets the graph of both go: the function is replayed, rates change."""
    model = nn.Linear(2, 3)
    optimizer, scaler = optim.SGD(model.parameters(), lr=1.0), optim.GradScaler()
    schedule = optim.ExponentialLR(optimizer, 0.5)

    @jit
    def step(model: nn.Linear, optimizer: optim.SGD, scaler: optim.GradScaler, x: Tensor) -> Tensor:
        loss = (model(x) ** 2).mean()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        return loss

    def run() -> Tensor:
        loss = step(model, optimizer, scaler, Tensor([[1.0, 2.0]]))
        schedule.step()
        return loss

    losses = [run() for _ in range(8)]
    assert not losses[0].requires_grad
    with pytest.raises(RuntimeError, match="let go"):
        losses[0].backward()
    assert step.traces <= 3


def test_a_step_is_a_kernel_for_all_tensors() -> None:
    """Parameters, both means: read and written by sections of one kernel; and one for the number of steps."""
    from saccade.explain import explain

    model = nn.Sequential(nn.Linear(8, 16), nn.Linear(16, 4))
    optimizer = optim.AdamW(model.parameters())
    (model(Tensor.ones(2, 8)) ** 2).sum().backward()
    assert explain(optimizer.step).kernels == 2


def test_a_step_outside_of_jit_is_traced_once() -> None:
    """Rates that change, gradients that are missing and other optimisers make no new graphs of old ones."""
    params = [nn.Parameter([1.0, 2.0]), nn.Parameter([3.0])]
    optimizer = nn.optim.SGD(params, lr=0.5)
    for rate in (0.5, 0.25, 0.125, 1.0, 2.0):
        optimizer.param_groups[0]["lr"] = rate
        before = [param.tolist() for param in params]
        for param in params:
            param.grad = Tensor.ones(*param.shape)
        with no_grad():
            optimizer.step()
        after = [[value - rate for value in values] for values in before]
        assert [param.tolist() for param in params] == after
    assert _replays[optimizer].traces <= 3
    params[0].grad = None
    kept = params[0].tolist()
    optimizer.step()
    assert params[0].tolist() == kept
    assert params[1].tolist() != after[1]
    gone = weakref.ref(optimizer)
    del optimizer
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("traced", [False, True])
def test_all_of_a_step_is_where_the_parameters_are(traced: bool) -> None:
    """Also the number of steps, and a gradient that is a constant."""
    param = Tensor.ones(3, device="interpreter").requires_grad_()
    optimizer = optim.Adam([param], lr=0.5)

    def step(param: Tensor, optimizer: optim.Optimizer) -> None:
        (param * 2).sum().backward()
        optimizer.step()
        optimizer.zero_grad()

    (jit(step) if traced else step)(param, optimizer)
    np.testing.assert_allclose(param.numpy(), 0.5, rtol=1e-6)
    assert optimizer.steps.device == "interpreter"
