"""Calls of a jit function that are bound to their memory."""

from __future__ import annotations

import pytest

from saccade import Tensor, jit
from saccade.runtime.watch.debug import listening
from saccade.tensor.jit.bound import Inbox, bind


def advance(state: Tensor, rate: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return state * rate + 1, state.sum(), rate


def test_two_sets_of_memory_take_turns() -> None:
    step = jit(advance)
    rate = Tensor([2.0])
    zero = Tensor([0.0, 1.0]).realize()
    one = step(zero, rate)
    two = step(one[0], rate)
    back = bind(step, (two[0], rate), into=one)
    forth = bind(step, (one[0], rate), into=two)
    assert back is not None
    assert forth is not None
    assert back.outputs == (one[0], one[1], rate), "an argument that is returned is itself"
    values = [0.0, 1.0]
    for _ in range(2):
        values = [2 * value + 1 for value in values]
    for call in (back, forth, back, forth):
        expected = sum(values)
        values = [2 * value + 1 for value in values]
        call.run()
        assert call.outputs[0].tolist() == values
        assert call.outputs[1].item() == expected
    assert step.traces == 1


@pytest.mark.host_memory
def test_what_the_arguments_hold_now_counts() -> None:
    step = jit(advance)
    state, rate = Tensor([1.0, 2.0]).realize(), Tensor([3.0]).realize()
    old = step(state, rate)
    call = bind(step, (state, rate), into=old)
    assert call is not None
    state.numpy()[:] = [5.0, 6.0]
    call.run()
    assert old[0].tolist() == [16.0, 19.0]


def test_what_cannot_be_bound_is_left_alone() -> None:
    step = jit(advance)
    state, rate = Tensor([1.0, 2.0]).realize(), Tensor([3.0]).realize()
    assert bind(step, (state, rate), into=(state, rate, rate)) is None, "never traced"
    old = step(state, rate)
    assert bind(step, (old[0], rate), into=old) is None, "an argument would be overwritten"
    assert bind(step, (Tensor([1.0, 2.0]) * 2, rate), into=old) is None, "not computed yet"
    assert bind(step, (Tensor([1.0, 2.0, 3.0]), rate), into=old) is None, "another shape"
    assert bind(step, (state, rate), into=old[:2]) is None, "another number of results"
    held = Tensor([1.0]).realize()
    capturing = jit(lambda x: x + held)
    assert bind(capturing, (state,), into=(capturing(state),)) is None, "a captured tensor may be exchanged"


@pytest.mark.host_memory
def test_what_the_host_writes_and_reads_can_be_part_of_a_call() -> None:
    step = jit(advance)
    inbox = Inbox((1,), "float32", "cpu")
    inbox.array[:] = 2
    state = Tensor([0.0, 1.0]).realize()
    inbox.send()
    one = step(state, inbox.tensor)
    two = step(one[0], inbox.tensor)
    call = bind(step, (one[0], inbox.tensor), into=two, inboxes=[inbox], read=0)
    assert call is not None
    for rate in (3.0, 4.0):
        inbox.ready()
        inbox.array[:] = rate
        call.run()
        assert call.read().tolist() == [rate + 1, 3 * rate + 1]
    with listening() as runs:
        call.run()
        assert call.read().tolist() == [5.0, 13.0]
    assert len(runs) == 1, "a call is seen by those who watch"


def test_a_tensor_that_had_views_is_written_in_place() -> None:
    """Not one that has views now: they would not hear of it."""

    def step(state: Tensor, given: Tensor) -> Tensor:
        state += given
        return state.sum()

    run, state, one = jit(step), Tensor([1.0, 2.0]).realize(), Tensor([1.0]).realize()
    total = run(state, one)
    view = state[:1]
    assert bind(run, (state, one), into=(total,), overwrites=True) is None
    view += 4
    state.realize()
    del view
    again = bind(run, (state, one), into=(total,), overwrites=True)
    assert again is not None
    again.run()
    assert (state.tolist(), total.item()) == ([7.0, 4.0], 11.0)
