"""The benchmark of episodes: a small run through all of it, and lines of elsewhere drawn beside it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench import episodes
from bench.episode_parts import PARTS

SMALL = [
    "objects.names=mug,die", "train.rotations=2", "train.steps=40", "module.updater=plain",
    "module.node_spacing=0.01", "eval.min_steps=3", "eval.max_steps=5",
]  # fmt: skip


def test_lines_split_their_seconds_and_are_drawn_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere = episodes.Line(
        "cuda", 256, 231, 20.0, 30.0, 99.0, 50.0, {"preparing": 2.0, "compiling": 3.0, "rest": 15.0}
    )
    (tmp_path / "gpu.json").write_text(json.dumps([{**vars(elsewhere), "rate": elsewhere.rate}]))
    arguments = ["--device", "cpu", "--rows", "2", "--episodes", "2", "--repeat", "1", "--json"]
    arguments += ["--add", str(tmp_path / "gpu.json"), "--picture", str(tmp_path / "e.svg")]
    arguments += [part for each in SMALL for part in ("--set", each)]
    before = [vars(kind)[name] for places in PARTS.values() for kind, name in places]
    assert episodes.main(arguments) == 0
    gpu, cpu = json.loads(capsys.readouterr().out)
    assert (gpu["rows"], gpu["rate"]) == (256, 231 / 15)
    assert cpu["episodes"] == 2
    assert cpu["parts"]["modules"] > 0
    assert cpu["parts"]["compiling"] > 0
    assert sum(cpu["parts"].values()) == pytest.approx(cpu["seconds"])
    drawn = (tmp_path / "e.svg").read_text()
    assert "cuda, 256 rows" in drawn
    assert "cpu, 2 rows" in drawn
    assert before == [vars(kind)[name] for places in PARTS.values() for kind, name in places]
