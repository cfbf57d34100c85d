"""The graph of kernels and buffers: who points at whom, where memory is, what differs, what comes back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from saccade import Tensor
from saccade.fuzz.programs.draw import draw
from saccade.schedule.cost import CPU, GPU
from saccade.schedule.kernel_graph import ARENA, BETWEEN, INPUT, OUTPUT, KernelGraph
from saccade.schedule.schedule import schedule
from tests.schedule.programs import scheduled


def stored(x: Tensor) -> Tensor:
    """Two kernels: a product and a map of it."""
    return (x @ x).contiguous().exp() + x


SQUARE = (16, 16)


def consistent(graph: KernelGraph) -> None:
    """Kernels and buffers agree about who touches what, and no two buffers meet in the arena."""
    for item in graph.items:
        assert all(item in buffer.writers for buffer in item.writes)
        assert all(item in buffer.readers for buffer in item.reads)
        assert set(item.reads) | set(item.writes) == set(item.buffers)
        assert [(b.dtype, b.size) for b in item.buffers] == list(item.kernel.params)
        assert item.params == tuple((b.slot, b.offset) for b in item.buffers)
    for buffer in graph.buffers:
        assert all(buffer in item.writes for item in buffer.writers)
        assert all(buffer in item.reads for item in buffer.readers)
        if buffer.role == INPUT:
            assert buffer.maker is None
            assert 0 <= buffer.slot < graph.inputs
        else:
            assert buffer.maker is not None
            assert all(buffer.maker.number <= item.number for item in buffer.readers)
    between = graph.of_role(BETWEEN)
    for number, one in enumerate(between):
        assert one.slot == ARENA
        assert 0 <= one.offset <= one.offset + one.nbytes <= graph.arena
        for other in between[:number]:
            together = one.first <= other.last and other.first <= one.last
            apart = one.offset + one.nbytes <= other.offset or other.offset + other.nbytes <= one.offset
            assert apart or not together


def test_kernels_and_buffers_point_at_each_other() -> None:
    graph = scheduled(stored, SQUARE)
    consistent(graph)
    (between,) = graph.of_role(BETWEEN)
    (given,) = graph.of_role(INPUT)
    (result,) = graph.of_role(OUTPUT)
    product, map_ = graph.items
    assert between.maker is product
    assert between.readers == [map_]
    assert given.readers == [product, map_]
    assert result.writers == [map_]
    assert (between.first, between.last) == (0, 1)
    assert result.place == (1, 0)


def test_graphs_of_random_programs_are_consistent_and_come_back() -> None:
    for seed in range(40):
        program = draw(seed)
        for machine in (CPU, GPU):
            graph = schedule(program.roots, len(program.inputs), machine)
            consistent(graph)
            again = KernelGraph.from_data(json.loads(json.dumps(graph.to_data())))
            assert again == graph
            assert again.to_data() == graph.to_data()
            assert graph.difference(again) == ""
            consistent(again)


def test_estimates_are_those_of_the_kernels() -> None:
    graph = scheduled(lambda x, y: x @ y, (300, 200), (200, 100))
    assert graph.operations == 2 * 300 * 200 * 100
    assert graph.nbytes == 4 * (300 * 200 + 200 * 100 + 300 * 100)


def test_it_reads_as_tables() -> None:
    graph = scheduled(stored, SQUARE)
    lines = str(graph).splitlines()
    assert lines[0] == "2 kernels, 1 input, 1 output, 1.0 kB between them"
    assert len(lines) == 1 + (1 + len(graph.items)) + (1 + len(graph.buffers))
    assert lines[2].split()[:5] == ["0", "add_16x16", "in0", "mid0", "2.0"]
    assert any(line.endswith("arena 0, alive 0 to 1") for line in lines)


def test_equal_programs_are_equal_and_others_are_told_apart_in_words() -> None:
    graph = scheduled(stored, SQUARE)
    assert graph == scheduled(stored, SQUARE)
    assert graph.difference(scheduled(stored, SQUARE)) == ""
    other = scheduled(lambda x: (x @ x).contiguous().sin() + x, SQUARE)
    assert graph != other
    assert graph.difference(other) == "map_16x16 changed: EXP -1, SIN +1"
    fewer = scheduled(lambda x: x @ x, SQUARE)
    told = graph.difference(fewer)
    assert "kernels: 2 -> 1" in told
    assert "bytes between kernels: 1024 -> 0" in told
    assert "map_16x16 vanished" in told
    assert "map_16x16 appeared" in fewer.difference(graph)


def test_the_same_kernels_on_other_memory_differ() -> None:
    graph = scheduled(lambda x, y: x - y, SQUARE, SQUARE)
    turned = scheduled(lambda x, y: y - x, SQUARE, SQUARE)
    assert graph != turned
    assert graph.difference(turned) == "the same kernels, on other memory or in another order"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda data: data.pop("kernels"), "kernels"),
        (lambda data: data["buffers"][0].update(role="friend"), "not 'friend'"),
        (lambda data: data["buffers"][0].update(size=3), "takes"),
        (lambda data: data["kernels"][0].update(text="nonsense"), "line 1"),
        (lambda data: data["kernels"][0]["buffers"].append("in7"), "in7"),
    ],
)
def test_data_that_is_no_graph_is_refused(change: Any, problem: str) -> None:
    data = scheduled(stored, SQUARE).to_data()
    change(data)
    with pytest.raises(ValueError, match=problem):
        KernelGraph.from_data(data)
