"""Models of the Llama family beside plain NumPy: whole texts, token by token, several texts; their sizes."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saccade import Tensor
from saccade.explain import explain
from saccade.fuzz.files.gguf_corpus import Described, Pair, gguf_bytes
from saccade.llm import Gguf, GgufError
from saccade.llm.model.config import ConfigError, LlamaConfig
from saccade.llm.model.llama import Llama
from saccade.llm.model.rope import RopeTables, rope_rows

from . import numpy_llama

WIDTH, INNER, HEADS, KV_HEADS, VOCABULARY, LAYERS = 64, 96, 4, 2, 40, 2
IDS = [3, 17, 39, 0, 17, 5, 22]


def matrix(random: np.random.Generator, name: str, rows: int, columns: int, kind: int) -> Described:
    """Numbers at random, as F32 or as Q8_0."""
    if kind == 0:
        return name, (rows, columns), 0, (0.2 * random.normal(size=(rows, columns))).astype("<f4").tobytes()
    blocks = np.zeros((rows, columns // 32, 34), np.uint8)
    blocks[..., :2] = np.array([0.003], "<f2").view(np.uint8)
    blocks[..., 2:] = random.integers(0, 256, blocks[..., 2:].shape)
    return name, (rows, columns), 8, blocks.tobytes()


def tensors(kind: str, tied: bool) -> list[Described]:
    random = np.random.default_rng(5)
    keys = WIDTH * KV_HEADS // HEADS
    made = [matrix(random, "token_embd.weight", VOCABULARY, WIDTH, 8)]

    def vector(name: str, size: int, mean: float) -> Described:
        return name, (size,), 0, (mean + 0.2 * random.normal(size=size)).astype("<f4").tobytes()

    for number in range(LAYERS):
        sizes = {
            "attn_q": (WIDTH, WIDTH), "attn_k": (keys, WIDTH), "attn_v": (keys, WIDTH),
            "attn_output": (WIDTH, WIDTH), "ffn_gate": (INNER, WIDTH), "ffn_up": (INNER, WIDTH),
            "ffn_down": (WIDTH, INNER),
        }  # fmt: skip
        for name, shape in sizes.items():
            form = 0 if name == "attn_v" else 8
            made.append(matrix(random, f"blk.{number}.{name}.weight", *shape, form))
            if kind == "qwen2" and name in ("attn_q", "attn_k", "attn_v"):
                made.append(vector(f"blk.{number}.{name}.bias", shape[0], 0.0))
        made += [vector(f"blk.{number}.{name}.weight", WIDTH, 1.0) for name in ("attn_norm", "ffn_norm")]
        if kind in ("gemma2", "gemma3"):
            norms = ("post_attention_norm", "post_ffw_norm")
            made += [vector(f"blk.{number}.{name}.weight", WIDTH, 1.0) for name in norms]
        if kind in ("qwen3", "gemma3"):
            norms = ("attn_q_norm", "attn_k_norm")
            made += [vector(f"blk.{number}.{name}.weight", WIDTH // HEADS, 1.0) for name in norms]
    made += [] if tied else [matrix(random, "output.weight", VOCABULARY, WIDTH, 0)]
    return [*made, vector("output_norm.weight", WIDTH, 1.0)]


def sizes_of(kind: str) -> list[Pair]:
    return [
        ("general.architecture", "text", kind),
        (f"{kind}.block_count", "I", LAYERS),
        (f"{kind}.context_length", "I", 32),
        (f"{kind}.embedding_length", "I", WIDTH),
        (f"{kind}.feed_forward_length", "I", INNER),
        (f"{kind}.attention.head_count", "I", HEADS),
        (f"{kind}.attention.head_count_kv", "I", KV_HEADS),
        (f"{kind}.attention.layer_norm_rms_epsilon", "f", 1e-5),
        (f"{kind}.rope.freq_base", "f", 1000.0),
    ]


def model_file(folder: Path, kind: str = "llama", tied: bool = True, **changed: Any) -> Path:
    """A whole small model; `changed` are other values, None for a key that is left out."""
    pairs = [(key, form, changed.get(key.rpartition(".")[2], value)) for key, form, value in sizes_of(kind)]
    pairs += changed.get("more", [])
    path = folder / "a.gguf"
    described = [*tensors(kind, tied), *changed.get("tensors", [])]
    path.write_bytes(gguf_bytes([pair for pair in pairs if pair[2] is not None], described))
    return path


def logits_of_numpy(path: Path, texts: list[list[int]]) -> list[np.ndarray[Any, Any]]:
    file = Gguf(path)
    weights = {name: file[name].dequantised().numpy() for name in file}
    return [numpy_llama.logits(weights, LlamaConfig.from_gguf(file), ids) for ids in texts]


def test_a_text_at_once_and_token_by_token(tmp_path: Path) -> None:
    path, more = model_file(tmp_path), [8, 8, 31]
    (wanted,) = logits_of_numpy(path, [[*IDS, *more]])
    assert np.abs(wanted).max() > 1
    model = Llama.from_gguf(path)
    cache = model.cache(16)
    found = [model(Tensor([IDS]), cache).numpy()[0]]
    found += [model(Tensor([[number]]), cache).numpy()[0] for number in more]
    np.testing.assert_allclose(np.concatenate(found), wanted, rtol=0, atol=2e-5)
    assert cache.length == len(IDS) + len(more)


def test_a_query_turns_once_not_for_every_key(tmp_path: Path) -> None:
    """Attention on a CPU reads no angles: its loop over keys would turn the query again for each of them."""
    model, capacity = Llama.from_gguf(model_file(tmp_path)), 512
    cache = model.cache(capacity)
    keys, angles = (math.prod(each.shape) for each in (cache.keys[0], cache.turns[0]))
    computations = explain(lambda: model(Tensor([[5]]), cache)).computations
    sizes = [[size for _, size in item.kernel.params] for c in computations for item in c.graph.items]
    attention = [each for each in sizes if each.count(keys) == 2]
    assert attention
    assert not any(angles in each for each in attention)


def test_several_texts_with_biases_and_the_last_token_alone(tmp_path: Path) -> None:
    """Qwen2: pairs that turn are half a head apart, and the weights at the end are not the embedding's."""
    path, texts = model_file(tmp_path, "qwen2", tied=False), [IDS, IDS[::-1]]
    wanted = [each[-1:] for each in logits_of_numpy(path, texts)]
    model = Llama.from_gguf(path)
    found = model(Tensor(texts), model.cache(16, batch=2), last=True).numpy()
    np.testing.assert_allclose(found, wanted, rtol=0, atol=2e-5)


