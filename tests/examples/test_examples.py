"""The examples in short: the same code as the full forms, on little data."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, nn, no_grad
from saccade.examples import cifar, masked, mnist, photos, shakespeare
from saccade.examples.models import LlamaSize, efficientnet_lite0, gpt, llama, resnet18
from saccade.examples.step import take_over

VERSE = (
    "Shall I compare thee to a summer's day? Thou art more lovely and more temperate: rough winds do shake "
    "the darling buds of May, and summer's lease hath all too short a date. "
) * 12


def write_idx(path: Path, array: np.ndarray[Any, np.dtype[np.uint8]]) -> None:
    magic = 2051 if array.ndim == 3 else 2049
    head = b"".join(int(number).to_bytes(4, "big") for number in (magic, *array.shape))
    path.write_bytes(head + array.tobytes())


def test_files_of_mnist(tmp_path: Path) -> None:
    pictures = np.arange(2 * 28 * 28, dtype=np.uint8).reshape(2, 28, 28)
    write_idx(tmp_path / "train-images-idx3-ubyte", pictures)
    write_idx(tmp_path / "train-labels-idx1-ubyte", np.array([3, 7], np.uint8))
    data = mnist.load(tmp_path, "train")
    x, y = data[1]
    assert (x.shape, x.dtype, y) == ((1, 28, 28), np.float32, 7)
    np.testing.assert_allclose(x[0] * 0.3081 + 0.1307, pictures[1] / 255, atol=1e-6)
    with pytest.raises(FileNotFoundError, match="four files of MNIST"):
        mnist.load(tmp_path, "t10k")
    (tmp_path / "train-labels-idx1-ubyte").write_bytes(b"\0\0\x08\x01\0\0\0\x09\1")
    with pytest.raises(ValueError, match="was cut"):
        mnist.load(tmp_path, "train")


@pytest.mark.slow
def test_digits_are_learned() -> None:
    rng = np.random.default_rng(0)
    patterns = rng.standard_normal((10, 1, 7, 7)).repeat(4, 2).repeat(4, 3)

    def data(count: int) -> nn.data.TensorDataset:
        labels = rng.integers(0, 10, count)
        noise = rng.standard_normal((count, 1, 28, 28))
        return nn.data.TensorDataset((patterns[labels] + noise).astype(np.float32), labels)

    told: list[str] = []
    assert mnist.train(data(640), data(500), epochs=1, batch=32, tell=told.append) > 0.9
    assert "epoch 1" in told[0]


@pytest.mark.slow
@pytest.mark.skipif("SACCADE_MNIST" not in os.environ, reason="needs the folder of MNIST in SACCADE_MNIST")
def test_mnist_in_three_epochs() -> None:
    folder = Path(os.environ["SACCADE_MNIST"])
    assert mnist.train(mnist.load(folder, "train"), mnist.load(folder, "t10k")) >= 0.985


def test_a_character_model_has_torchs_losses() -> None:
    torch = pytest.importorskip("torch")
    size = shakespeare.Size(length=16, batch=4, width=16, heads=2, layers=1, rate=2e-2)
    found = shakespeare.losses(VERSE, 12, size, torch, tell=lambda _: None)
    assert len(found) == 12
    assert shakespeare.difference(found) < 1e-3
    assert found[-1][0] < found[0][0]


def test_texts_are_found_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("é" + VERSE * 6, encoding="utf-8")
    text = shakespeare.read(tmp_path)
    assert text == VERSE * 6
    ids, letters = shakespeare.letters_of(text)
    assert "".join(letters[i] for i in ids[:50]) == text[:50]
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="0 letters of text"):
        shakespeare.read(tmp_path / "empty")


def test_hidden_words() -> None:
    """15% are asked for; what is not is shown and passed over."""
    ids, letters = shakespeare.letters_of(VERSE)
    data = masked.Masked(ids, len(letters), 32)
    (batch,) = nn.data.DataLoader(data, len(data))
    text, asked = batch["text"].numpy(), batch["asked"].numpy()
    whole = ids[: text.size].reshape(text.shape)
    hidden = asked != masked.NOT_ASKED
    assert 0.1 < hidden.mean() < 0.25
    assert (asked[hidden] == whole[hidden]).all()
    assert (text[~hidden] == whole[~hidden]).all()
    assert 0.6 < (text[hidden] == len(letters)).mean() < 0.95


@pytest.mark.slow
def test_masked_words_are_learned() -> None:
    Tensor.manual_seed(0)
    ids, letters = shakespeare.letters_of(VERSE)
    found = masked.losses(ids, len(letters), 40, length=16, batch=8, width=32)
    assert np.mean(found[-5:]) < 0.9 * np.mean(found[:5])


@pytest.mark.slow
def test_float16_follows_float32() -> None:
    curves = {}
    for dtype in ("float32", "float16"):
        Tensor.manual_seed(0)
        curves[dtype] = cifar.losses(resnet18(nn, 10, small=True), dtype, steps=4, batch=4)
    np.testing.assert_allclose(curves["float16"], curves["float32"], rtol=0.05, atol=0.05)


@pytest.mark.slow
def test_efficientnet_is_torchs() -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    theirs = efficientnet_lite0(torch.nn, 10).eval()
    ours = efficientnet_lite0(nn, 10).eval()
    take_over(ours, theirs)
    x = np.random.default_rng(0).standard_normal((1, 3, 64, 64)).astype(np.float32)
    with torch.no_grad(), no_grad():
        np.testing.assert_allclose(ours(Tensor(x)).numpy(), theirs(torch.tensor(x)).numpy(), atol=1e-4)


def test_photos_become_squares() -> None:
    pytest.importorskip("PIL")
    picture = np.full((300, 400, 3), 127, np.uint8)
    found = photos.prepared(picture)
    assert (found.shape, found.dtype) == ((3, 224, 224), np.float32)
    assert np.abs(found).max() == 0


@pytest.mark.parametrize("tied", [False, True])
def test_a_tied_head_is_one_parameter(tied: bool) -> None:
    model = gpt(nn, 11, 4, width=8, heads=2, layers=1, tied=tied)
    names = [name for name, _ in model.named_parameters()]
    assert ("head.weight" in names) != tied
    assert "head.weight" in model.state_dict()


def test_llama_is_torchs() -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    size = LlamaSize(words=13, width=16, layers=1, heads=4, kv_heads=2, wide=24)
    theirs, ours = llama(torch.nn, size, torch.cat), llama(nn, size, Tensor.cat)
    take_over(ours, theirs)
    rng = np.random.default_rng(0)
    text, angles = rng.integers(0, 13, (2, 5)), rng.standard_normal((5, 2)).astype(np.float32)
    given = (text, np.cos(angles), np.sin(angles))
    with torch.no_grad(), no_grad():
        wanted = theirs(*map(torch.tensor, given)).numpy()
        np.testing.assert_allclose(ours(*map(Tensor, given)).numpy(), wanted, atol=1e-5)
