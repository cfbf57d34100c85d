"""Encoders: the vectors of a small BERT equal those of NumPy, whatever texts stand beside them."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saccade import Tensor
from saccade.fuzz.files.tokenizer_corpus import json_tokenizers
from saccade.llm.model.bert import Encoder
from saccade.llm.model.config import ConfigError
from saccade.llm.model.embeddings import read_embeddings, reply
from saccade.llm.serving.openai_api import BadRequest
from saccade.nn.saved.safetensors import save_file

Array = np.ndarray[Any, Any]
WIDTH, INNER, HEADS, LAYERS, PLACES = 32, 48, 4, 2, 64
MODULES = [
    {"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"},
    {"type": "sentence_transformers.models.Normalize"},
]
TEXTS = ["hello", "hello world hello world", "world " * 30, "x"]


def config(vocabulary: int) -> dict[str, Any]:
    return {
        "model_type": "bert", "hidden_act": "gelu", "vocab_size": vocabulary, "num_hidden_layers": LAYERS,
        "hidden_size": WIDTH, "intermediate_size": INNER, "num_attention_heads": HEADS,
        "max_position_embeddings": PLACES, "layer_norm_eps": 1e-12,
    }  # fmt: skip


def weights(vocabulary: int) -> dict[str, Array]:
    random = np.random.default_rng(3)
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (vocabulary, WIDTH),
        "embeddings.position_embeddings.weight": (PLACES, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
    }
    for n in range(LAYERS):
        own = f"encoder.layer.{n}"
        for name in ("attention.self.query", "attention.self.key", "attention.self.value"):
            shapes[f"{own}.{name}.weight"] = (WIDTH, WIDTH)
        shapes[f"{own}.attention.output.dense.weight"] = (WIDTH, WIDTH)
        shapes[f"{own}.intermediate.dense.weight"] = (INNER, WIDTH)
        shapes[f"{own}.output.dense.weight"] = (WIDTH, INNER)
    made = {name: random.normal(0, 0.3, shape) for name, shape in shapes.items()}
    made |= {
        name.replace("weight", "bias"): random.normal(0, 0.1, shape[0])
        for name, shape in shapes.items()
        if name.startswith("encoder")
    }
    owners = [f"encoder.layer.{n}.{part}" for n in range(LAYERS) for part in ("attention.output", "output")]
    for owner in ("embeddings", *owners):
        made[f"{owner}.LayerNorm.weight"] = random.normal(1, 0.1, WIDTH)
        made[f"{owner}.LayerNorm.bias"] = random.normal(0, 0.1, WIDTH)
    return {name: value.astype(np.float32) for name, value in made.items()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tokenizer = json_tokenizers()["byte-level"]
    (tmp_path / "tokenizer.json").write_text(json.dumps(tokenizer))
    (tmp_path / "config.json").write_text(json.dumps(config(300)))
    (tmp_path / "modules.json").write_text(json.dumps(MODULES))
    save_file({name: Tensor(value) for name, value in weights(300).items()}, tmp_path / "model.safetensors")
    return tmp_path


def reference(w: dict[str, Array], ids: list[int], first: bool = False) -> Array:
    """A text alone, in float64. first: its vector is that of its first token."""
    from math import erf

    wide = {name: value.astype(float) for name, value in w.items()}

    def dense(x: Array, name: str) -> Array:
        return x @ wide[f"{name}.weight"].T + wide[f"{name}.bias"]

    def normal(x: Array, name: str) -> Array:
        x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-12)
        return x * wide[f"{name}.LayerNorm.weight"] + wide[f"{name}.LayerNorm.bias"]

    own = "embeddings.{}_embeddings.weight"
    x = wide[own.format("word")][ids] + wide[own.format("position")][: len(ids)]
    x = normal(x + wide[own.format("token_type")][0], "embeddings")
    for n in range(LAYERS):
        layer = f"encoder.layer.{n}"
        q, k, v = (
            dense(x, f"{layer}.attention.self.{part}").reshape(len(ids), HEADS, -1).swapaxes(0, 1)
            for part in ("query", "key", "value")
        )
        scores = q @ k.swapaxes(1, 2) / np.sqrt(WIDTH // HEADS)
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        made = (shares / shares.sum(-1, keepdims=True) @ v).swapaxes(0, 1).reshape(len(ids), -1)
        x = normal(x + dense(made, f"{layer}.attention.output.dense"), f"{layer}.attention.output")
        up = dense(x, f"{layer}.intermediate.dense")
        up = up * 0.5 * (1 + np.vectorize(erf)(up / np.sqrt(2)))
        x = normal(x + dense(up, f"{layer}.output.dense"), f"{layer}.output")
    made = x[0] if first else x.mean(0)
    return np.asarray(made / np.linalg.norm(made))


@pytest.mark.parametrize(("pooling", "texts"), [({}, TEXTS), ({"pooling_mode_cls_token": True}, TEXTS[:1])])
def test_vectors_are_those_of_numpy(folder: Path, pooling: dict[str, Any], texts: list[str]) -> None:
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    encoder = Encoder.from_folder(folder)
    found = encoder.embed(texts)
    expected = [reference(weights(300), encoder.ids(text), bool(pooling)) for text in texts]
    np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize(
    ("pooling", "modules", "why"),
    [
        (
            {"pooling_mode_max_tokens": True},
            MODULES,
            "pools by .'pooling_mode_max_tokens'., and one of mean, cls",
        ),
        ({"pooling_mode": ["mean", "cls"]}, MODULES, "pools by .'mean', 'cls'."),
        (
            {},
            [{"type": "sentence_transformers.models.Dense"}],
            "a part is 'Dense', and Transformer, Pooling, ",
        ),
    ],
)
def test_other_ways_to_a_vector_are_named(
    folder: Path, pooling: dict[str, Any], modules: list[Any], why: str
) -> None:
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    (folder / "modules.json").write_text(json.dumps(modules))
    with pytest.raises(ConfigError, match=why):
        Encoder.from_folder(folder)


def test_a_long_text_is_cut(folder: Path) -> None:
    encoder = Encoder.from_folder(folder)
    assert len(encoder.ids("world " * 500)) == PLACES
    assert encoder.embed([]).shape == (0, WIDTH)
    with pytest.raises(ValueError, match="a text of 0 ids: 1 to 64 from 0 to 299 are due"):
        encoder.embed_ids([[]])


def test_requests_for_embeddings(folder: Path) -> None:
    encoder = Encoder.from_folder(folder)
    wanted = read_embeddings({"input": ["hello", [5, 6]], "model": "x", "encoding_format": "base64"}, encoder)
    vectors = encoder.embed_ids(wanted.ids)
    told = reply(wanted, vectors, "tiny")
    assert told["usage"] == {"prompt_tokens": sum(map(len, wanted.ids)), "total_tokens": 3}
    found = [np.frombuffer(base64.b64decode(each["embedding"]), "<f4") for each in told["data"]]
    np.testing.assert_array_equal(found, vectors)
    plain = reply(read_embeddings({"input": "hello"}, encoder), vectors[:1], "tiny")
    np.testing.assert_allclose(plain["data"][0]["embedding"], vectors[0])


@pytest.mark.parametrize(
    ("body", "parameter"),
    [
        ({"input": ""}, "input"),
        ({"input": []}, "input"),
        ({"input": [[]]}, "input"),
        ({"input": [300]}, "input"),
        ({"input": [1] * 65}, "input"),
        ({"input": "x", "dimensions": 7}, "dimensions"),
        ({"input": "x", "encoding_format": "int8"}, "encoding_format"),
        ({"input": "x", "prompt": "y"}, "prompt"),
        ([], None),
    ],
)
def test_wrong_requests_are_named(folder: Path, body: Any, parameter: str | None) -> None:
    with pytest.raises(BadRequest) as caught:
        read_embeddings(body, Encoder.from_folder(folder))
    assert caught.value.parameter == parameter


def test_the_command(folder: Path) -> None:
    from typer.testing import CliRunner

    from saccade.cli.app import app

    found = CliRunner().invoke(app, ["embed", str(folder), "hello", "world", "--json"])
    assert found.exit_code == 0, found.output
    told = json.loads(found.stdout)
    assert [each["text"] for each in told["texts"]] == ["hello", "world"]
    expected = Encoder.from_folder(folder).embed(["hello", "world"])
    np.testing.assert_allclose([each["vector"] for each in told["texts"]], expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"model_type": "roberta"}, "its model_type is 'roberta', and bert is known here"),
        ({"hidden_act": "relu"}, "its hidden_act is 'relu'"),
        ({"num_attention_heads": 5}, "do not fit"),
        ({"num_hidden_layers": 3}, "tensor 'encoder.layer.2.attention.self.query.weight' is missing"),
        ({"num_hidden_layers": 1 << 24}, "tensor 'encoder.layer.2.attention.self.query.weight' is missing"),
        ({"intermediate_size": 47}, r"is \(48, 32\), and \(47, 32\) is due"),
        ({"vocab_size": "x"}, "its vocabulary is 'x'"),
    ],
)
def test_what_does_not_fit_is_said(folder: Path, changed: dict[str, Any], why: str) -> None:
    (folder / "config.json").write_text(json.dumps(config(300) | changed))
    with pytest.raises(ConfigError, match=why):
        Encoder.from_folder(folder)
