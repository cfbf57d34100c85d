"""The search: what it returns is legal, kept and used; a wrong candidate raises."""

from __future__ import annotations

from dataclasses import replace

import pytest

from saccade.codegen import compile as compiling
from saccade.codegen.compile import shaped
from saccade.codegen.moves.moves import Bind, Move, Split
from saccade.codegen.search import search as searching
from saccade.codegen.search.saved import kernel_text, replay, save, saved_kernel
from saccade.codegen.search.search import Bench, search
from saccade.codegen.search.trial import WrongResult
from saccade.graph.kernels.kernel import LOOP, VECTOR, Kernel
from saccade.graph.node import index_const
from saccade.runtime.cache import searched
from saccade.runtime.program import CompileError, Source
from tests.schedule.programs import scheduled


def product(n: int) -> Kernel:
    return scheduled(lambda x, y: x @ y, (n, n), (n, n)).items[0].kernel


def test_what_it_finds_is_kept_and_used() -> None:
    kernel = product(31)
    target = searched.target_of("cpu")
    before = searched.generation(target)
    found = search(kernel, 0.5)
    assert 0 < found.after <= found.before
    moves = found.moves
    shaped.cache_clear()
    assert shaped(kernel) == replay(kernel, moves)
    assert saved_kernel(kernel) == replay(kernel, moves)
    assert searched.generation(target) != before


def test_saved_moves_are_used_unless_the_setting_says_no(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = product(30)
    moves: list[Move] = [Split(kernel.order[0].arg.number, 3, LOOP)]
    save(kernel, moves)
    shaped.cache_clear()
    assert list(shaped(kernel).moves) == moves
    monkeypatch.setattr(compiling, "settings", replace(compiling.settings, searched=False))
    shaped.cache_clear()
    assert list(shaped(kernel).moves) != moves


@pytest.mark.parametrize("text", ["nonsense", '[{"move": "Split", "axis": 77, "factor": 2, "kind": "loop"}]'])
def test_saved_moves_that_do_not_fit_are_discarded_with_a_note(text: str) -> None:
    kernel = product(29)
    target = searched.target_of("cpu")
    searched.keep(kernel_text(kernel), searched.Result("product", text), target)
    with pytest.warns(UserWarning, match="discarded"):
        assert saved_kernel(kernel) is None
    assert searched.find(kernel_text(kernel), target) is None


def test_candidates_are_legal_and_give_the_same_result() -> None:
    from random import Random

    kernel = product(16)
    bench = Bench(kernel)
    best = searching.optimise(kernel)
    bench.measure(best, float("inf"))
    random = Random(3)
    different = set()
    for _ in range(25):
        candidate = searching._candidate(kernel, best, random)
        different.add(candidate.moves)
        bench.measure(candidate, float("inf"))
    assert len(different) > 10


def test_a_wrong_candidate_raises() -> None:
    kernel = product(16)
    bench = Bench(kernel)
    bench.measure(searching.optimise(kernel), float("inf"))
    store = kernel.sink.src[0]
    wrong = store.replace(src=(store.src[0], index_const(0), store.src[2]))
    with pytest.raises(WrongResult):
        bench.measure(replace(kernel, sink=kernel.sink.replace(src=(wrong,))), float("inf"))


def test_a_compile_error_is_not_swallowed(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = product(16)

    def broken(kernel: Kernel, moved: Kernel) -> Source:
        return Source("broken", "define void @broken( {", 1, len(kernel.params))

    monkeypatch.setattr(compiling, "source_of", broken)
    with pytest.raises(CompileError):
        search(kernel, 0.2)


def test_illegal_candidates_are_never_measured() -> None:
    kernel = product(16)
    inner = next(r.arg.number for r in kernel.ranges() if r not in kernel.order)
    made = searching._replayed(kernel, [Bind(inner, VECTOR), Bind(kernel.order[1].arg.number, VECTOR)])
    assert made.moves == (Bind(inner, VECTOR),)
