"""GGUF files: metadata of every type, tensors of every format bit for bit, and a clear error for the rest."""

from __future__ import annotations

import os
import re
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saccade import Tensor
from saccade.fuzz.files.gguf_corpus import Described, Pair, every_value, gguf_bytes
from saccade.fuzz.files.model_corpus import model_bytes
from saccade.llm import Gguf, GgufError, Llama
from saccade.llm.files.gguf_header import Cursor
from saccade.llm.files.texts import Texts
from saccade.llm.weights.quants import FORMATS

from .blocks import VALUES

KINDS = {form.name: kind for kind, form in FORMATS.items()}
MISSING = "the package gguf is missing: pip install gguf"


def file_of(
    folder: Path, pairs: list[Pair] | None = None, tensors: list[Described] | None = None, **more: Any
) -> Path:
    path = folder / "a.gguf"
    path.write_bytes(gguf_bytes(pairs or [], tensors or [], **more))
    return path


def some_blocks(name: str, rows: int, blocks: int) -> np.ndarray[Any, Any]:
    """Blocks of a format at random (rows, blocks * bytes), a few of them all zeros or all ones."""
    found = np.random.default_rng(7).integers(0, 256, (rows, blocks, FORMATS[KINDS[name]].bytes), np.uint8)
    found[0, 0], found[-1, -1] = 0, 255
    return found.reshape(rows, -1)


def same_bits(found: np.ndarray[Any, Any], wanted: np.ndarray[Any, Any]) -> bool:
    """Equal to the bit; a NaN is a NaN."""
    both = np.isnan(found) & np.isnan(wanted)
    return bool(((found.view("u4") == wanted.view("u4")) | both).all())


def test_metadata_of_every_type(tmp_path: Path) -> None:
    found = Gguf(file_of(tmp_path, every_value())).metadata
    for key, kind, value in every_value():
        got = found[key]
        if isinstance(got, np.ndarray):
            assert got.dtype == ("bool" if kind == "[bool" else np.dtype(kind[1:]))
            assert got.tolist() == value
        elif kind == "[[i":
            assert [item.tolist() for item in got] == value
        else:
            assert got == value
            assert type(got) is (Texts if kind == "[text" else type(value))


@pytest.mark.parametrize("name", KINDS)
def test_a_format_is_what_plain_loops_make_of_it(name: str, tmp_path: Path) -> None:
    form, rows, blocks = FORMATS[KINDS[name]], 5, 3
    raw = some_blocks(name, rows, blocks)
    shape = (rows, blocks * form.items)
    file = Gguf(
        file_of(tmp_path, tensors=[("first", (1,), 0, bytes(4)), ("w", shape, KINDS[name], raw.tobytes())])
    )
    with np.errstate(all="ignore"):
        each = [
            VALUES[name](row[i : i + form.bytes].tobytes())
            for row in raw
            for i in range(0, raw.shape[1], form.bytes)
        ]
    assert (file["w"].shape, file["w"].format) == (shape, name)
    found = file["w"].dequantised()
    assert (found.shape, found.dtype.name) == (shape, "float32")
    assert same_bits(found.numpy(), np.array(each, np.float32).reshape(shape))


#: One format of each layout of blocks.
LAYOUTS = ("F16", "Q4_1", "Q8_0", "Q5_K", "Q6_K")
SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in KINDS if name not in LAYOUTS]


@pytest.mark.parametrize("name", [*LAYOUTS, *SLOW])
def test_a_product_goes_by_parts(name: str, tmp_path: Path) -> None:
    form, random = FORMATS[KINDS[name]], np.random.default_rng(2)
    raw = random.integers(0, 256, (4, 3, form.bytes), np.uint8)
    exponents = {
        "F32": [3],
        "Q6_K": [209],
        "MXFP4": [0],
        "Q4_1": [1, 3],
        "Q5_1": [1, 3],
        "Q4_K": [1, 3],
        "Q5_K": [1, 3],
    }
    raw[..., exponents.get(name, [1])] &= 0x3B  # scales that are no NaN
    file = Gguf(file_of(tmp_path, tensors=[("w", (4, 3 * form.items), KINDS[name], raw.tobytes())]))
    x = random.normal(size=(2, 3 * form.items)).astype(np.float32)
    found = form.product(file["w"].raw(), Tensor(x)).numpy()
    values = file["w"].dequantised().numpy().astype(float)
    assert np.isfinite(values).all()
    np.testing.assert_allclose(found, x @ values.T, rtol=0, atol=1e-5 * (np.abs(x) @ np.abs(values).T).max())
    if form.unpack is not None:  # 32 neighbours of x by one step
        x[0, :32] = 0
        groups = x.reshape(2, -1, 32)
        step = np.abs(groups).max(-1, keepdims=True) / np.float32(127)
        rounded = (np.rint(groups / np.where(step == 0, 1, step)) * step).reshape(2, -1).astype(float)
        found = form.product(file["w"].raw(), Tensor(x), "int8").numpy()
        tolerance = 1e-5 * (np.abs(x) @ np.abs(values).T).max()
        np.testing.assert_allclose(found, rounded @ values.T, rtol=0, atol=tolerance)


