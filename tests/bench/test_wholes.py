"""Two objects felt twice: each is more like itself than like the other."""

from __future__ import annotations

import pytest

from bench.wholes import measure


@pytest.mark.slow
def test_an_object_is_more_like_itself_than_like_another() -> None:
    found = measure(2, seed=5, settings=["objects.set=distinct", "train.steps=40"])
    assert [name for _, name, _ in sorted(found["same"], key=lambda each: each[1])] == ["bowl", "mug"]
    assert {(again, first) for _, again, first in found["other"]} == {("bowl", "mug"), ("mug", "bowl")}
    assert min(share for share, *_ in found["same"]) > 0.5 > max(share for share, *_ in found["other"])
    assert all(degrees < 30 for *_, degrees in found["same"])
