"""What stands beside tensors in torch's files: read as data; the rest is refused by name, damage is found."""

from __future__ import annotations

import argparse
import collections
import pathlib
import pickle
import random
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saccade import dtypes, nn
from saccade.fuzz.files.file_corpus import archived
from saccade.nn.saved.mapped import StateError
from saccade.nn.saved.torch_file import load_torch

ARRAYS: dict[str, Any] = {
    "plain": np.arange(6).reshape(2, 3),
    "turned": np.arange(6.0).reshape(2, 3).T,
    "foreign": np.array([1.5, -2.0], ">f4"),
    "complex": np.array([[1 + 2j]]),
    "yes": np.array([True, False]),
    "half": np.array([], np.float16),
    "whole": np.array(7, np.uint16),
    "large": np.arange(1000.0),
    "texts": np.array([["a", "bcd"]]),
    "bytes": np.array([b"xy", b"z"]),
}
PLAIN: dict[str, Any] = {
    "set": {1, "two", (3, 4)},
    "frozen": frozenset({5, frozenset({6})}),
    "none": set(),
    "args": argparse.Namespace(lr=0.1, names=["a"], deep=argparse.Namespace(x=None)),
    "order": collections.OrderedDict([("z", 1), ("a", 2)]),
    "counter": collections.Counter("aab"),
    "defaults": collections.defaultdict(list, {"a": [1]}),
    "complex": 1 - 2j,
    "bytes": b"\x00\xff",
    "empty": b"",
    "more": bytearray(b"abc"),
    "number": np.float32(1.5),
    "count": np.int64(-7),
    "yes": np.bool_(True),
    "text": np.str_("word"),
}


def written(folder: Path, value: object, protocol: int = 2) -> Path:
    path = folder / "a.pt"
    path.write_bytes(archived({"a/data.pkl": pickle.dumps(value, protocol)}))
    return path


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_values_are_what_they_were(tmp_path: Path, protocol: int) -> None:
    found = load_torch(written(tmp_path, PLAIN, protocol))
    assert found == PLAIN
    for name, value in PLAIN.items():
        if name not in ("order", "defaults"):
            assert type(found[name]) is type(value), name
    assert type(found["order"]) is dict
    assert list(found["order"]) == ["z", "a"]
    assert found["args"].deep.x is None
    assert found["number"].dtype == np.float32


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_arrays_of_numpy(tmp_path: Path, protocol: int) -> None:
    twice = {**ARRAYS, "again": ARRAYS["foreign"], "kind": np.dtype(">f4"), "native": np.dtype("f4")}
    found = load_torch(written(tmp_path, twice, protocol))
    theirs = pickle.loads(pickle.dumps(ARRAYS, protocol))  # the order of bytes may become our own
    for name, value in ARRAYS.items():
        assert found[name].dtype == theirs[name].dtype, name
        np.testing.assert_array_equal(found[name], value, err_msg=name)
    assert found["again"] is found["foreign"]
    assert (found["kind"], found["native"]) == (np.dtype(">f4"), np.dtype("f4"))
    assert np.dtype("f4").isnative  # NumPy's own was not turned round


def test_paths_are_texts(tmp_path: Path) -> None:
    paths = {"here": pathlib.PurePosixPath("a/b.pt"), "there": pathlib.PureWindowsPath("C:\\a", "b")}
    assert load_torch(written(tmp_path, paths)) == {"here": "a/b.pt", "there": "C:\\a\\b"}


def test_devices_and_dtypes_without_torch(tmp_path: Path) -> None:
    told = (
        b"\x80\x02}(X\x01\x00\x00\x00aX\x04\x00\x00\x00cuda\x94K\x01\x86"  # memoised names are no problem
        b"X\x01\x00\x00\x00bctorch\ndevice\nX\x03\x00\x00\x00cpu\x85R"
        b"X\x01\x00\x00\x00cctorch\ndevice\nX\x04\x00\x00\x00cudaK\x01\x86R"
        b"X\x01\x00\x00\x00dctorch\nbfloat16\n"
        b"ctorch\nint64\nX\x03\x00\x00\x00key"
        b"X\x01\x00\x00\x00ectorch\nSize\nK\x02K\x03\x86\x85Ru."
    )
    path = tmp_path / "a.pt"
    path.write_bytes(archived({"a/data.pkl": told}))
    assert load_torch(path) == {
        "a": ("cuda", 1),
        "b": "cpu",
        "c": "cuda:1",
        "d": dtypes.bfloat16,
        dtypes.int64: "key",
        "e": (2, 3),
    }


