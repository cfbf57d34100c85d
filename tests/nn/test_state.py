"""Saved state: there and back, mapped, written whole or not at all; torch's files without running code."""

from __future__ import annotations

import io
import json
import os
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, dtypes, jit, nn
from saccade.fuzz.files.file_corpus import archived, torch_files
from saccade.nn.saved.mapped import StateError
from saccade.nn.saved.safetensors import SafeTensors, save_file
from saccade.nn.saved.torch_file import load_torch
from saccade.tensor.functional.random import default_generator

KINDS = ["float64", "float32", "float16", "bfloat16", "float8_e4m3", "float8_e5m2", "int64", "uint8", "bool"]


def test_there_and_back(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    tensors = {kind: Tensor([[0.0, 1.0, 2.0]]).cast(kind) for kind in KINDS}
    tensors |= {"empty": Tensor.zeros(0, 3), "one": Tensor(1.5), "view": Tensor([[1.0, 2.0], [3.0, 4.0]]).T}
    nn.state.save(tensors, path, {"by": "me"})
    found = nn.state.load(path)
    assert found.metadata == {"by": "me"}
    assert list(found) == list(tensors)
    for name, tensor in tensors.items():
        assert (found[name].dtype, found[name].shape) == (tensor.dtype, tensor.shape)
        assert found[name].tolist() == tensor.tolist()
    (found["float32"].clone()).add_(1)


@pytest.mark.host_memory
def test_what_is_mapped_is_not_written_to(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    save_file({"w": Tensor([1.0, 2.0])}, path)
    with pytest.raises(ValueError, match="read-only"):
        SafeTensors(path)["w"].add_(1)


def test_tensors_are_mapped_and_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    save_file({"w": Tensor([1.0, 2.0])}, path)
    found = SafeTensors(path)
    with open(path, "r+b") as file:
        file.seek(-4, os.SEEK_END)
        file.write(np.float32(7.0).tobytes())
    assert found["w"].tolist() == [1.0, 7.0]


def test_trees(tmp_path: Path) -> None:
    model = nn.Linear(3, 2)
    optimizer = nn.optim.AdamW(model.parameters(), lr=0.125)
    (model(Tensor.ones(1, 3)) ** 2).sum().backward()
    optimizer.step()
    path = tmp_path / "last.safetensors"
    nn.state.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": 3}, path)
    found = nn.state.load(path)
    assert found["step"] == 3
    other = nn.Linear(3, 2)
    again = nn.optim.AdamW(other.parameters())
    other.load_state_dict(found["model"])
    again.load_state_dict(found["optimizer"])
    assert other.weight.tolist() == model.weight.tolist()
    assert again.param_groups[0]["lr"] == 0.125
    for one, two in ((model, optimizer), (other, again)):
        two.zero_grad()
        (one(Tensor.ones(1, 3)) ** 2).sum().backward()
        two.step()
    assert other.weight.tolist() == model.weight.tolist()
    for wrong in ({"a": {1: 2}}, {"a": object()}, {"a.b": Tensor(1.0), "a": {"b": Tensor(2.0)}, "c": 1}):
        with pytest.raises(StateError):
            nn.state.save(wrong, path)
    assert nn.state.load(path)["step"] == 3


def test_an_interrupted_training_goes_on_to_the_bit(tmp_path: Path) -> None:
    path, x = tmp_path / "last.safetensors", Tensor(np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3))

    def made() -> tuple[nn.Module, nn.optim.Optimizer]:
        model = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.Dropout(0.5), nn.Linear(8, 1))
        return model, nn.optim.AdamW(model.parameters(), lr=0.1)

    @jit
    def step(model: nn.Module, optimizer: nn.optim.Optimizer, x: Tensor) -> None:
        (model(x) ** 2).sum().backward()
        optimizer.step()
        optimizer.zero_grad()

    Tensor.manual_seed(3)
    model, optimizer = made()
    for number in range(4):
        if number == 2:
            parts = {"model": model, "optimizer": optimizer, "generator": default_generator}
            nn.state.save({name: part.state_dict() for name, part in parts.items()}, path)
        step(model, optimizer, x)
    Tensor.manual_seed(7)
    again, other = made()
    found = nn.state.load(path)
    again.load_state_dict(found["model"])
    other.load_state_dict(found["optimizer"])
    default_generator.load_state_dict(found["generator"])
    for _ in range(2):
        step(again, other, x)
    for name, tensor in model.state_dict().items():
        assert np.array_equal(again.state_dict()[name].numpy(), tensor.numpy()), name


def test_a_save_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.safetensors"
    save_file({"w": Tensor([1.0])}, path)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        save_file({"w": Tensor([2.0])}, path)
    monkeypatch.undo()
    assert SafeTensors(path)["w"].tolist() == [1.0]
    assert [each.name for each in tmp_path.iterdir()] == ["a.safetensors"]


def test_complex_numbers_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(StateError, match=r"cannot save 'b' of complex64.*view_as_real"):
        save_file({"a": Tensor([1.0]), "b": Tensor([1j])}, tmp_path / "x.safetensors")
    assert not list(tmp_path.iterdir())


