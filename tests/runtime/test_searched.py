"""Results of searches: kept, written to files, read from them, and refused where they do not belong."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from saccade.runtime.cache import searched
from saccade.runtime.cache.cache import Cache
from saccade.runtime.cache.searched import Result, ResultsError

CARD = "Some Card sm_80"
RESULT = Result(
    "add_8x8", '[{"move": "Flat", "threads": 64, "width": 1, "repeat": 1, "steps": 1}]', 2e-6, 1e-6
)


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A cache of its own, nothing shipped, no file given."""
    store = Cache(tmp_path / "cache", 1 << 20)
    monkeypatch.setattr(searched, "shared_cache", lambda: store)
    monkeypatch.setattr(searched, "SHIPPED", tmp_path / "shipped")
    searched.search_results(None)
    yield
    searched.search_results(None)


def test_a_result_is_found_for_its_kernel_and_its_card() -> None:
    searched.keep("a kernel", RESULT, CARD)
    assert searched.find("a kernel", CARD) == RESULT
    assert searched.find("another", CARD) is None
    assert searched.find("a kernel", "Another Card sm_80") is None


def test_the_generation_changes_with_every_result() -> None:
    seen = {searched.generation(CARD)}
    for number in range(3):
        searched.keep(f"kernel {number}", RESULT, CARD)
        seen.add(searched.generation(CARD))
    assert len(seen) == 4
    assert searched.generation("Another Card sm_80") == ""


def test_results_go_from_one_machine_to_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        searched.keep(f"kernel {number}", RESULT, CARD)
    path = tmp_path / "results.json"
    assert searched.write_file(path, CARD) == 3
    other = Cache(tmp_path / "other", 1 << 20)
    monkeypatch.setattr(searched, "shared_cache", lambda: other)
    searched.generation.cache_clear()
    assert searched.find("kernel 1", CARD) is None
    assert searched.import_file(path, ["x86", CARD]) == (CARD, 3)
    assert searched.find("kernel 1", CARD) == RESULT
    assert searched.generation(CARD)
    again = tmp_path / "again.json"
    searched.write_file(again, CARD)
    assert again.read_text() == path.read_text()


def test_results_for_another_card_are_not_imported(tmp_path: Path) -> None:
    searched.keep("kernel", RESULT, CARD)
    searched.write_file(tmp_path / "results.json", CARD)
    with pytest.raises(ResultsError, match=r"has results for 'Some Card sm_80', and this machine has 'x86'"):
        searched.import_file(tmp_path / "results.json", ["x86"])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("nonsense", "results.json is broken: Expecting value"),
        ("[" * 100_000, "results.json is broken: it is nested too deeply"),
        (f'{{"saccade search results": 2, "target": "x", "results": [{"9" * 5000}]}}', "is broken: Exceeds"),
        ("[]", "no file of search results"),
        ("{}", "no file of search results"),
        ('{"saccade search results": 1, "target": "x", "results": []}', "version 1, and this saccade reads"),
        (
            '{"saccade search results": 2, "target": "x", "results": [7]}',
            "result 0 is broken: it is no search result: 7",
        ),
        (
            '{"saccade search results": 2, "target": "x", "results": [{"kernel": "a"}]}',
            "result 0 is broken: it is no search result",
        ),
    ],
)
def test_a_file_that_is_none_is_refused(text: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text(text)
    with pytest.raises(ResultsError, match=reason):
        searched.import_file(path, ["x"])
    with pytest.raises(ResultsError, match=reason):
        searched.search_results(path)


def given(path: Path, moves: str = RESULT.moves) -> Path:
    entry = {"kernel": searched.digest_of("a kernel"), "name": "k", "moves": moves, "before": 2, "after": 1}
    content = {"saccade search results": searched.VERSION, "target": CARD, "results": [entry]}
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(content))
    return path


def test_a_given_file_counts_less_than_a_search_and_more_than_the_package(tmp_path: Path) -> None:
    shipped = given(searched.shipped_file(CARD), "shipped")
    assert shipped.name == "some-card-sm-80.json"
    searched.search_results(None)
    before = searched.generation(CARD)
    found = searched.find("a kernel", CARD)
    assert found is not None
    assert found.moves == "shipped"
    searched.search_results(given(tmp_path / "given.json", "given"))
    assert searched.generation(CARD) != before
    found = searched.find("a kernel", CARD)
    assert found is not None
    assert found.moves == "given"
    searched.keep("a kernel", RESULT, CARD)
    assert searched.find("a kernel", CARD) == RESULT


def test_a_default_that_does_not_fit_is_ignored_with_a_note(tmp_path: Path) -> None:
    searched.search_results(given(tmp_path / "given.json"))
    with pytest.warns(UserWarning, match="ignored the search result"):
        searched.discard("a kernel", CARD, "it does not fit")
    assert searched.find("a kernel", CARD) is None


def test_a_file_that_is_not_there_is_reported_by_name(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match=r"no\.json cannot be read: No such file"):
        searched.search_results(tmp_path / "no.json")


def test_what_the_package_ships_can_be_read() -> None:
    folder = Path(searched.__file__).resolve().parent.parent / "searched"
    for path in folder.glob("*.json"):
        target, results = searched.read_file(path)
        assert path.name == searched.shipped_file(target).name
        assert results


def test_nothing_is_read_by_importing() -> None:
    code = "import saccade, sys; saccade.search_results; assert 'saccade.codegen' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
