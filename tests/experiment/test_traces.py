"""Traces of episodes as files of others: drawn, or named with what is wrong with them."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest

from saccade.experiment.errors import RunError
from saccade.experiment.report.plots import read_trace


def packed(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def npy(shape: str, kind: str = "<f8", data: bytes = b"") -> bytes:
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}}}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + data


def test_what_numpy_writes_is_read(tmp_path: Path) -> None:
    wanted = {
        "best_evidence": np.arange(5.0),
        "objects": np.array(["mug", "bowl"]),
        "turned": np.asfortranarray(np.arange(6).reshape(2, 3)),
        "one": np.array(3.5),
        "none": np.zeros((0, 4), np.float32),
        "yes": np.array([True, False]),
    }
    for save in (np.savez, np.savez_compressed):
        save(tmp_path / "t.npz", **wanted)
        found = read_trace(tmp_path / "t.npz")
        assert set(found) == set(wanted)
        for name, array in wanted.items():
            np.testing.assert_array_equal(found[name], array)
            assert found[name].dtype == array.dtype


@pytest.mark.parametrize(
    ("members", "told"),
    [
        ({"best_evidence.npy": npy("(10**12,)")}, "literal|malformed|Cannot parse"),
        ({"best_evidence.npy": npy("(1000000000000,)")}, "does not fit its 0 bytes"),
        ({"best_evidence.npy": npy("(-1,)", data=bytes(8))}, "does not fit|negative"),
        ({"best_evidence.npy": npy("(1000000000000000,)", "<U0")}, "neither numbers nor text"),
        ({"best_evidence.npy": npy("(1,)", "|O", bytes(8))}, "neither numbers nor text"),
        ({"best_evidence.npy": npy("(1, 1)", data=bytes(8))}, "array best_evidence is broken: it has shape"),
        ({"best_evidence.npy": npy("(1,)", "<U2", bytes(8))}, "array best_evidence is broken"),
        ({"x.npy": b"no array"}, "t.npz is broken"),
        ({f"{k}.npy": b"" for k in range(10_001)}, "too large: its 10001 arrays"),
        ({"zeros.npy": npy("(1,)", data=bytes(2 << 20))}, "too large"),
    ],
)
def test_a_trace_that_asks_for_what_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, members: dict[str, bytes], told: str
) -> None:
    monkeypatch.setattr("saccade.files.npz.NPZ_BYTES", 1 << 20)
    (tmp_path / "t.npz").write_bytes(packed(members))
    with pytest.raises(RunError, match=rf"t\.npz.*({told})|({told})"):
        read_trace(tmp_path / "t.npz")


@pytest.mark.parametrize("keep", [0, 3, 40, -30, -1])
def test_a_trace_that_was_cut(tmp_path: Path, keep: int) -> None:
    np.savez_compressed(tmp_path / "t.npz", best_evidence=np.arange(99.0))
    whole = (tmp_path / "t.npz").read_bytes()
    (tmp_path / "t.npz").write_bytes(whole[:keep])
    with pytest.raises(RunError, match=r"t\.npz"):
        read_trace(tmp_path / "t.npz")
