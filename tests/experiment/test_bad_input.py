"""What people get wrong, through the command line with the real engine: a message that helps, the right exit
code, and nothing left behind."""

from __future__ import annotations

import json
import os
import re
import signal
import struct
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from saccade.cli import app as cli
from saccade.cortex.bank import space
from saccade.cortex.models.model import NodeSet, ObjectModel
from saccade.experiment.engine.memory import Memory, save_memory
from saccade.experiment.record.record import RunFolder
from saccade.world.formats.formats import write_ply
from saccade.world.meshes.mesh import Mesh
from saccade.world.objects import builtin_object

ROOT = Path(__file__).parents[2]


@pytest.fixture
def invoke(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run a command line in a folder with an empty folder, broken files and wrongly sized meshes."""
    monkeypatch.chdir(tmp_path)
    mug = builtin_object("mug").mesh
    for name in ("empty", "text", "noise", "metres", "holes", "pieces"):
        (tmp_path / name).mkdir()
    (tmp_path / "text" / "a.obj").write_text("v 1 2 3\n")
    (tmp_path / "noise" / "a.stl").write_bytes(bytes(range(256)) * 3)
    (tmp_path / "noise" / "a.png").write_bytes(b"no picture")
    write_ply(tmp_path / "metres" / "mug.ply", mug.scaled(12.0 / mug.extent))
    write_ply(tmp_path / "holes" / "mug.ply", Mesh(mug.vertices, mug.faces[:-400], mug.colors[:-400]))

    def run(*arguments: str) -> Any:
        return CliRunner().invoke(cli.app, list(arguments))

    return run


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["--objects", "empty"], 1, "holds no mesh files"),
        (["--objects", "nowhere"], 1, "nowhere is not a folder"),
        (["--objects", "text"], 1, "a.obj is empty"),
        (["--objects", "noise"], 1, "a.stl"),
        (["--objects", "metres"], 1, "--set objects.scale=0.01"),
        (["--objects", "metres", "-s", "objects.scale=100"], 1, "--set objects.scale=0.01"),
        (["--images", "empty"], 1, "holds no pictures"),
        (["--images", "noise"], 1, "a.png is not a PNG file"),
        (["--images", "nowhere"], 1, "no folder nowhere"),
        (["--device", "gpu"], 2, "unknown device 'gpu'"),
        (["-s", "objects.names=mugg"], 2, "did you mean 'mug'"),
        (["-s", "module.levels=2"], 2, "objects.set = compositional"),
        (["-s", "module.levels=2", "-s", "train.mode=unsupervised"], 2, "train.mode = supervised"),
        (["-s", "objects.images=empty"], 2, "world.kind = image"),
        (["-s", "train.mode=none", "-s", "train.models=nowhere"], 1, "no models at nowhere"),
    ],
)
def test_nothing_is_begun(invoke: Any, tmp_path: Path, arguments: list[str], code: int, told: str) -> None:
    before = sorted(tmp_path.iterdir())
    result = invoke("run", *arguments)
    assert result.exit_code == code, result.output
    assert told in result.stderr
    assert sorted(tmp_path.iterdir()) == before


def test_more_rows_than_memory_holds_begin_nothing(
    invoke: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    features = {"hsv": np.zeros((40, 3)), "principal_curvatures_log": np.zeros((40, 2))}
    places, poses = np.random.default_rng(0).normal(size=(40, 3)), np.tile(np.eye(3), (40, 1, 1))
    nodes = NodeSet(places, poses, np.ones(40, bool), features)
    save_memory(Memory.of([{"mug": ObjectModel("mug", {"patch_0": nodes})}]), tmp_path / "models")
    monkeypatch.setattr(space, "unused_bytes", lambda device: 5_000_000)
    before = sorted(tmp_path.iterdir())
    given = ["-s", "objects.names=mug", "-s", "eval.epochs=2000", "--batch"]
    learns = ["run", "default", "-s", "train.rotations=2", "-s", "train.steps=20"]  # 40 nodes at most
    for command in (["eval", "default", "--models", "models"], learns):
        result = invoke(*command, *given, "2000")
        assert result.exit_code == 1, result.output
        told = re.search(r"\d+ rows of 1 x 1 x .* are free.*: at most (\d+) rows fit.*--batch", result.stderr)
        assert told is not None, result.stderr
        assert 0 < int(told[1]) < 2000
        assert ("as large as they may be learned" in result.stderr) == (command is learns)
        assert sorted(tmp_path.iterdir()) == before


def test_modules_of_paths_count_with_what_they_may_learn(
    invoke: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(space, "unused_bytes", lambda device: 100_000)
    given = ["-s", "module.kind=displacement", "-s", "objects.names=mug", "-s", "eval.epochs=2000"]
    result = invoke("run", "default", *given, "-s", "train.rotations=2", "--batch", "2000")
    assert result.exit_code == 1, result.output
    assert re.search(r"models as large as .* rows of 1 x 1 x \d+ paths .* rows? fits?", result.stderr)
    assert not any(tmp_path.rglob("episodes.csv"))


def test_a_scale_that_was_offered_works_and_holes_are_told(invoke: Any) -> None:
    result = invoke("objects", "--objects", "metres", "-s", "objects.scale=0.01", "--json")
    assert result.exit_code == 0
    result = invoke("objects", "--objects", "holes")
    assert result.exit_code == 0
    assert "note  mesh 'mug' is not watertight" in result.stderr
    assert "formats.py" not in result.stderr


def test_a_mesh_in_pieces_is_one_object(invoke: Any) -> None:
    mug = builtin_object("mug").mesh
    ends = [mug.vertices + [0.1, 0.0, 0.0], mug.vertices - [0.1, 0.0, 0.0]]
    faces = np.concatenate([mug.faces, mug.faces + len(mug.vertices)])
    colours = np.concatenate([mug.colors, mug.colors])
    write_ply(Path("pieces/two.ply"), Mesh(np.concatenate(ends), faces, colours))
    result = invoke("objects", "--objects", "pieces", "--json")
    assert result.exit_code == 0, result.output
    assert [each["name"] for each in json.loads(result.stdout)["objects"]] == ["two"]


def test_only_the_meshes_that_are_asked_for_are_read(invoke: Any) -> None:
    mug = builtin_object("mug").mesh
    write_ply(Path("noise/mug.ply"), mug)
    assert invoke("objects", "--objects", "noise").exit_code == 1
    found = invoke("objects", "--objects", "noise", "-s", "objects.names=mug", "--json")
    assert [each["name"] for each in json.loads(found.stdout)["objects"]] == ["mug"]
    unknown = invoke("objects", "--objects", "noise", "-s", "objects.names=mugg")
    assert unknown.exit_code == 2
    assert "did you mean 'mug'" in unknown.stderr


@pytest.mark.parametrize("value", ["often", "nan", "-1"])
def test_a_profile_that_cannot_be_told_begins_no_run(
    invoke: Any, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("SACCADE_PROFILE", value)
    Path("scans").mkdir()
    for arguments in (["run", "-s", "objects.names=mug"], ["benchmark", "monty", "--objects", "scans"]):
        refused = invoke(*arguments, "--out", "run")
        assert refused.exit_code != 0
        assert not Path("run").exists()
    assert f"SACCADE_PROFILE='{value}'" in invoke("run", "-s", "objects.names=mug").stderr


def test_models_that_lack_a_feature_begin_no_run(invoke: Any) -> None:
    small = ["-s", "objects.names=mug", "-s", "train.rotations=1", "-s", "train.steps=10"]
    assert invoke("train", "--out", "models", *small, "-s", "sensor.features=hsv").exit_code == 0
    refused = invoke("eval", "--models", "models", *small, "--out", "run")
    assert refused.exit_code == 1
    assert "learned without principal_curvatures_log; set sensor.features=hsv" in refused.stderr
    assert not Path("run").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["gone.whl", "out"], "there is no file gone.whl"),
        (["text/a.obj", "out"], "is no package"),
        (["text/a.obj", "out", "--smallest", "2"], "sizes must lie between"),
    ],
)
def test_packages_that_cannot_be_prepared(invoke: Any, arguments: list[str], told: str) -> None:
    result = invoke("objects", "prepare", *arguments)
    assert result.exit_code == 1
    assert told in result.stderr
    assert not Path("out").exists()


def test_a_prepared_package_is_listed(invoke: Any) -> None:
    mug = builtin_object("mug").mesh
    size = struct.pack("<4i", len(mug.vertices), 0, 0, len(mug.faces))
    with zipfile.ZipFile("some.whl", "w") as made:
        body = size + mug.vertices.astype("<f4").tobytes() + mug.faces.astype("<i4").tobytes()
        made.writestr("some/YCB_sim/meshes/025_mug.msh", body)
    result = invoke("objects", "prepare", "some.whl", "meshes", "--json")
    assert json.loads(result.stdout) == {"folder": "meshes", "objects": ["025_mug"]}
    found = json.loads(invoke("objects", "--objects", "meshes", "--json").stdout)
    assert [each["name"] for each in found["objects"]] == ["025_mug"]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
def test_ctrl_c_leaves_a_run_that_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "run"
    settings = ["objects.names=mug,hammer", "train.rotations=2", "train.steps=20", "recording.plots=false"]
    arguments = [sys.executable, "-m", "saccade", "run", "distinct_surface", "--out", str(path)]
    arguments += [part for each in settings for part in ("-s", each)]
    process = subprocess.Popen(arguments, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    while not (path / "models" / "train-0000").exists():
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate()
    assert process.returncode == 130, told
    assert f"saccade resume {path}" in told.decode().replace("\n", "")
    RunFolder.open(path, write=True).close()


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="limits of files are those of POSIX")
@pytest.mark.parametrize(
    ("room", "told"), [(1000, "nothing was written"), (8000, "continue with `saccade resume")]
)
def test_a_full_disk_leaves_nothing_half_written(tmp_path: Path, room: int, told: str) -> None:
    """Files may have `room` bytes: no config fits, or a config and no models."""
    path = tmp_path / "run"
    settings = ["objects.names=mug", "train.rotations=2", "train.steps=120", "eval.mode=none"]
    arguments = [sys.executable, "-m", "saccade", "run", "distinct_surface", "--out", str(path)]
    arguments += [part for each in settings for part in ("-s", each)]
    limit = f"import os, resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room})); "
    limited = [sys.executable, "-c", f"{limit}os.execv({sys.executable!r}, {arguments!r})"]
    done = subprocess.run(limited, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert "no space left" in done.stderr
    assert told in done.stderr
    assert not list(tmp_path.rglob(".*partial*"))
    assert path.exists() == (room > 4000)
    if path.exists():
        resumed = subprocess.run(
            [*arguments[:3], "resume", str(path)], cwd=ROOT, capture_output=True, check=False
        )
        assert resumed.returncode == 0, resumed.stderr
