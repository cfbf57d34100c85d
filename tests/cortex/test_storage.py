"""Models on disk: what goes in comes out, and every wrong file is refused with its reason."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import numpy as np
import pytest

from saccade.cortex.models.model import NodeSet, ObjectModel
from saccade.cortex.models.storage import INDEX, NODES, load_models, save_models
from saccade.cortex.models.tensor_file import FileError, read_arrays, write_arrays

from .traces import load


def equal(a: ObjectModel, b: ObjectModel) -> None:
    assert a.name == b.name
    assert list(a.channels) == list(b.channels)
    for one, other in zip(a.channels.values(), b.channels.values(), strict=True):
        for part in ("positions", "pose_vectors", "fully_defined", "seen"):
            np.testing.assert_array_equal(getattr(one, part), getattr(other, part))
        assert list(one.features) == list(other.features)
        for name in one.features:
            np.testing.assert_array_equal(one.features[name], other.features[name])


@pytest.fixture
def models() -> list[ObjectModel]:
    empty = NodeSet(np.zeros((0, 3)), np.zeros((0, 3, 3)), np.zeros(0, bool), {"hsv": np.zeros((0, 3))})
    return [
        *load("e5_two_channels").models(("patch_0", "patch_1")),
        ObjectModel("nothing", {"patch_0": empty}),
    ]


def test_round_trip(tmp_path: Path, models: list[ObjectModel]) -> None:
    folder = tmp_path / "deep" / "memory"
    save_models(folder, models)
    for a, b in zip(load_models(folder), models, strict=True):
        equal(a, b)
    save_models(folder, models[:1])
    assert [model.name for model in load_models(folder)] == [models[0].name]
    assert sorted(path.name for path in folder.parent.iterdir()) == ["memory"], "nothing is left lying about"


@pytest.mark.parametrize("before", [False, True])
def test_a_save_that_fails_leaves_what_was_there(
    tmp_path: Path, models: list[ObjectModel], monkeypatch: pytest.MonkeyPatch, before: bool
) -> None:
    """Also where it fails after all was written: on the way to the disk."""
    if before:
        save_models(tmp_path / "m", models)

    def full(descriptor: int) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        save_models(tmp_path / "m", models[:1])
    assert [path.name for path in tmp_path.iterdir()] == ["m"] * before, "nothing is left lying about"
    if before:
        assert len(load_models(tmp_path / "m")) == len(models)


def test_the_safetensors_library_reads_our_files(tmp_path: Path, models: list[ObjectModel]) -> None:
    safetensors = pytest.importorskip("safetensors.numpy")
    save_models(tmp_path / "m", models)
    theirs, ours = safetensors.load_file(tmp_path / "m" / NODES), read_arrays(tmp_path / "m" / NODES)
    assert set(theirs) == set(ours)
    for name in ours:
        np.testing.assert_array_equal(theirs[name], ours[name])
    safetensors.save_file({"x": np.arange(6, dtype=np.int32).reshape(2, 3)}, tmp_path / "theirs")
    np.testing.assert_array_equal(read_arrays(tmp_path / "theirs")["x"], [[0, 1, 2], [3, 4, 5]])


@pytest.mark.skipif(os.name != "posix", reason="rights are those of POSIX")
def test_models_have_the_rights_of_other_new_folders(tmp_path: Path, models: list[ObjectModel]) -> None:
    (tmp_path / "other").mkdir()
    save_models(tmp_path / "memory", models)
    save_models(tmp_path / "memory", models)
    assert (tmp_path / "memory").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_equal_names_are_refused(tmp_path: Path, models: list[ObjectModel]) -> None:
    with pytest.raises(ValueError, match=models[0].name):
        save_models(tmp_path / "m", [models[0], models[0]])
    assert not (tmp_path / "m").exists()


def test_a_place_with_other_things_is_left_alone(tmp_path: Path, models: list[ObjectModel]) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "diary.txt").write_text("dear diary")
    with pytest.raises(FileError, match="holds no models"):
        save_models(tmp_path / "m", models)
    assert (tmp_path / "m" / "diary.txt").read_text() == "dear diary"


def broken(folder: Path, how: str) -> None:
    index, nodes = folder / INDEX, folder / NODES
    whole = json.loads(index.read_text())
    # files from before there was a checksum of it are read too
    content = {key: value for key, value in whole.items() if key != "described"}
    if how == "missing index":
        index.unlink()
    elif how == "missing nodes":
        nodes.unlink()
    elif how == "cut nodes":
        nodes.write_bytes(nodes.read_bytes()[:-100])
    elif how == "changed nodes":
        data = bytearray(nodes.read_bytes())
        data[-1] ^= 1
        nodes.write_bytes(bytes(data))
    elif how == "foreign":
        index.write_text('{"hello": 1}')
    elif how == "not json":
        index.write_bytes(b"\x80\x04pickle")
    elif how == "deep":
        index.write_text("[" * 100_000)
    elif how == "no list":
        index.write_text(json.dumps({**content, "models": 7}))
    elif how == "long name":
        content["models"][0]["name"] = "x" * 10_000
        index.write_text(json.dumps(content))
    elif how == "future":
        index.write_text(json.dumps({**content, "version": 99}))
    elif how == "other keys":
        content["models"][0]["channels"][0]["key"] = "7.7"
        index.write_text(json.dumps(content))
    elif how in ("other shapes", "nan", "seen"):
        arrays = read_arrays(nodes)
        name = next(name for name in arrays if name.endswith("seen" if how == "seen" else "pose_vectors"))
        changes = {
            "other shapes": lambda a: a[1:],
            "nan": lambda a: a * np.float32(np.nan),
            "seen": np.negative,
        }
        arrays[name] = changes[how](arrays[name])
        write_arrays(nodes, arrays)
        content["checksum"] = hashlib.sha256(nodes.read_bytes()).hexdigest()
        index.write_text(json.dumps(content))
    elif how == "changed index":
        whole["models"][0]["name"] += "x"
        index.write_text(json.dumps(whole))
    elif how == "changed key":
        whole["descrybed"] = whole.pop("described")
        index.write_text(json.dumps(whole))
    elif how == "twice":
        content["models"].append(content["models"][0])
        index.write_text(json.dumps(content))


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ("missing index", "no models at"),
        ("missing nodes", "incomplete"),
        ("cut nodes", "changed or cut"),
        ("changed nodes", "changed or cut"),
        ("foreign", "is not a file of"),
        ("not json", "models.json is broken: byte 0 .0x80. is no utf-8 text"),
        ("deep", "models.json is broken: it is nested too deeply"),
        ("no list", "models.json is broken: .*not iterable"),
        ("long name", "no name of 1 to 1000 characters"),
        ("seen", "nodes.safetensors, nodes of model .* seen less than no time"),
        ("future", "version 99"),
        ("other keys", "does not describe"),
        ("other shapes", "nodes.safetensors, nodes of model .* is broken: .*reshape"),
        ("nan", "nodes.safetensors, nodes of model .* is broken: node pose vectors hold NaN"),
        ("twice", "twice"),
        ("changed index", "models.json was changed or cut"),
        ("changed key", "models.json was changed or cut"),
    ],
)
def test_wrong_files_are_refused(tmp_path: Path, models: list[ObjectModel], how: str, says: str) -> None:
    save_models(tmp_path / "m", models)
    broken(tmp_path / "m", how)
    with pytest.raises(FileError, match=says):
        load_models(tmp_path / "m")


def tensors(entries: dict[str, tuple[list[float], list[int]]], size: int) -> bytes:
    """A file of arrays of bytes with these shapes and offsets, and so many bytes of data."""
    header = {name: {"dtype": "U8", "shape": s, "data_offsets": at} for name, (s, at) in entries.items()}
    return headed(json.dumps(header), size)


def headed(header: str, size: int) -> bytes:
    text = header.encode()
    return len(text).to_bytes(8, "little") + text + bytes(size)


#: as a number it would be written digit by digit, 4000 times
HUGE = ", ".join([str(9**4000)] * 4000)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"abc", "only 3 bytes"),
        (b"\xff" * 40, "was cut"),
        ((4).to_bytes(8, "little") + b"nope", "x, its header is broken: Expecting value"),
        ((2).to_bytes(8, "little") + b"[]", "x, its header is broken: .*no attribute 'items'"),
        ((90_000).to_bytes(8, "little") + b"[" * 90_000, "x, its header is broken: it is nested too deeply"),
        (tensors({"a": ([2], [0, 2]), "b": ([2], [0, 2])}, 2), "array 'b' is broken: it begins at byte 0"),
        (tensors({"a": ([2], [1, 3])}, 3), "array 'a' is broken: it begins at byte 1"),
        (tensors({"a": ([2], [0, 2])}, 1), "it was cut"),
        (tensors({"a": ([2], [0, 2])}, 3), "something was added"),
        (tensors({"a": ([10**20], [0, 10**20])}, 3), "array 'a' has shape"),
        (tensors({"a": ([-1, -2], [0, 2])}, 2), "array 'a' has shape"),
        (tensors({"a": ([1.0, 2], [0, 2])}, 2), "array 'a' has shape"),
        (
            headed(f'{{"a": {{"dtype": "U8", "shape": [{HUGE}], "data_offsets": [0, 2]}}}}', 2),
            "array 'a' has shape",
        ),
    ],
    ids=lambda value: f"{len(value)} bytes" if isinstance(value, bytes) else value,
)
def test_wrong_tensor_files_are_refused(tmp_path: Path, content: bytes, says: str) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(FileError, match=says):
        read_arrays(tmp_path / "x")


def test_arrays_that_do_not_fit_their_bytes_are_refused(tmp_path: Path) -> None:
    write_arrays(tmp_path / "x", {"a": np.zeros(4, np.float32)})
    text = (tmp_path / "x").read_bytes().replace(b"[4]", b"[5]")
    (tmp_path / "x").write_bytes(text)
    with pytest.raises(FileError, match="does not fit"):
        read_arrays(tmp_path / "x")