@pytest.mark.parametrize("zipped", [True, False])
def test_a_file_of_torch(tmp_path: Path, zipped: bool) -> None:
    torch = pytest.importorskip("torch")
    saved = {
        "w": torch.arange(6.0).reshape(2, 3),
        "device": torch.device("cuda", 1),
        "devices": [torch.device("cpu"), torch.device("meta")],
        "dtype": torch.float16,
        "shape": torch.Size([2, 3]),
        "args": argparse.Namespace(device=torch.device("cpu"), dtype=torch.int8, weights=torch.ones(2)),
        "seen": {torch.float32, 3},
        "array": np.arange(3.0),
    }
    torch.save(saved, tmp_path / "a.pt", _use_new_zipfile_serialization=zipped)
    found = nn.state.load(tmp_path / "a.pt")
    assert (found["device"], found["devices"]) == ("cuda:1", ["cpu", "meta"])
    assert (found["dtype"], found["shape"]) == (dtypes.float16, (2, 3))
    assert (found["args"].device, found["args"].dtype) == ("cpu", dtypes.int8)
    assert found["args"].weights.tolist() == [1.0, 1.0]
    assert found["seen"] == {dtypes.float32, 3}
    assert found["array"].tolist() == [0.0, 1.0, 2.0]
    assert found["w"].tolist() == saved["w"].tolist()


class Own:
    pass


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (Own(), r"test_torch_objects\.Own, which weights do not need.*model\.state_dict\(\)"),
        ({"kind": Own}, r"test_torch_objects\.Own"),
        ({"function": len}, r"__builtin__\.len"),
        ([print], r"__builtin__\.print"),
        (slice(3), r"__builtin__\.slice"),
        (np.array([1, None], object), "'O8'.*make it a list"),
        (np.array(["2020-01-01"], "M8[D]"), "'M8'"),
        (np.zeros(2, [("x", "f4")]), "'V4'"),
        (np.random.default_rng(0), r"numpy\.random"),
        (np.ma.masked_array([1.0]), r"numpy\.ma"),
        (argparse.Namespace(__len__=1), "'__len__'"),
    ],
)
def test_the_rest_is_refused_by_name(tmp_path: Path, value: object, told: str) -> None:
    with pytest.raises(StateError, match=told):
        load_torch(written(tmp_path, {"model": value}))


def test_a_namespace_in_itself(tmp_path: Path) -> None:
    loop = argparse.Namespace()
    loop.me = loop
    with pytest.raises(StateError, match="holds itself"):
        load_torch(written(tmp_path, loop))


@pytest.mark.filterwarnings("ignore:invalid escape sequence")
def test_damaged_ones(tmp_path: Path) -> None:
    """Whatever a byte becomes: data, or an error of ours; no array reaches beyond its bytes."""
    rng = random.Random(0)
    for protocol in (2, 5):
        whole = pickle.dumps({**PLAIN, **ARRAYS}, protocol)
        for _ in range(300):
            changed = bytearray(whole)
            for _ in range(rng.randint(1, 3)):
                changed[rng.randrange(len(changed))] = rng.randrange(256)
            path = tmp_path / "a.pt"
            path.write_bytes(archived({"a/data.pkl": bytes(changed)}))
            with suppress(StateError):
                repr(load_torch(path))


def test_bytes_are_those_of_the_shape(tmp_path: Path) -> None:
    told = pickle.dumps(np.arange(4, dtype="i1").reshape(2, 2), 2)
    path = tmp_path / "a.pt"
    for wrong in (b"K\x02K\x03\x86", b"K\x02J\xff\xff\xff\xff\x86", b"K\x01K\x02\x86"):
        path.write_bytes(archived({"a/data.pkl": told.replace(b"K\x02K\x02\x86", wrong)}))
        with pytest.raises(StateError, match="an array of shape"):
            load_torch(path)
