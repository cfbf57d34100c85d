"""Profiled time is added up by stage, none of it lost."""

from __future__ import annotations

import json

import pytest

from bench.compile import by_stage, profiled, program_named, stage_of
from bench.rounds import ROOT


def test_stages_are_folders_of_the_package() -> None:
    assert stage_of(str(ROOT / "saccade" / "codegen" / "moves" / "moves.py")) == "saccade/codegen/moves"
    assert stage_of(str(ROOT / ".venv" / "lib" / "site-packages" / "llvmlite" / "ir.py")) == "llvmlite"
    assert stage_of("~") == "built-in"


def test_all_own_time_is_attributed() -> None:
    profile, elapsed = profiled(lambda: [json.loads(json.dumps(list(range(2000)))) for _ in range(20)])
    total = sum(stage.seconds for stage in by_stage(profile).values())
    assert total == pytest.approx(sum(entry[2] for entry in profile.values()), rel=1e-6)
    assert 0 < total <= elapsed
    assert by_stage(profile)["python"].calls > 0


def test_resnet18_program_takes_the_image_and_every_parameter() -> None:
    _, arrays = program_named("resnet18")
    assert arrays[0].shape == (1, 3, 224, 224)
    assert len(arrays) == 1 + 20 * 5 + 2
