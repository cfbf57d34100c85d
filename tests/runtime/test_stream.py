"""Streams where there is one queue: programs written with them give the same results. `test_cuda_without_gpu`
and `test_cuda_streams` have several."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import saccade
from saccade import Device, Tensor, jit
from saccade.runtime.stream import Stream


@pytest.mark.parametrize("device", ["cpu", "interpreter"])
def test_streams_of_a_device_with_one_queue_are_that_queue(device: str) -> None:
    x = Tensor(np.arange(6, dtype=np.float32), device=device)
    left, right = saccade.stream(device=device), saccade.stream(1, device=device)
    assert isinstance(left, Stream)
    assert left.device == device
    double = jit(lambda x: x * 2)
    with left:
        a = double(x)
    with right, left, right:  # as often as one likes
        b = (x + 1).realize()
        assert Device[device].queue is right.queue
    left.wait(right)
    left.wait(right.record())
    left.synchronize()
    assert left.done()
    assert (a + b).tolist() == [1, 4, 7, 10, 13, 16]


def test_the_stream_before_is_current_again_after_an_error() -> None:
    stream = saccade.stream(device="cpu")
    with pytest.raises(KeyError), stream:
        raise KeyError
    with stream:
        assert (Tensor([1.0], device="cpu") + 1).item() == 2


def test_threads_may_enter_one_stream() -> None:
    stream = saccade.stream(device="cpu")
    results: list[float] = []

    def work(n: int) -> None:
        with stream:
            results.append(float((Tensor([float(n)], device="cpu") + 1).item()))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [1, 2, 3, 4]


def test_numbers_start_at_zero() -> None:
    with pytest.raises(ValueError, match="numbered from 0"):
        saccade.stream(-1, device="cpu")
    assert saccade.stream(0, device="cpu").queue is Device["cpu"].main