FACTORS = np.linspace(1, 8, WIDTH // HEADS // 2, dtype="<f4")


@pytest.mark.parametrize(
    ("kind", "changed"),
    [
        ("qwen3", {}),
        ("llama", {"tensors": [("rope_freqs.weight", FACTORS.shape, 0, FACTORS.tobytes())]}),
        ("llama", {"more": [("llama.rope.scaling.type", "text", "linear"),
                            ("llama.rope.scaling.factor", "f", 4.0)]}),
    ],
    ids=["norms of heads", "factors", "linear"],
)  # fmt: skip
def test_norms_of_heads_and_scaled_rope(kind: str, changed: Any, tmp_path: Path) -> None:
    path = model_file(tmp_path, kind, **changed)
    (wanted,) = logits_of_numpy(path, [IDS])
    model = Llama.from_gguf(path)
    assert model.config.head_norms or len(set(model.config.rope_factors)) in (1, len(FACTORS))
    found = model(Tensor([IDS]), model.cache(16)).numpy()[0]
    np.testing.assert_allclose(found, wanted, rtol=0, atol=2e-5)


@pytest.mark.slow
def test_layers_that_see_a_window(tmp_path: Path) -> None:
    """Mistral: all layers; in chunks and single tokens, beyond the window."""
    path = model_file(tmp_path, more=[("llama.attention.sliding_window", "I", 4)])
    ids = [*IDS, 8, 8, 31, 2]
    (wanted,) = logits_of_numpy(path, [ids])
    model = Llama.from_gguf(path)
    assert model.config.windows == (4, 4)
    cache = model.cache(16)
    found = [model(Tensor([ids[:7]]), cache).numpy()[0]]
    found += [model(Tensor([[number]]), cache).numpy()[0] for number in ids[7:]]
    np.testing.assert_allclose(np.concatenate(found), wanted, rtol=0, atol=2e-5)
    (everything,) = logits_of_numpy(model_file(tmp_path), [ids])
    assert np.abs(everything - wanted)[4:].max() > 0.01  # it matters


def more_of(kind: str, **values: float) -> list[Pair]:
    return [(f"{kind}.{key}", "I" if type(value) is int else "f", value) for key, value in values.items()]


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        pytest.param("gemma", [], marks=pytest.mark.slow),
        ("gemma2", [*more_of("gemma2", attn_logit_softcapping=2.0, final_logit_softcapping=3.0),
                    ("gemma2.attention.sliding_window", "I", 3)]),
        pytest.param("gemma3", [("gemma3.attention.sliding_window", "I", 3)], marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_gemma(kind: str, more: list[Pair], tmp_path: Path) -> None:
    """Norms after attention, soft-capping, GeGLU, a scaled embedding, layers with and without a window, which
    turn by different bases; heads whose widths are not the stream's."""
    path = model_file(tmp_path, kind, more=more)
    (wanted,) = logits_of_numpy(path, [IDS])
    model = Llama.from_gguf(path)
    config = model.config
    assert config.gelu
    assert config.embedding_scale == 8.0
    assert config.windows == {"gemma": (), "gemma2": (3, 0), "gemma3": (3, 3)}[kind]
    cache = model.cache(16)
    found = [model(Tensor([IDS[:5]]), cache).numpy()[0]]
    found += [model(Tensor([[number]]), cache).numpy()[0] for number in IDS[5:]]
    np.testing.assert_allclose(np.concatenate(found), wanted, rtol=0, atol=2e-5)


GEMMA3 = {
    "model_type": "gemma3_text", "vocab_size": 262144, "num_hidden_layers": 26, "hidden_size": 1152,
    "intermediate_size": 6912, "num_attention_heads": 4, "num_key_value_heads": 1, "head_dim": 256,
    "max_position_embeddings": 32768, "rms_norm_eps": 1e-6, "rope_theta": 1e6, "rope_local_base_freq": 1e4,
    "sliding_window": 512, "query_pre_attn_scalar": 256,
}  # fmt: skip


def test_sizes_of_gemma_from_json(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(GEMMA3))
    found = LlamaConfig.from_json(path)
    assert found.windows == ((512,) * 5 + (0,)) * 4 + (512,) * 2
    assert found.turns == [(1e6, ()), (1e4, ())]
    assert (found.turned_by(4), found.turned_by(5)) == (slice(2, 4), slice(0, 2))
    assert (found.norm_offset, found.attention_scale, found.head_norms) == (1.0, 1 / 16, True)
    told = {**GEMMA3, "layer_types": ["full_attention"] + ["sliding_attention"] * 25}
    path.write_text(json.dumps(told))
    assert LlamaConfig.from_json(path).windows == (0, *[512] * 25)


def test_windows_of_qwen_from_json(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    told = {**JSON, "model_type": "qwen2", "sliding_window": 32, "max_window_layers": 28}
    for use, wanted in ((False, ()), (True, (0,) * 28 + (32,) * 2)):
        path.write_text(json.dumps({**told, "use_sliding_window": use}))
        found = LlamaConfig.from_json(path)
        assert (found.windows, found.context) == (wanted, 8192)


def test_factors_of_llama_3(tmp_path: Path) -> None:
    """Those that Llama 3.2 1B has in its GGUF file: 1 for pairs that turn fast, 32 for slow ones."""
    scaling = {
        "rope_type": "llama3", "factor": 32.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
        "original_max_position_embeddings": 8192,
    }  # fmt: skip
    told = {**JSON, "rope_theta": 500000.0, "head_dim": 64, "rope_scaling": scaling}
    (tmp_path / "config.json").write_text(json.dumps(told))
    factors = LlamaConfig.from_json(tmp_path / "config.json").rope_factors
    assert len(factors) == 32
    assert factors[:15] == (1.0,) * 15
    assert factors[-10:] == pytest.approx([32.0] * 10)
    assert list(factors) == sorted(factors)
    # in between, by the formula in terms of wave lengths
    wave = 2 * np.pi * 500000 ** (16 / 32)
    smooth = (8192 / wave - 1) / 3
    assert factors[16] == pytest.approx(1 / ((1 - smooth) / 32 + smooth))


JSON = {
    "model_type": "llama", "vocab_size": 49152, "num_hidden_layers": 30, "hidden_size": 576,
    "intermediate_size": 1536, "num_attention_heads": 9, "num_key_value_heads": 3, "rope_theta": 100000,
    "max_position_embeddings": 8192, "rms_norm_eps": 1e-5,
}  # fmt: skip


def test_a_cache_that_is_full(tmp_path: Path) -> None:
    model = Llama.from_gguf(model_file(tmp_path))
    cache = model.cache(4)
    with pytest.raises(
        ValueError, match=r"ids of shape \(1, 7\) do not fit a cache for 1 texts of 4 tokens, of which 0"
    ):
        model(Tensor([IDS]), cache)
    assert cache.length == 0


def test_sizes_from_json(tmp_path: Path) -> None:
    told = JSON
    path = tmp_path / "config.json"
    path.write_text(json.dumps(told))
    found = LlamaConfig.from_json(path)
    assert (found.layers, found.head_width, found.rope_base, found.interleaved) == (30, 64, 1e5, False)
    path.write_text(json.dumps(told | {"hidden_act": "gelu_pytorch_tanh"}))
    assert (found.gelu, LlamaConfig.from_json(path).gelu) == (False, True)
    for change, why in (
        ({"model_type": "gpt2"}, "its model_type is 'gpt2', and llama, mistral, qwen2, .* are known here"),
        ({"hidden_act": "relu"}, "its hidden_act is 'relu', and silu, gelu_pytorch_tanh are known here"),
        ({"rope_scaling": {"rope_type": "dynamic"}}, "its rope_scaling is .* not known here"),
        ({"rope_scaling": {"rope_type": "yarn"}}, "it has no 'factor'"),
        ({"rope_scaling": {"rope_type": "yarn", "factor": 0}}, "is broken"),
        ({"rope_scaling": {"rope_type": "yarn", "factor": 4, "attention_factor": -1}}, "its rope_size is -1"),
        ({"num_key_value_heads": 2}, "do not fit"),
        ({"hidden_size": "x"}, "is broken"),
        ({"num_hidden_layers": -1}, "its layers is -1"),
        ({"num_hidden_layers": 1.5}, "its layers is 1.5"),
    ):
        path.write_text(json.dumps({**told, **change}))
        with pytest.raises(ConfigError, match=why) as caught:
            LlamaConfig.from_json(path)
        assert str(path) in str(caught.value)


def test_a_model_with_activations_of_8_bits_says_almost_the_same(tmp_path: Path) -> None:
    path = model_file(tmp_path)

    def logits(model: Llama) -> np.ndarray:
        cache = model.cache(16)
        return np.concatenate([model(Tensor([[id]]), cache).numpy()[0] for id in IDS])

    exact, model = logits(Llama.from_gguf(path)), Llama.from_gguf(path, "int8")
    found = logits(model)
    together = model(Tensor([IDS]), model.cache(16)).numpy()[0]
    np.testing.assert_allclose(together, found, rtol=1e-4, atol=1e-4)
    assert model.alike
    difference, size = (np.sqrt((each**2).mean()) for each in (found - exact, exact))
    assert 0 < difference < 0.05 * size


def test_activations_are_known(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="activations are 'int4': choose one of float, int8"):
        Llama.from_gguf(model_file(tmp_path), "int4")


@pytest.mark.parametrize(
    ("changed", "error", "why"),
    [
        ({"architecture": "mamba"}, ConfigError, "its architecture is 'mamba', and llama, qwen2, qwen3"),
        ({"more": [("llama.expert_count", "I", 8)]}, ConfigError, "a.gguf: it is a mixture of experts"),
        ({"head_count": 0}, ConfigError, "its metadata is broken"),
        ({"context_length": 0}, ConfigError, "its context is 0"),
        ({"block_count": 1 << 31, "more": [("llama.attention.sliding_window", "I", 4)]}, ConfigError,
         "its layers is 2147483648, and a number"),
        ({"more": [("llama.rope.dimension_count", "I", 1 << 31), ("llama.rope.scaling.factor", "f", 4.0),
                   ("llama.rope.scaling.type", "text", "linear")]}, ConfigError, "its rope_width is 2"),
        ({"block_count": None}, ConfigError, "it has no 'llama.block_count'"),
        ({"freq_base": 0.0}, ConfigError, "its rope_base is 0.0"),
        ({"block_count": 3}, GgufError, r"tensor 'blk.2.attn_norm.weight' is missing, and \(64,\) is due"),
        ({"feed_forward_length": 64}, GgufError, r"ffn_gate.weight' is \(96, 64\), and \(64, 64\) is due"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_said(changed: Any, error: type[Exception], why: str, tmp_path: Path) -> None:
    with pytest.raises(error, match=why):
        Llama.from_gguf(model_file(tmp_path, **changed))


def test_yarn_in_a_file(tmp_path: Path) -> None:
    scaling: list[Pair] = [
        ("llama.rope.scaling.type", "text", "yarn"),
        ("llama.rope.scaling.original_context_length", "I", 2000),
        ("llama.rope.scaling.factor", "f", 4.0),
    ]
    path = model_file(tmp_path, more=scaling)
    (wanted,) = logits_of_numpy(path, [IDS])
    model = Llama.from_gguf(path)
    found = model(Tensor([IDS]), model.cache(16)).numpy()[0]
    np.testing.assert_allclose(found, wanted, rtol=0, atol=2e-5)
    plain = Llama.from_gguf(model_file(tmp_path))
    assert np.abs(plain(Tensor([IDS]), plain.cache(16)).numpy()[0] - wanted).max() > 1e-2


def test_yarn_in_a_config(tmp_path: Path) -> None:
    """Qwen2.5 for 131,072 tokens: pairs that turn 32 times in 32,768 tokens stay, those that do not turn once
    are slowed down four times, and in between the share of both is a line."""

    def read(**more: Any) -> LlamaConfig:
        scaling = {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768, **more}
        told = {**JSON, "rope_theta": 1e6, "head_dim": 128, "rope_scaling": scaling}
        (tmp_path / "config.json").write_text(json.dumps(told))
        return LlamaConfig.from_json(tmp_path / "config.json")

    found = read()
    factors = np.array(found.rope_factors)
    turns = 32768 / (2 * np.pi) * 1e6 ** (-np.arange(64) / 64)
    assert factors.shape == (64,)
    assert (factors[turns > 34] == 1).all()
    assert factors[turns < 0.8] == pytest.approx(4.0)
    shares = (1 / factors - 1 / 4) / (1 - 1 / 4)
    steps = np.diff(shares[(shares > 0) & (shares < 1)])
    assert len(steps) > 10
    assert steps == pytest.approx(steps[0])
    assert found.rope_size == pytest.approx(0.1 * np.log(4) + 1)
    assert read(attention_factor=1.25).rope_size == 1.25
    assert read(mscale=0.7, mscale_all_dim=0.7).rope_size == 1.0
    longer = read(original_max_position_embeddings=None)  # as long as its context, 8,192 tokens
    assert np.count_nonzero(np.array(longer.rope_factors) == 1) < np.count_nonzero(factors == 1)


def test_a_model_of_another_kind_is_not_called_broken(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({**JSON, "model_type": "mamba"}))
    with pytest.raises(ConfigError) as folder:
        LlamaConfig.from_json(path)
    with pytest.raises(ConfigError) as file:
        Llama.from_gguf(model_file(tmp_path, architecture="mamba"))
    for caught in (folder, file):
        assert "'mamba'" in str(caught.value)
        assert "again" not in str(caught.value)
        assert "broken" not in str(caught.value)


def test_rope_is_worked_out_as_far_as_places_are_used() -> None:
    config = LlamaConfig(
        layers=1, width=32, heads=2, kv_heads=1, head_width=16, rope_width=16, inner=64, vocabulary=8,
        context=99, rope_base=1e4, epsilon=1e-5, interleaved=False, local_rope_base=100.0,
        windows=(7,),
    )  # fmt: skip
    tables = RopeTables(config, 99, "cpu")
    for places in (0, 5, 3, 40):
        tables.up_to(places)
    wanted = [each for base, _ in config.turns for each in rope_rows(base, (), 16, np.arange(99))]
    assert len(wanted) == 4
    for table, whole in zip(tables.tensors, wanted, strict=True):
        found = table.numpy()
        np.testing.assert_array_equal(found[[*range(40), 98]], whole[[*range(40), 98]].astype(np.float32))
        assert not found[40:98].any()
