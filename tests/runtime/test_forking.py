"""A process is forked while its threads compile: what they hold then, the child does not wait for."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, jit
from saccade.runtime.cpu import engine
from saccade.runtime.device import Device
from saccade.runtime.process import forking
from saccade.runtime.process.apart import apart
from saccade.runtime.process.forking import Gate
from saccade.tensor.programs import form

from ..patience import HANG

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork"),
    # newer Pythons doubt forks of processes with threads
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


def forked(work: Callable[[], bool]) -> bool:
    """Whether a child of this process finds so; False if it hangs."""
    child = os.fork()
    if child == 0:
        found = False
        try:
            found = work()
        finally:
            os._exit(0 if found else 1)
    end = time.monotonic() + HANG
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status == 0
        time.sleep(0.01)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return False


class Inside:
    """A thread that is inside of something until it is told to leave."""

    def __init__(self, work: Callable[[Callable[[], None]], None]) -> None:
        self.arrived, self.leave, self.left = threading.Event(), threading.Event(), False
        self.thread = threading.Thread(target=lambda: work(self.stay))
        self.thread.start()
        assert self.arrived.wait(HANG)

    def stay(self) -> None:
        self.arrived.set()
        self.leave.wait()
        self.left = True

    def end(self) -> None:
        self.leave.set()
        self.thread.join()


def test_a_fork_waits_until_nobody_is_inside_and_lets_nobody_in(monkeypatch: pytest.MonkeyPatch) -> None:
    gate = Gate()

    def work(stay: Callable[[], None]) -> None:
        with gate:
            stay()

    monkeypatch.setattr(forking, "_PATIENCE", HANG)
    inside = Inside(work)
    threading.Timer(0.2, inside.leave.set).start()

    def enter() -> bool:
        with gate:
            return inside.left

    assert forked(enter)
    inside.end()
    assert enter()


def test_a_thread_that_does_not_leave_holds_no_fork_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forking, "_PATIENCE", 0.1)
    gate = Gate()

    def work(stay: Callable[[], None]) -> None:
        with gate:
            stay()

    inside = Inside(work)
    try:
        assert forked(lambda: not inside.left)
    finally:
        inside.end()


def test_a_child_compiles_although_a_thread_of_its_parent_did(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forking, "_PATIENCE", HANG)
    compiled = engine._compiled

    def slowly(*given: Any) -> bytes:
        with engine._start:
            compiling.set()
            time.sleep(0.3)
        return compiled(*given)

    compiling = threading.Event()
    monkeypatch.setattr(engine, "_compiled", slowly)
    thread = threading.Thread(target=lambda: (Tensor(np.arange(7.0)) * 3.25).realize())
    thread.start()
    assert compiling.wait(HANG)
    assert forked(lambda: (Tensor(np.arange(9.0)) - 1.75).tolist()[0] == -1.75)
    thread.join()


class Lazy:
    def __init__(self, stay: Callable[[], None]) -> None:
        self.stay = stay

    @cached_property
    def value(self) -> int:
        self.stay()
        return 7


def test_a_child_computes_a_cached_property_that_a_thread_of_its_parent_computes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(forking, "Lazy", Lazy, raising=False)  # a class of the package
    inside = Inside(lambda stay: print(Lazy(stay).value, file=open(os.devnull, "w")))  # noqa: SIM115
    try:
        assert forked(lambda: Lazy(lambda: None).value == 7)
    finally:
        inside.end()


def test_an_interrupt_that_comes_at_once_is_not_lost() -> None:
    """In the child it came while locks were made anew, and what is raised there goes nowhere."""
    parent = os.getpid()
    for n in range(20):
        code = 1
        try:
            child = os.fork()
            if child == 0:
                time.sleep(HANG)
        except KeyboardInterrupt:
            code = 3
        finally:
            if os.getpid() != parent:
                os._exit(code)
        time.sleep(n * 2e-4)
        os.kill(child, signal.SIGINT)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) in (3, -signal.SIGINT)


@pytest.mark.parametrize(
    ("raised", "sent"), [(KeyboardInterrupt, signal.SIGINT), (SystemExit, signal.SIGTERM)]
)
def test_a_signal_that_is_answered_late_comes_again_as_itself(
    raised: type[BaseException], sent: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C that came while SIGTERM was let in was sent again as SIGTERM, which ended the process."""
    again: list[int] = []

    def let_in(how: int, numbers: Iterable[int]) -> None:
        if signal.SIGTERM in numbers:
            raise raised

    monkeypatch.setattr(forking.signal, "pthread_sigmask", let_in)
    monkeypatch.setattr(forking, "start_new_thread", lambda _, numbers: again.extend(numbers))
    forking._let_in()
    assert again == [sent]


def test_locks_that_another_thread_holds_are_free_in_the_child() -> None:
    """A jit function being traced, stores being made, a device being started: none of them ends there."""
    double = jit(lambda x: x * 2)
    double(Tensor(np.ones(3)))
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with double._lock, form.storing, Device._lock:
            held.set()
            done.wait()

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait()
    try:
        assert forked(lambda: double(Tensor(np.ones(5)) + 1).tolist() == [4.0] * 5)
    finally:
        done.set()
        holder.join()


def test_work_done_apart_leaves_nothing_here() -> None:
    here: list[int] = []

    def work(number: int) -> int:
        here.append(number)
        if number < 0:
            raise ValueError(f"{number} is below 0")
        if not number:
            os._exit(7)
        return len(here)

    assert apart(work, 3) == 1
    with pytest.raises(ValueError, match="-1 is below 0"):
        apart(work, -1)
    with pytest.raises(RuntimeError, match="ended with code 7"):
        apart(work, 0)
    assert not here
