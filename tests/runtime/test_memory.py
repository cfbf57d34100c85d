"""Host memory: blocks are aligned, apart from each other, and used again."""

from __future__ import annotations

import threading
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.runtime.memory import blocks as memory


@given(st.integers(1, 1 << 40))
def test_size_classes_waste_little_and_are_stable(nbytes: int) -> None:
    size = memory.size_class(nbytes)
    assert nbytes <= size <= max(nbytes * 1.125, nbytes + 64)
    assert memory.size_class(size) == size
    assert memory.size_class(nbytes + 1) >= size


def test_freed_blocks_are_used_again_and_live_ones_are_not() -> None:
    allocator = memory.Allocator()
    first = allocator.allocate(10_000)
    address = first.address
    assert allocator.allocate(10_000).address != address
    del first
    assert address in {allocator.allocate(9_999).address for _ in range(1)}


def test_the_cache_of_blocks_is_bounded() -> None:
    allocator = memory.Allocator(cap=1 << 20)
    blocks = [allocator.allocate(1 << 18) for _ in range(10)]
    assert allocator.cached == 0
    blocks.clear()
    assert allocator.cached == 1 << 20
    allocator.clear()
    assert allocator.cached == 0


@given(st.lists(st.integers(0, 5000), max_size=60))
def test_live_blocks_never_overlap(sizes: list[int]) -> None:
    allocator = memory.Allocator()
    live: list[memory.Block] = []
    for i, size in enumerate(sizes):
        live.append(allocator.allocate(size))
        if i % 3 == 2:
            live.pop(size % len(live))
    spans = sorted((b.address, b.address + b.nbytes) for b in live)
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
    assert all(start % 64 == 0 for start, _ in spans)


def test_threads_never_share_a_block() -> None:
    allocator = memory.Allocator(cap=1 << 16)
    wrong: list[int] = []

    def work(mark: int) -> None:
        for n in range(400):
            blocks = [allocator.allocate(64 << (n + k) % 6) for k in range(4)]
            views = [np.asarray(block) for block in blocks]
            for view in views:
                view[:] = mark
            if any((view != mark).any() for view in views):
                wrong.append(mark)
            del blocks, views

    threads = [threading.Thread(target=work, args=(mark,)) for mark in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert allocator.allocate(1 << 20)  # nothing of that size is kept, so what is kept is counted again
    assert 0 <= allocator.cached <= allocator.cap


@pytest.mark.parametrize("kind", [memory.Block, memory.Absent])
def test_memory_that_a_signal_cut_short_goes_without_a_word(kind: type) -> None:
    """SIGTERM between the object and its first attribute left a traceback behind the line of resume."""
    kind.__new__(kind).__del__()
