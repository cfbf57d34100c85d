"""Random programs of views, writes, values that wait, realised tensors and jit calls, beside torch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from saccade import Tensor, jit

torch = pytest.importorskip("torch")

SHAPES = [(6,), (2, 3), (3, 4), (2, 2, 3)]
WHICH = st.integers(0, 1 << 16)


@dataclass
class Pair:
    """A tensor, and torch's."""

    ours: Tensor
    theirs: torch.Tensor


def assert_same(found: Any, expected: Any) -> None:
    """But for the order of sums: elements that were doubled and added again and again are large."""
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def contiguous(x: Any) -> Any:
    """A value of its own, laid out in order (torch would keep the order of what it was made of)."""
    return x.clone(memory_format=torch.contiguous_format) if isinstance(x, torch.Tensor) else x


def views(shape: tuple[int, ...]) -> list[Callable[[Any], Any]]:
    """Ways of looking at a tensor of that shape."""
    made: list[Callable[[Any], Any]] = [
        lambda x: x.unsqueeze(0),
        lambda x: x.reshape(-1),
        lambda x: x.detach(),
        lambda x: x[...],
        lambda x: x.expand(2, *x.shape),
    ]
    if len(shape) >= 1 and shape[0]:
        n = shape[0]
        made += [
            lambda x: x[0],
            lambda x: x[-1],
            lambda x: x[::2],
            lambda x: x[1:],
            lambda x: x[: n // 2 + 1],
            lambda x: x.narrow(0, n // 2, n - n // 2),
            lambda x: x.unfold(0, 2, 2) if n >= 2 else x[:],
            lambda x: x.reshape(shape[0], -1),
        ]
    if len(shape) >= 2:
        made += [
            lambda x: x.transpose(0, 1),
            lambda x: x.transpose(-1, -2)[..., 0],
            lambda x: x[:, 1:],
            lambda x: x.diagonal(),
            lambda x: x.permute(*reversed(range(len(shape)))),
            lambda x: x.transpose(0, 1).reshape(-1),  # a copy where it is not in order
        ]
    return made


VALUES: list[Callable[[Any], Any]] = [
    lambda x: x * 2 + 1,
    lambda x: x.sum() + x,
    lambda x: -x,
    lambda x: x.flip(0) if x.ndim else x * 3,
    lambda x: x.cumsum(0) if x.ndim else x - 1,
]


def masked(x: Any) -> None:
    x[x > 3] = 1.0


def some_rows(x: Any) -> None:
    index = [0] if x.ndim == 0 or x.shape[0] < 2 else [1, 0]
    if 0 in x.shape:
        return
    rows = x.reshape(1) if x.ndim == 0 else x
    rows[index if isinstance(x, Tensor) else torch.tensor(index)] = contiguous(rows[: len(index)] * 2)


def shifted(x: Any) -> None:
    if x.ndim and x.shape[0] > 1:
        x[1:] = contiguous(x[:-1] + 1)


def one(x: Any) -> None:
    if 0 not in x.shape:
        x[(0,) * x.ndim] = 7.0


def doubled_part(x: Any) -> None:
    if x.ndim:
        x[: x.shape[0] // 2 + 1] *= 2


WRITES: list[Callable[[Any], Any]] = [
    lambda x: x.add_(1),
    lambda x: x.mul_(2),
    lambda x: x.zero_(),
    lambda x: x.fill_(5.0),
    lambda x: x.copy_(contiguous(x.flip(0) if x.ndim else x + 1)),
    lambda x: x.copy_(contiguous(x + x.sum())),
    masked,
    some_rows,
    shifted,
    one,
    doubled_part,
]


PARTS = (shifted, one, doubled_part)


def grow(x: Any) -> Any:
    x += 1
    return x * 2


def mix(x: Any, y: Any) -> Any:
    x.copy_(contiguous(x * 0.5 + y.sum()))
    return y + 1


def part(x: Any, y: Any) -> None:
    x.reshape(-1)[1:3] = y.sum()


def other_value(x: Any) -> Any:
    kept = contiguous(x * 1)
    x.zero_()
    return kept


JITTED = [(f, jit(f)) for f in (grow, other_value)]
JITTED_OF_TWO = [(f, jit(f)) for f in (mix, part)]


class Stores(RuleBasedStateMachine):
    device: ClassVar[str] = "interpreter"

    def __init__(self) -> None:
        super().__init__()
        self.tensors: list[Pair] = []
        self.waiting: list[Pair] = []  # values that were not computed when their sources changed
        self.arrays: list[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]] = []
        self.made = 0
        self.make(0, False)

    def pick(self, which: int) -> Pair:
        pair = self.tensors[which % len(self.tensors)]
        if pair.ours.storage is None:  # what is computed when nobody else shares it has memory of its own
            pair.theirs = pair.theirs.contiguous()
        return pair

    @rule(which=WHICH, computed=st.booleans())
    def make(self, which: int, computed: bool) -> None:
        shape = SHAPES[which % len(SHAPES)]
        self.made += 1
        array = np.arange(np.prod(shape), dtype=np.float32).reshape(shape) + 10 * self.made
        ours = Tensor(array, device=self.device)
        self.tensors.append(Pair(ours * 1 if computed else ours, torch.from_numpy(array.copy())))

    @rule(which=WHICH, how=WHICH)
    def view(self, which: int, how: int) -> None:
        pair = self.pick(which)
        if pair.ours.ndim < 4 and pair.ours.numel():
            ways = views(tuple(pair.theirs.shape))
            way = ways[how % len(ways)]
            self.tensors.append(Pair(way(pair.ours), way(pair.theirs)))

    @rule(which=WHICH, how=WHICH, keep=st.booleans())
    def value(self, which: int, how: int, keep: bool) -> None:
        pair, way = self.pick(which), VALUES[how % len(VALUES)]
        made = Pair(way(pair.ours), contiguous(way(pair.theirs)))
        (self.tensors if keep else self.waiting).append(made)

    @rule(which=WHICH, how=WHICH)
    def write(self, which: int, how: int) -> None:
        pair, way = self.pick(which), WRITES[how % len(WRITES)]
        before = pair.theirs.clone()
        refused = overlaps(pair.theirs) and way not in PARTS  # torch lets some of them pass, with a warning
        try:
            if not refused:
                way(pair.theirs)
        except RuntimeError:
            refused = True
        if not refused:
            way(pair.ours)
            return
        with pytest.raises(ValueError, match="several elements are one place"):
            way(pair.ours)
        assert_same(pair.ours.tolist(), before.tolist())

    @rule(which=WHICH, other=WHICH)
    def assign(self, which: int, other: int) -> None:
        pair, source = self.pick(which), self.pick(other)
        if pair.ours.shape == source.ours.shape and not overlaps(pair.theirs):
            pair.theirs.copy_(source.theirs.clone())
            pair.ours.assign(source.ours)

    @rule(which=WHICH, others=st.lists(WHICH, max_size=2))
    def realize(self, which: int, others: list[int]) -> None:
        first, *rest = (self.pick(n).ours for n in (which, *others))
        first.realize(*rest)

    @precondition(lambda self: self.waiting)
    @rule(which=WHICH)
    def look(self, which: int) -> None:
        pair = self.waiting.pop(which % len(self.waiting))
        assert_same(pair.ours.tolist(), pair.theirs.tolist())

    @rule(which=WHICH)
    def array(self, which: int) -> None:
        pair = self.pick(which)
        pair.ours.whole().realize()
        if len(self.arrays) < 3 and pair.theirs.is_contiguous():
            self.arrays.append((pair.ours.numpy(), pair.theirs.numpy()))

    @rule(which=WHICH)
    def drop(self, which: int) -> None:
        if len(self.tensors) > 1:
            self.tensors.pop(which % len(self.tensors))

    @rule(which=WHICH, how=WHICH)
    def call(self, which: int, how: int) -> None:
        self.pick(which).ours.realize()
        pair = self.pick(which)
        plain, jitted = JITTED[how % len(JITTED)]
        if not overlaps(pair.theirs):
            made = jitted(pair.ours)
            self.waiting.append(Pair(made, contiguous(plain(pair.theirs))))

    @rule(which=WHICH, other=WHICH, how=WHICH)
    def call_with_two(self, which: int, other: int, how: int) -> None:
        self.pick(which).ours.realize(self.pick(other).ours)
        pair, second = self.pick(which), self.pick(other)
        plain, jitted = JITTED_OF_TWO[how % len(JITTED_OF_TWO)]
        if overlaps(pair.theirs) or pair.ours.numel() < 3:
            return
        made = jitted(pair.ours, second.ours)
        expected = plain(pair.theirs, second.theirs)
        if made is not None:
            self.waiting.append(Pair(made, contiguous(expected)))

    def teardown(self) -> None:
        for ours, theirs in self.arrays:
            assert_same(ours, theirs)
        for pair in (*self.tensors, *self.waiting):
            assert_same(pair.ours.tolist(), pair.theirs.tolist())


def overlaps(x: torch.Tensor) -> bool:
    return any(n > 1 and stride == 0 for n, stride in zip(x.shape, x.stride(), strict=True))


class OnCpu(Stores):
    device = "cpu"


def check(machine: type[Stores], examples: int, steps: int = 20) -> None:
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_as_torch_on_the_interpreter() -> None:
    check(Stores, 25)


def test_as_torch_on_the_cpu() -> None:
    check(OnCpu, 4)


@pytest.mark.slow
@pytest.mark.parametrize("machine", [Stores, OnCpu])
def test_as_torch_at_length(machine: type[Stores]) -> None:
    check(machine, 300, 30)