@pytest.mark.parametrize("name", KINDS)
def test_a_format_is_what_its_own_library_makes_of_it(name: str) -> None:
    gguf = pytest.importorskip("gguf", reason=MISSING)
    form = FORMATS[KINDS[name]]
    raw = some_blocks(name, 5, 3)
    with np.errstate(all="ignore"):
        wanted = gguf.quants.dequantize(raw, gguf.GGMLQuantizationType(KINDS[name]))
    shape = (5, 3) if form.dtype else (5, 3, form.bytes)
    stored = Tensor(raw).bitcast(form.dtype) if form.dtype else Tensor(raw.reshape(shape))
    found = form.dequantised(stored).reshape(5, -1).numpy()
    assert same_bits(found, np.ascontiguousarray(wanted, np.float32).reshape(found.shape))


@pytest.mark.parametrize("name", ["Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "MXFP4"])
def test_values_survive_the_librarys_quantiser(name: str) -> None:
    """What is quantised by the format's library comes back near to what it was: order and signs are right.
    Of the formats above, these are the ones it writes."""
    gguf = pytest.importorskip("gguf", reason=MISSING)
    values = np.random.default_rng(1).normal(size=(4, 64)).astype(np.float32)
    raw = gguf.quants.quantize(values, gguf.GGMLQuantizationType(KINDS[name]))
    form = FORMATS[KINDS[name]]
    found = form.dequantised(Tensor(raw.reshape(4, -1, form.bytes))).reshape(4, 64).numpy()
    assert np.corrcoef(found.ravel(), values.ravel())[0, 1] > 0.99


@pytest.mark.host_memory
def test_tensors_are_the_files_own_bytes(tmp_path: Path) -> None:
    path = file_of(tmp_path, tensors=[("w", (1, 32), KINDS["Q8_0"], b"\0\x3c" + bytes(range(32)))])
    file = Gguf(path)
    assert file["w"].raw().shape == (1, 1, 34)
    with open(path, "r+b") as opened:
        opened.seek(-1, os.SEEK_END)
        opened.write(b"\xff")
    assert file["w"].dequantised().tolist() == [[*range(31), -1.0]]
    with pytest.raises(ValueError, match="read-only"):
        file["w"].raw().add_(1)


def test_unpacking_is_part_of_the_product(tmp_path: Path) -> None:
    raw = np.concatenate(
        [np.full((8, 1, 2), [0, 0x3C], np.uint8), np.arange(256, dtype=np.uint8).reshape(8, 1, 32)], -1
    )
    file = Gguf(file_of(tmp_path, tensors=[("w", (8, 32), KINDS["Q8_0"], raw.tobytes())]))
    x = np.random.default_rng(0).normal(size=32).astype(np.float32)
    found = (file["w"].dequantised() @ Tensor(x)).numpy()
    np.testing.assert_allclose(
        found, np.arange(256, dtype=np.uint8).view(np.int8).reshape(8, 32) @ x.astype(float), rtol=1e-5
    )


def test_a_format_that_is_not_known_is_named_when_it_is_used(tmp_path: Path) -> None:
    file = Gguf(file_of(tmp_path, [("x", "I", 5)], [("w", (256,), 16, bytes(66)), ("v", (1,), 0, bytes(4))]))
    assert file.metadata["x"] == 5
    assert file["w"].format == "IQ2_XXS"
    with pytest.raises(
        GgufError, match=r"a\.gguf, tensor 'w' has format IQ2_XXS, .* convert the model to one of F32, "
    ):
        file["w"].dequantised()


def exchanged(pairs: list[Pair], old: tuple[int, ...], new: tuple[int, ...]) -> bytes:
    """A file in which some lengths are others."""
    found = [struct.pack(f"<{len(old)}Q", *numbers) for numbers in (old, new)]
    return gguf_bytes(pairs).replace(*found)


W: Described = ("w", (32,), 8, bytes(34))
WRONG = [
    (gguf_bytes([], version=1), "it has version 1"),
    (b"GGUF" + struct.pack(">IQQ", 3, 0, 0), "big endian"),
    (b"GGML" + bytes(40), "it is no GGUF file: it begins with b'GGML'"),
    (b"", "it is no GGUF file"),
    (b"GGUF\3\0", "it was cut: 4 bytes are due at byte 4 of 6"),
    (b"GGUF" + struct.pack("<IQQ", 3, 1 << 60, 0), "1152921504606846976 tensors do not fit into the 8 bytes"),
    (b"GGUF" + struct.pack("<IQQ", 3, 0, 1 << 60), "pairs of metadata do not fit"),
    (gguf_bytes([("a", "I", 1), ("a", "I", 1)]), "metadata 'a' is broken: there are two of that name"),
    (gguf_bytes([], [W, W]), "tensor 'w' is broken: there are two of that name"),
    (gguf_bytes([("general.alignment", "I", 24)]), "general.alignment is 24, and a power of two is due"),
    (gguf_bytes([("general.alignment", "I", 0)]), "general.alignment is 0"),
    (gguf_bytes([("general.alignment", "text", "8")]), "general.alignment is '8'"),
    (gguf_bytes([("a", "bool", 7)]), "metadata 'a' is broken: a bool is 0 or 1, and not 7"),
    (gguf_bytes([("a", "[bool", [1, 7])]), "a bool is 0 or 1, and not 7"),
    (gguf_bytes([("a", "[[[[[i", [[[[[1]]]]])]), "arrays are nested more than 4 deep"),
    (gguf_bytes([("a" * 70_000, "I", 1)]), "a name has 70000 bytes, and at most 65536 are read"),
    (gguf_bytes([], [("w", (1, 1, 1, 1, 1), 0, bytes(4))]), "it has 5 axes, and at most 4 are read"),
    (gguf_bytes([], [("w", (2, 33), 8, bytes(68))]), "its rows of 33 are no blocks of 32, as Q8_0 has them"),
    (gguf_bytes([], [("w", (), 8, bytes(34))]), "its rows of 1 are no blocks of 32, as Q8_0 has them"),
    (gguf_bytes([], [("w", (1 << 62, 32), 8, bytes(34))]), "it was cut"),
    (gguf_bytes([], [W])[:-1], "tensor 'w' is broken: it ends at byte 98, and the file at 97: it was cut"),
    (gguf_bytes([], [W, ("v", (32,), 8, bytes(34))], 8), "is no multiple of 32"),
    (gguf_bytes([("a", "text", "xyz")]).replace(b"xyz", b"x\xffz"), r"byte 1 \(0xff\) is no utf-8 text"),
    (exchanged([("a", "text", "vwxyz")], (5,), (1 << 63,)), "it was cut"),
    (exchanged([("a", "[Q", [7])], (1, 7), (1 << 61, 7)), "it was cut"),
    (exchanged([("a", "[text", ["xy"])], (1, 2), (99, 2)), "99 texts"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "told"), WRONG, ids=[told for _, told in WRONG])
def test_what_is_wrong_with_a_file_is_said(content: bytes, told: str, tmp_path: Path) -> None:
    path = tmp_path / "a.gguf"
    path.write_bytes(content)
    with pytest.raises(GgufError, match=told) as caught:
        Gguf(path)
    assert str(path) in str(caught.value)
    assert "fetch it again, or convert the model again" in str(caught.value)


def test_tensors_of_no_axes_and_of_no_elements(tmp_path: Path) -> None:
    made: list[Described] = [
        ("one", (), 0, b"\0\0\x80?"),
        ("none", (0, 32), 8, b""),
        ("empty", (2, 0), 2, b""),
    ]
    file = Gguf(file_of(tmp_path, tensors=made))
    assert [each.dequantised().tolist() for each in file.values()] == [1.0, [], [[], []]]


def test_overlapping_tensors_are_refused(tmp_path: Path) -> None:
    good = gguf_bytes([], [W, ("v", (32,), 8, bytes(34))])
    offset = struct.pack("<IQ", 8, 64)
    assert good.count(offset) == 1
    path = tmp_path / "a.gguf"
    path.write_bytes(good.replace(offset, struct.pack("<IQ", 8, 32)))
    with pytest.raises(GgufError, match="begins at byte 32 of the data, where another one ends at 34"):
        Gguf(path)


def test_what_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(GgufError, match="cannot be read: No such file"):
        Gguf(tmp_path / "none.gguf")
    with pytest.raises(GgufError, match="no regular file"):
        Gguf(tmp_path)


def resident(kind: str) -> int:
    """Bytes of this process in memory, of files ("RssFile") or its own ("RssAnon")."""
    found = re.search(rf"{kind}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) * 1024


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is counted by Linux here")
def test_weights_that_are_laid_out_anew_are_not_held_twice(tmp_path: Path) -> None:
    """18 MB in Q8_0: in lanes they are 18 MB of this process, and none of the file."""
    path, wide = tmp_path / "wide.gguf", 1024
    pairs, tensors = wide_model(wide)
    path.write_bytes(gguf_bytes(pairs, tensors))
    size = path.stat().st_size
    assert size > 16e6
    Llama.from_gguf(path, "int8")  # what is compiled and imported is there
    before, own = resident("RssFile"), resident("RssAnon")
    del tensors
    model = Llama.from_gguf(path, "int8")
    assert resident("RssFile") - before < 0.15 * size
    assert resident("RssAnon") - own < 1.15 * size
    assert len(model.blocks) == 1


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is counted by Linux here")
def test_a_row_of_a_cache_is_no_copy(tmp_path: Path) -> None:
    """Of a cache with room for many tokens a text takes what it writes to, alone and beside others."""
    path = tmp_path / "long.gguf"
    path.write_bytes(model_bytes(context=1 << 17))
    model = Llama.from_gguf(path)
    cache = model.cache(1 << 17, batch=3)
    model(Tensor([[5, 6, 7]]), cache.row(0)).numpy()  # what is compiled is there
    own = resident("RssAnon")
    wanted = model(Tensor([[5, 6, 7]]), cache.row(1)).numpy()
    assert resident("RssAnon") - own < 0.1 * sum(each[:1].nbytes for each in cache.keys)
    assert cache.lengths.tolist() == [3, 3, 0]
    keys = cache.keys[0].numpy()
    assert np.array_equal(keys[0], keys[1])
    assert keys[1, :, :3].any()
    assert not keys[2].any()
    assert np.array_equal(model(Tensor([[5, 6, 7]]), cache.row(2)).numpy(), wanted)


def wide_model(width: int) -> tuple[list[Pair], list[Described]]:
    """A block, its matrices in Q8_0."""
    sizes = {
        "block_count": 1, "context_length": 64, "embedding_length": width, "feed_forward_length": 4 * width,
        "attention.head_count": 8,
    }  # fmt: skip
    pairs: list[Pair] = [("general.architecture", "text", "llama")]
    pairs += [(f"llama.{key}", "I", value) for key, value in sizes.items()]
    pairs += [("llama.attention.layer_norm_rms_epsilon", "f", 1e-5)]
    rows = {"attn_q": 1, "attn_k": 1, "attn_v": 1, "attn_output": 1, "ffn_gate": 4, "ffn_up": 4}
    matrices = {f"blk.0.{name}": (width * times, width) for name, times in rows.items()}
    matrices |= {"blk.0.ffn_down": (width, 4 * width), "token_embd": (256, width)}
    made: list[Described] = [
        (f"{name}.weight", shape, 8, bytes(shape[0] * shape[1] // 32 * 34))
        for name, shape in matrices.items()
    ]
    norms = ("blk.0.attn_norm", "blk.0.ffn_norm", "output_norm")
    return pairs, [*made, *((f"{name}.weight", (width,), 0, bytes(4 * width)) for name in norms)]


def test_texts_are_the_same_many_at_once_as_one_by_one() -> None:
    random = np.random.default_rng(5)
    for kind in range(8):
        texts = ["".join(random.choice(list("abé€ \U0001f600"), size)) for size in random.integers(0, 9, 300)]
        if kind & 1:
            texts[7] = "x" * 255
            texts[100] = "y" * 256  # its length has two bytes
        if kind & 2:
            texts[50], texts[200] = "a\0b", "\0" * 20  # zeros, some of which read like a length
        if kind & 4:
            texts *= 200  # more than a window
        data = b"".join(len(each.encode()).to_bytes(8, "little") + each.encode() for each in texts)
        cursor = Cursor(memoryview(data + b"\x01" * 12))
        assert cursor.texts(len(texts)) == texts
        assert cursor.at == len(data)


def test_a_broken_text_among_many_is_told() -> None:
    good = b"".join((3).to_bytes(8, "little") + b"abc" for _ in range(100))
    with pytest.raises(ValueError, match="'utf-8' codec can't decode"):
        Cursor(memoryview(good + (2).to_bytes(8, "little") + b"\xc3\x28" + good)).texts(201)
    with pytest.raises(ValueError, match="it was cut"):
        Cursor(memoryview(good[:-1])).texts(100)


def test_halves_of_a_character_are_no_texts() -> None:
    """Two texts that are UTF-8 only together."""
    halves = b"".join((1).to_bytes(8, "little") + each for each in (b"\xc3", b"\xa9") * 20)
    with pytest.raises(ValueError, match="'utf-8' codec can't decode"):
        Cursor(memoryview(halves)).texts(40)


def test_norms_hold_no_page_of_the_file(tmp_path: Path) -> None:
    """A page that is read brings its neighbours, which were 9 MB for the norms of a small model."""
    path = tmp_path / "model.gguf"
    path.write_bytes(model_bytes())
    file = Gguf(path)
    model = Llama.from_gguf(file)
    mapped = np.frombuffer(file._file.data, np.uint8)
    assert np.shares_memory(file["output_norm.weight"].raw().numpy(), mapped)
    for norm in (model.norm, model.blocks[0].attention_norm, model.blocks[0].inner_norm):
        assert norm is not None
        assert not np.shares_memory(norm.numpy(), mapped)