def test_what_the_other_library_writes_and_reads(tmp_path: Path) -> None:
    library = pytest.importorskip("safetensors.numpy")
    path = tmp_path / "a.safetensors"
    arrays = {"x": np.arange(6, dtype=np.float32).reshape(2, 3), "n": np.arange(3)}
    library.save_file(arrays, path)
    found = nn.state.load(path)
    assert {name: found[name].tolist() for name in found} == {k: v.tolist() for k, v in arrays.items()}
    save_file({name: Tensor(value) for name, value in arrays.items()}, path)
    assert {name: value.tolist() for name, value in library.load_file(path).items()} == {
        k: v.tolist() for k, v in arrays.items()
    }


def header(entries: Any, data: bytes = b"") -> bytes:
    text = json.dumps(entries).encode()
    return len(text).to_bytes(8, "little") + text + data


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "only 0 bytes"),
        (b"\xff" * 20, "header would have"),
        (header({"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}, b"1234"), "has shape|was cut"),
        (header({"w": {"dtype": "F3", "shape": [1], "data_offsets": [0, 4]}}, b"1234"), "type 'F3'"),
        (header({"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}}, b"1234"), "does not fit"),
        (
            header({"w": {"dtype": "F32", "shape": [1], "data_offsets": [4, 8]}}, b"12341234"),
            "begins at byte 4",
        ),
        (header({"__metadata__": {"a": 1}}), "metadata"),
        (header({"__metadata__": {"saccade.tree": '{"dict": {"a": {"tensor": "w"}}}'}}), "no 'w'"),
    ],
)
def test_broken_files(tmp_path: Path, content: bytes, told: str) -> None:
    path = tmp_path / "a.safetensors"
    path.write_bytes(content)
    with pytest.raises(StateError, match=told) as error:
        nn.state.load(path)
    assert str(path) in str(error.value)


# --- torch's files


def test_a_torch_file(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    path = tmp_path / "a.pth"
    base = torch.arange(12.0).reshape(3, 4)
    saved = {
        "plain": base,
        "turned": base.T,
        "part": base[1:, ::2],
        "half": base.half(),
        "brain": base.bfloat16(),
        "small": base.to(torch.float8_e4m3fn),
        "wide": torch.tensor([1, 2], dtype=torch.uint16),
        "whole": torch.arange(3),
        "yes": torch.tensor([True, False]),
        "number": torch.tensor(2.5),
        "none": torch.zeros(0, 3),
        "param": torch.nn.Parameter(base),
        "more": {"step": 3, "rates": [0.1, None, "text", (1, 2)]},
    }
    torch.save(saved, path)
    found = load_torch(path)
    assert list(found) == list(saved)
    for name, value in saved.items():
        if name != "more":
            assert found[name].dtype is dtypes.of(value.dtype)
            assert found[name].tolist() == value.tolist(), name
    assert found["more"] == saved["more"]
    module = torch.nn.Sequential(torch.nn.Conv2d(2, 3, 3), torch.nn.BatchNorm2d(3))
    torch.save(module.state_dict(), path)
    ours = nn.Sequential(nn.Conv2d(2, 3, 3), nn.BatchNorm2d(3))
    ours.load_state_dict(nn.state.load(path))
    assert ours[0].weight.tolist() == module[0].weight.tolist()


@pytest.mark.parametrize("zipped", [True, False])
def test_complex_and_marked_tensors_of_a_torch_file(tmp_path: Path, zipped: bool) -> None:
    """torch saves conjugated and negated views as memory and a mark."""
    torch = pytest.importorskip("torch")
    z = torch.tensor([[1 + 2j, 3 - 4j, 0.5j]])
    saved = {"z": z, "turned": z.T, "wide": z.cdouble(), "conj": z.conj(), "negative": z.clone().conj().imag}
    torch.save(saved, tmp_path / "z.pt", _use_new_zipfile_serialization=zipped)
    found = nn.state.load(tmp_path / "z.pt")
    for name, value in saved.items():
        assert found[name].dtype is dtypes.of(value.dtype)
        assert found[name].tolist() == value.tolist(), name


def test_what_cannot_be_saved_is_named(tmp_path: Path) -> None:
    loop: dict[str, object] = {}
    loop["self"] = loop
    with pytest.raises(StateError, match="contains itself"):
        nn.state.save(loop, tmp_path / "x.safetensors")
    with pytest.raises(StateError, match="'state' has the key 0"):
        nn.state.save({"state": {0: Tensor([1.0])}}, tmp_path / "x.safetensors")
    assert not list(tmp_path.iterdir())


def test_a_file_with_more_behind_it_was_not_cut(tmp_path: Path) -> None:
    nn.state.save({"a": Tensor([1.0])}, tmp_path / "x.safetensors")
    with open(tmp_path / "x.safetensors", "ab") as file:
        file.write(b"more")
    with pytest.raises(StateError, match="something was added"):
        nn.state.load(tmp_path / "x.safetensors")


def test_a_torch_file_without_torch(tmp_path: Path) -> None:
    path = tmp_path / "a.pt"
    path.write_bytes(archived(torch_files()[0]))
    found = nn.state.load(path)
    assert found["w"].tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    assert (found["b"].tolist(), found["more"]) == ([3.0, 4.0, 5.0], [1, 1.5, None])
    assert jit(lambda w: w * 2)(found["w"]).tolist() == [[0.0, 2.0, 4.0], [6.0, 8.0, 10.0]]


class Evil:
    def __reduce__(self) -> tuple[Any, ...]:
        return (os.system, ("echo harm > harmed",))


def pickled(value: object, protocol: int) -> bytes:
    return archived({"a/data.pkl": pickle.dumps(value, protocol)})


@pytest.mark.parametrize("protocol", [0, 2, 4])
def test_nothing_is_run(tmp_path: Path, protocol: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "a.pt"
    path.write_bytes(pickled({"w": Evil()}, protocol))
    with pytest.raises(StateError, match=r"data\.pkl"):
        load_torch(path)
    assert not (tmp_path / "harmed").exists()


def test_keys_without_end(tmp_path: Path) -> None:
    """Python's own hash of them ends in a crash, which 200,000 of the first are enough for, or never."""
    path = tmp_path / "a.pt"
    for key in (b")" + b"\x85" * 250_000, b")" + b"q\x00h\x00\x86" * 100):
        for whole in (
            b"}" + key + b"Ns",
            b"}(" + key + b"Nu",
            b"(" + key + b"\x91",
            b"\x8f(" + key + b"\x90",
        ):
            path.write_bytes(archived({"a/data.pkl": b"\x80\x04" + whole + b"."}))
            with pytest.raises(StateError, match="with many parts"):
                nn.state.load(path)


def changed(**members: bytes) -> bytes:
    names = {"pickle": "a/data.pkl", "order": "a/byteorder", "storage": "a/data/0"}
    return archived({**torch_files()[0], **{names[key]: value for key, value in members.items()}})


def test_broken_torch_files(tmp_path: Path) -> None:
    path = tmp_path / "a.pt"
    told = torch_files()[0]["a/data.pkl"]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a/data.pkl", told)
    cases = {
        b"PK": "zip",
        b"\x80\x02.": "zip archive|tensor file",
        archived({"a/x": b""}): "data.pkl",
        packed.getvalue(): "packed",
        changed(order=b"big"): "order",
        changed(storage=b"1234"): "not in its 1 elements",
        changed(pickle=told[:-1]): "no end|STOP|pickle",
        changed(pickle=told.replace(b"K\x02K\x03\x86", b"K\x09K\x03\x86")): "not in its 6 elements",
        changed(pickle=told.replace(b"FloatStorage", b"CloudStorage")): "CloudStorage",
        changed(pickle=b"\x80\x02]q\x00h\x00a."): "holds itself",
        changed(pickle=b"\x80\x02" + b"]" * 100_000 + b"a" * 99_999 + b"."): "nested",
        changed(pickle=b"\x80\x02]" + b"q\x00h\x00\x86" * 60 + b"."): "more than",
        changed(
            pickle=b"\x80\x02](" + b"K\x01" * 100_000 + b"eq\x00" + b"ctorch\nSize\nh\x00\x85R" * 1000 + b"."
        ): "again and again",
    }
    for content, wanted in cases.items():
        path.write_bytes(content)
        with pytest.raises(StateError, match=wanted) as error:
            nn.state.load(path) if wanted != "zip archive|tensor file" else load_torch(path)
        assert str(path) in str(error.value)


def legacy_file(tmp_path: Path) -> tuple[Path, Any]:
    """A file as torch wrote them before version 1.6; two tensors share memory."""
    torch = pytest.importorskip("torch")
    path, base = tmp_path / "old.pth", torch.arange(12, dtype=torch.float32)
    saved = {"w": base.reshape(3, 4), "turned": base.reshape(3, 4).T, "n": torch.tensor(7), "epoch": 3}
    torch.save(saved, path, _use_new_zipfile_serialization=False)
    return path, saved


def test_files_of_old_torch(tmp_path: Path) -> None:
    path, saved = legacy_file(tmp_path)
    found = nn.state.load(path)
    assert list(found) == list(saved)
    assert found["epoch"] == 3
    for name in ("w", "turned", "n"):
        assert found[name].tolist() == saved[name].tolist()


def test_old_files_that_are_cut_or_changed(tmp_path: Path) -> None:
    path, _ = legacy_file(tmp_path)
    whole = path.read_bytes()
    for length in (2, 20, 100, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(StateError):
            nn.state.load(path)
    path.write_bytes(whole.replace(b"_rebuild_tensor_v2", b"_rebuild_tensor_v9"))
    with pytest.raises(StateError, match="_rebuild_tensor_v9, which weights do not need"):
        nn.state.load(path)


@pytest.mark.skipif(os.name != "posix", reason="no pipes with names")
def test_a_pipe_is_no_place_for_a_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="a device or a pipe"):
        nn.state.save({"a": Tensor([1.0])}, pipe)
    assert pipe.is_fifo()
