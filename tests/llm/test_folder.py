"""A folder of the transformers library gives what the GGUF file of the same model does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saccade import Tensor
from saccade.fuzz.files.model_corpus import CHATML, HEADS, INNER, KV_HEADS, LAYERS, WIDTH
from saccade.fuzz.files.tokenizer_corpus import json_tokenizers
from saccade.llm import ConfigError, Gguf, GgufError, Tokenizer
from saccade.llm.files.folder import gguf_name
from saccade.llm.files.load import load
from saccade.llm.generation.generate import Generator
from saccade.llm.generation.text import end_ids
from saccade.nn.saved.safetensors import save_file

from .models import tiny, tiny_path

CONFIG = {
    "model_type": "llama", "vocab_size": 271, "num_hidden_layers": LAYERS, "hidden_size": WIDTH,
    "intermediate_size": INNER, "num_attention_heads": HEADS, "num_key_value_heads": KV_HEADS,
    "max_position_embeddings": 64, "rms_norm_eps": 1e-5,
}  # fmt: skip
NAMES = {
    "token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head",
    "attn_norm": "input_layernorm", "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj", "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj",
}  # fmt: skip


def weights() -> dict[str, Tensor]:
    """Those of the small model. In GGUF the rows of queries and keys lie so that pairs are neighbours."""
    file, made = Gguf(tiny_path()), {}
    for name in file:
        *layer, part, _ = name.split(".")
        values = file[name].dequantised().numpy()
        if part in ("attn_q", "attn_k"):
            heads = HEADS if part == "attn_q" else KV_HEADS
            values = values.reshape(heads, -1, 2, WIDTH).swapaxes(1, 2).reshape(-1, WIDTH)
        stem = f"model.layers.{layer[1]}.{NAMES[part]}" if layer else NAMES[part]
        made[f"{stem}.weight"] = Tensor(np.ascontiguousarray(values))
    return made


def write_model(folder: Path, parts: int = 1, **changed: Any) -> Path:
    names = list(weights())
    files = [f"part-{n}.safetensors" for n in range(parts)] if parts > 1 else ["model.safetensors"]
    for number, file in enumerate(files):
        save_file({name: weights()[name] for name in names[number::parts]}, folder / file)
    if parts > 1:
        told = {name: files[number % parts] for number, name in enumerate(names)}
        (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": told}))
    tokenizer = json_tokenizers()["byte-level"]
    flags = {"special": True, "normalized": False}
    tokenizer["added_tokens"] += [
        {"id": 269, "content": "<|im_start|>", **flags},
        {"id": 270, "content": "<|im_end|>", **flags},
    ]
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    settings = {"eos_token": {"content": "<|im_end|>"}, "bos_token": None, "chat_template": CHATML}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    (folder / "config.json").write_text(json.dumps({**CONFIG, **changed}))
    return folder


@pytest.mark.parametrize("parts", [1, 3])
def test_a_folder_is_the_model_of_its_gguf(parts: int, tmp_path: Path) -> None:
    loaded = load(write_model(tmp_path, parts))
    assert loaded.name == tmp_path.name
    assert loaded.tokenizer.named == {"eos": 270}
    assert end_ids(loaded.tokenizer) == end_ids(tiny()[1])
    assert loaded.template.source == CHATML
    prompt = [7, 200, 31, 90]
    wanted = [piece.id for piece in Generator(*tiny()).stream(prompt)]
    assert [piece.id for piece in Generator(loaded.model, loaded.tokenizer).stream(prompt)] == wanted


def test_other_places_of_what_is_needed(tmp_path: Path) -> None:
    folder = write_model(tmp_path, sliding_window=32)
    (folder / "tokenizer_config.json").unlink()
    (folder / "chat_template.jinja").write_text("{{ messages }}")
    (folder / "generation_config.json").write_text('{"eos_token_id": [5, 6, 9999]}')
    loaded = load(folder)
    assert (loaded.model.config.context, loaded.model.config.windows) == (64, (32, 32))
    assert loaded.template.source == "{{ messages }}"
    assert {5, 6} <= end_ids(loaded.tokenizer)


def test_all_ends_of_a_folder_are_known(tmp_path: Path) -> None:
    """Llama 3.1 tells three of them, of which none has to be the one that its tokenizer names."""
    folder = write_model(tmp_path)
    (folder / "generation_config.json").write_text('{"eos_token_id": [5, 6, 7, "8", 9999]}')
    tokenizer = load(folder).tokenizer
    assert end_ids(tokenizer) - end_ids(tiny()[1]) == {5, 6, 7}
    assert tokenizer.named["eos"] == 270


def test_a_folder_of_another_kind_is_told_before_its_weights(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({**CONFIG, "model_type": "phi3"}))
    with pytest.raises(ConfigError, match="its model_type is 'phi3', and llama, mistral, qwen2"):
        load(tmp_path)


def test_names() -> None:
    assert gguf_name("model.layers.12.self_attn.q_proj.bias") == "blk.12.attn_q.bias"
    assert gguf_name("lm_head.weight") == "output.weight"
    assert gguf_name("model.layers.0.self_attn.rotary_emb.inv_freq") is None


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="safetensors"):
        load(tmp_path)
    folder = write_model(tmp_path)
    (folder / "config.json").write_text(json.dumps({**CONFIG, "num_hidden_layers": 9}))
    with pytest.raises(GgufError, match=r"'blk\.2\.attn_norm\.weight' is missing"):
        load(folder)
    (folder / "model.safetensors.index.json").write_text('{"weight_map": {"a": "../b"}}')
    with pytest.raises(ConfigError, match="no name of a file beside it"):
        load(folder)


def test_an_open_file_serves_weights_and_tokenizer() -> None:
    file = Gguf(tiny_path())
    assert Tokenizer.from_gguf(file).tokens == tiny()[1].tokens


def test_norms_of_gemma_by_their_names(tmp_path: Path) -> None:
    """What Llama calls the norm before the product is one after attention, and weights lack a one."""
    folder = write_model(tmp_path, model_type="gemma2")
    made, random = weights(), np.random.default_rng(1)
    for number in range(LAYERS):
        for name in ("pre_feedforward_layernorm", "post_feedforward_layernorm"):
            made[f"model.layers.{number}.{name}.weight"] = Tensor(random.normal(size=WIDTH).astype("float32"))
    save_file(made, folder / "model.safetensors")
    block = load(folder).model.blocks[1]
    for found, name in (
        (block.attention_norm, "input_layernorm"), (block.inner_norm, "pre_feedforward_layernorm"),
        (block.attention_end, "post_attention_layernorm"), (block.inner_end, "post_feedforward_layernorm"),
    ):  # fmt: skip
        assert found is not None
        assert np.array_equal(found.numpy(), made[f"model.layers.1.{name}.weight"].numpy() + np.float32(1))
