"""The attack on the cache finds nothing wrong, and would: it says so, with one damage, where entries are
believed without looking."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from saccade.fuzz.attacks.cache_attack import WAYS, Arena, Failure, State, _smallest, attack, draw
from saccade.fuzz.attacks.cache_damage import DAMAGES, FOLDER_DAMAGES

#: what Python runs when it starts: entries are taken as they are, whatever key and checksum they have
BELIEVING = """
import saccade.runtime.cache.folder as folder
folder._check = lambda key, head, value: None
"""


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    made = Arena(tmp_path_factory.mktemp("arena"))
    yield made
    made.close()


def test_each_damage_and_no_wrong_result(arena: Arena) -> None:
    kinds = [*DAMAGES, *FOLDER_DAMAGES]
    dropped = 0
    for number, kind in enumerate(kinds):
        wrong, discarded = arena.run(State(0, "plain", ((kind, number),)))
        assert wrong is None, f"{kind}: {wrong}"
        dropped += discarded
    assert dropped > len(kinds) // 3


@pytest.mark.parametrize("way", [way for way in WAYS if way not in ("plain", "fresh")])
def test_damage_while_others_use_the_cache(arena: Arena, way: str) -> None:
    wrong, _ = arena.run(State(1, way, (("swap", 1), ("flip", 2), ("remove", 3))))
    assert wrong is None


def test_a_report() -> None:
    seed = next(seed for seed in range(1000) if [draw(seed + n).way for n in range(3)] == ["plain"] * 3)
    told: list[State] = []
    report = attack(seed, 3, progress=lambda state, _: told.append(state))
    assert told == [draw(seed + n) for n in range(3)]
    assert report.states == 3
    assert not report.failures, report.failures[0]
    assert "3 damaged caches" in str(report)
    assert "no wrong result" in str(report)


def test_what_is_believed_without_looking_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sitecustomize.py").write_text(BELIEVING)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (tmp_path / "room").mkdir()
    arena = Arena(tmp_path / "room")
    try:
        for number in range(200):
            state = State(
                number, "threads", (("leftover", number), ("copy_over", number), ("remove", number))
            )
            wrong, _ = arena.run(state)
            if wrong is not None:
                break
        assert wrong is not None
        smallest = _smallest(arena, Failure(state, wrong))
    finally:
        arena.close()
    assert smallest.state.damages == (("copy_over", number),)
    assert smallest.state.way == "plain"
    assert f"seed {number}: copy_over; plain: " in str(smallest)


def test_a_seed_is_a_state() -> None:
    assert draw(5) == draw(5)
    assert {draw(seed).way for seed in range(300)} <= set(WAYS)
    assert {kind for seed in range(300) for kind, _ in draw(seed).damages} == {*DAMAGES, *FOLDER_DAMAGES}


@pytest.mark.slow
def test_sixty_damaged_caches() -> None:
    report = attack(0, 60)
    assert report.states == 60
    assert not report.failures, report.failures[0]
