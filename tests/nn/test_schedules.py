"""Schedules beside torch's and by hand: alone, in a row, at once, with momentum; and their state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, jit, nn
from saccade.nn import optim


def sgd(**options: Any) -> optim.SGD:
    return optim.SGD([Tensor([1.0], requires_grad=True)], lr=0.1, **options)


# --- by hand, without torch


def test_a_cycle_with_momentum() -> None:
    optimizer = sgd(momentum=0.9)
    schedule = optim.CyclicLR(optimizer, 0.1, 0.5, step_size_up=2, base_momentum=0.6, max_momentum=0.8)
    found = []
    for _ in range(5):
        found.append((optimizer.param_groups[0]["lr"], optimizer.param_groups[0]["momentum"]))
        schedule.step()
    np.testing.assert_allclose(found, [(0.1, 0.8), (0.3, 0.7), (0.5, 0.6), (0.3, 0.7), (0.1, 0.8)])
    adam = optim.AdamW([Tensor([1.0], requires_grad=True)], betas=(0.5, 0.99))
    optim.CyclicLR(adam, 0.1, 0.5, 2).load_state_dict({"last_epoch": 2})
    assert adam.param_groups[0]["betas"] == (0.8, 0.99)
    assert adam.param_groups[0]["lr"] == 0.5
    with pytest.raises(ValueError, match="Adagrad has neither momentum nor betas"):
        optim.CyclicLR(optim.Adagrad([Tensor([1.0], requires_grad=True)]), 0.1, 0.5)


def test_groups_of_a_cycle() -> None:
    params = [{"params": [Tensor([1.0], requires_grad=True)]} for _ in range(2)]
    optimizer = optim.SGD(params, lr=1.0, momentum=0.9)
    optim.CyclicLR(optimizer, [0.1, 0.2], [0.5, 0.6], 4, max_momentum=[0.9, 0.95]).step()
    np.testing.assert_allclose([group["lr"] for group in optimizer.param_groups], [0.2, 0.3])
    np.testing.assert_allclose([group["momentum"] for group in optimizer.param_groups], [0.875, 0.9125])
    with pytest.raises(ValueError, match="base_lr has 3 values for 2 groups"):
        optim.CyclicLR(optimizer, [0.1, 0.2, 0.3], 0.5)
    optim.LambdaLR(optimizer, [lambda step: 2.0, lambda step: 3.0])
    np.testing.assert_allclose([group["lr"] for group in optimizer.param_groups], [2.0, 3.0])


def test_momentum_of_an_sgd_that_had_none() -> None:
    """It is kept from the first step on, as by torch."""
    found = []
    for momentum in (0.0, 0.5):
        param = Tensor([1.0], requires_grad=True)
        optimizer = optim.SGD([param], lr=0.1, momentum=momentum)
        schedule = optim.CyclicLR(optimizer, 0.1, 0.2, 2)
        for _ in range(3):
            optimizer.zero_grad()
            (param * param).sum().backward()
            optimizer.step()
            schedule.step()
        found.append(param.item())
    assert found[0] == found[1]


@pytest.mark.parametrize("make", [optim.SGD, optim.AdamW])
def test_a_momentum_that_changes_is_traced_a_few_times(make: Callable[..., optim.Optimizer]) -> None:
    """Neither a step outside of jit nor one inside looks at what it is."""
    params = [Tensor([1.0], requires_grad=True) for _ in range(2)]
    optimizers = [make([param], lr=0.1) for param in params]
    schedules = [optim.CyclicLR(optimizer, 0.01, 0.1, 5) for optimizer in optimizers]

    @jit
    def step(param: Tensor, optimizer: optim.Optimizer) -> None:
        (param * param).sum().backward()
        optimizer.step()
        optimizer.zero_grad()

    for _ in range(8):
        step(params[0], optimizers[0])
        (params[1] * params[1]).sum().backward()
        optimizers[1].step()
        optimizers[1].zero_grad()
        for schedule in schedules:
            schedule.step()
    np.testing.assert_allclose(params[0].numpy(), params[1].numpy(), rtol=1e-6)
    assert step.traces <= 3


def test_schedules_at_once() -> None:
    """Factors multiply, in a chain or stepped by hand; the state of a chain brings the rates along."""

    def made(optimizer: optim.Optimizer) -> list[optim.lr_scheduler.LRScheduler]:
        return [
            optim.ConstantLR(optimizer, 0.5, 3),
            optim.ExponentialLR(optimizer, 0.9),
            optim.CosineAnnealingLR(optimizer, 2),
        ]

    optimizer = sgd()
    chain = optim.ChainedScheduler(made(optimizer))
    by_hand = sgd()
    each = made(by_hand)
    states = []
    for step, wave in enumerate((1.0, 0.5, 0.0, 0.5, 1.0)):
        if step < 3:  # from 0 a cosine comes back as if there were no other factor, as torch's does
            np.testing.assert_allclose(chain.get_last_lr(), [0.1 * 0.5 * 0.9**step * wave], atol=1e-18)
        assert chain.get_last_lr() == [by_hand.param_groups[0]["lr"]]
        states.append((chain.state_dict(), chain.get_last_lr()))
        chain.step()
        for schedule in each:
            schedule.step()
    last = chain.get_last_lr()
    chain.load_state_dict(states[3][0])
    assert chain.get_last_lr() == states[3][1]
    chain.step()
    chain.step()
    assert chain.get_last_lr() == last


def test_chains_that_are_refused() -> None:
    optimizer = sgd()
    with pytest.raises(ValueError, match="no schedules"):
        optim.ChainedScheduler([])
    with pytest.raises(ValueError, match="schedule 1, a StepLR, is of another"):
        optim.ChainedScheduler([optim.StepLR(optimizer, 1), optim.StepLR(sgd(), 1)])
    plateau: Any = optim.ReduceLROnPlateau(optimizer)  # follows a metric
    with pytest.raises(TypeError, match="ReduceLROnPlateau"):
        optim.ChainedScheduler([plateau])
    chain = optim.ChainedScheduler([optim.StepLR(optimizer, 1)])
    with pytest.raises(ValueError, match="0 schedules for 1 groups"):
        chain.load_state_dict({"_schedulers": [], "_last_lr": [0.1]})


def test_one_cycle_takes_as_many_steps_as_it_was_made_for() -> None:
    schedule = optim.OneCycleLR(sgd(), 1.0, epochs=2, steps_per_epoch=3)
    for _ in range(6):
        schedule.step()
    with pytest.raises(ValueError, match="6 steps, and this is number 7"):
        schedule.step()
    with pytest.raises(ValueError, match="epochs and steps_per_epoch"):
        optim.OneCycleLR(sgd(), 1.0)


# --- beside torch


def torchs(name: str) -> tuple[Any, Any]:
    """An optimiser of torch, and its schedules."""
    torch = pytest.importorskip("torch")
    params = [torch.tensor([1.0], requires_grad=True)]
    return getattr(torch.optim, name)(params, lr=0.1), torch.optim.lr_scheduler


@pytest.mark.parametrize("name", ["SGD", "Adam", "RMSprop"])
@pytest.mark.parametrize(
    ("kind", "args", "options"),
    [
        ("CyclicLR", (0.01, 0.5, 3), {"mode": "triangular2", "base_momentum": 0.7}),
        ("CyclicLR", (0.01, 0.5, 2, 3), {"mode": "exp_range", "gamma": 0.9, "max_momentum": 0.95}),
        ("OneCycleLR", (0.5, 11), {}),
        ("OneCycleLR", (0.5,), {"epochs": 2, "steps_per_epoch": 6, "anneal_strategy": "linear"}),
        ("OneCycleLR", (0.5, 11), {"three_phase": True, "max_momentum": 0.9, "pct_start": 0.4}),
    ],
)
def test_momentum_like_torch(name: str, kind: str, args: tuple[Any, ...], options: dict[str, Any]) -> None:
    theirs, library = torchs(name)
    mine = getattr(optim, name)([Tensor([1.0], requires_grad=True)], lr=0.1)
    schedule, other = (
        getattr(optim, kind)(mine, *args, **options),
        getattr(library, kind)(theirs, *args, **options),
    )
    for _ in range(11):
        for key in ("lr", "betas" if name == "Adam" else "momentum"):
            np.testing.assert_allclose(mine.param_groups[0][key], theirs.param_groups[0][key], rtol=1e-9)
        theirs.step()
        schedule.step()
        other.step()


@pytest.mark.parametrize("name", ["SGD", "Adam", "RMSprop"])
def test_parameters_under_a_cycle_like_torch(name: str) -> None:
    theirs, library = torchs(name)
    param = theirs.param_groups[0]["params"][0]
    own = Tensor([1.0], requires_grad=True)
    mine = getattr(optim, name)([own], lr=0.1)
    schedule, other = optim.CyclicLR(mine, 0.01, 0.2, 2), library.CyclicLR(theirs, 0.01, 0.2, 2)
    for _ in range(6):
        for optimizer, value in ((mine, own), (theirs, param)):
            optimizer.zero_grad()
            (value * value).sum().backward()
            optimizer.step()
        schedule.step()
        other.step()
        np.testing.assert_allclose(own.numpy(), param.detach().numpy(), rtol=1e-5)


@pytest.mark.parametrize(
    "parts",
    [
        [("ConstantLR", (0.1, 4)), ("ExponentialLR", (0.9,))],
        [("LinearLR", (0.25, 1.0, 4)), ("CosineAnnealingLR", (3, 0.001)), ("StepLR", (2, 0.5))],
        [("PolynomialLR", (5, 2.0)), ("MultiplicativeLR", (lambda step: 1 + 1 / step,))],
        [("ExponentialLR", (0.9,)), ("LambdaLR", (lambda step: 1 / (1 + step),)), ("MultiStepLR", ([2, 5],))],
        [("CosineAnnealingLR", (2,)), ("ExponentialLR", (0.9,))],
    ],
)
def test_chains_like_torch(parts: list[tuple[str, tuple[Any, ...]]]) -> None:
    theirs, library = torchs("SGD")
    mine = sgd()
    chain = optim.ChainedScheduler([getattr(optim, kind)(mine, *args) for kind, args in parts], mine)
    other = library.ChainedScheduler([getattr(library, kind)(theirs, *args) for kind, args in parts], theirs)
    for step in range(9):
        np.testing.assert_allclose(
            chain.get_last_lr(), other.get_last_lr(), rtol=1e-9, atol=1e-12, err_msg=str(step)
        )
        theirs.step()
        chain.step()
        other.step()


def test_schedules_like_torch() -> None:
    torch = pytest.importorskip("torch")
    for name, args in (
        ("LambdaLR", (lambda step: 1 / (step + 1),)),
        ("ConstantLR", (0.5, 3)),
        ("LinearLR", (0.25, 1.0, 4)),
        ("StepLR", (2, 0.5)),
        ("MultiStepLR", ([1, 4], 0.1)),
        ("ExponentialLR", (0.9,)),
        ("CosineAnnealingLR", (4, 0.01)),
        ("OneCycleLR", (0.5, 9)),
        ("CosineAnnealingWarmRestarts", (2, 2, 0.01)),
        ("PolynomialLR", (4, 2.0)),
        ("MultiplicativeLR", (lambda step: 1 / (step + 1),)),
    ):
        mine = optim.SGD([Tensor([1.0], requires_grad=True)], lr=0.1)
        theirs = torch.optim.SGD([torch.tensor([1.0], requires_grad=True)], lr=0.1)
        schedule = getattr(optim, name)(mine, *args)
        other = getattr(torch.optim.lr_scheduler, name)(theirs, *args)
        for _ in range(9):
            np.testing.assert_allclose(schedule.get_last_lr(), other.get_last_lr(), rtol=1e-6, err_msg=name)
            theirs.step()
            schedule.step()
            other.step()


@pytest.mark.parametrize(
    "options",
    [
        {"step_size_up": 3},
        {"step_size_up": 2, "step_size_down": 3, "mode": "triangular2"},
        {"step_size_up": 3, "mode": "exp_range", "gamma": 0.9},
        {"step_size_up": 2, "scale_fn": lambda step: 1 / (1 + step), "scale_mode": "iterations"},
    ],
)
def test_cycles_like_torch(options: dict[str, Any]) -> None:
    torch = pytest.importorskip("torch")
    mine = optim.SGD([Tensor([1.0], requires_grad=True)], lr=0.1)
    theirs = torch.optim.SGD([torch.tensor([1.0], requires_grad=True)], lr=0.1)
    schedule = optim.CyclicLR(mine, 0.01, 0.5, cycle_momentum=False, **options)
    other = torch.optim.lr_scheduler.CyclicLR(theirs, 0.01, 0.5, cycle_momentum=False, **options)
    for _ in range(13):
        np.testing.assert_allclose(schedule.get_last_lr(), other.get_last_lr(), rtol=1e-6)
        theirs.step()
        schedule.step()
        other.step()


def test_schedules_in_a_row_and_on_a_plateau() -> None:
    torch = pytest.importorskip("torch")
    found = []
    for library, make in ((optim, nn.Parameter), (torch.optim.lr_scheduler, torch.nn.Parameter)):
        data = [1.0] if library is optim else torch.ones(1)
        optimizer = (optim if library is optim else torch.optim).SGD([make(data)], lr=1.0)
        first = library.LinearLR(optimizer, 0.1, 1.0, 3)
        second = library.ExponentialLR(optimizer, 0.5)
        row = library.SequentialLR(optimizer, [first, second], milestones=[3])
        rates = []
        for _ in range(6):
            rates.append(optimizer.param_groups[0]["lr"])
            optimizer.step()
            row.step()
        plateau = library.ReduceLROnPlateau(optimizer, patience=1, cooldown=1, factor=0.5)
        for loss in (3.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 1.0):
            plateau.step(loss)
            rates.append(optimizer.param_groups[0]["lr"])
        found.append(rates)
    np.testing.assert_allclose(*found, rtol=1e-6)
    with pytest.raises(ValueError, match="2 schedules in a row have 1 milestones"):
        optim.SequentialLR(optim.SGD([nn.Parameter([1.0])]), [first, second], [1, 2])
