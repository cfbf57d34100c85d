"""Small whole language models at random: weights, a byte-level tokenizer, a chat template.

Path("tiny.gguf").write_bytes(model_bytes())
folder_files()                                  # the files of folders of the transformers library
"""

from __future__ import annotations

import json

import numpy as np

from ...llm.files.folder import PARTS, WHOLE
from ...nn.saved.safetensors import save_file
from ...tensor import Tensor
from .file_corpus import Files, written
from .gguf_corpus import Described, Pair, gguf_bytes
from .tokenizer_corpus import MERGES, byte_vocabulary, json_tokenizers

WIDTH, INNER, HEADS, KV_HEADS, LAYERS = 32, 48, 4, 2, 2
CHATML = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + "
    "'<|im_end|>\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)


def model_bytes(seed: int = 0, context: int = 64, template: str | None = CHATML, scale: float = 0.3) -> bytes:
    """A file. scale: of the weights; the larger they are, the surer the model is of its tokens."""
    tokens = [*byte_vocabulary(), "<|im_start|>", "<|im_end|>"]
    return gguf_bytes(_metadata(tokens, context, template), _tensors(len(tokens), seed, scale))


def config_files() -> list[dict[str, bytes]]:
    """A `config.json` for each way in which sizes, windows and RoPE are told."""
    told: dict[str, object] = {
        "vocab_size": 271, "num_hidden_layers": LAYERS, "hidden_size": WIDTH, "intermediate_size": INNER,
        "num_attention_heads": HEADS, "num_key_value_heads": KV_HEADS, "max_position_embeddings": 64,
        "rms_norm_eps": 1e-5, "sliding_window": 16,
    }  # fmt: skip
    llama3 = {
        "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
        "original_max_position_embeddings": 32,
    }  # fmt: skip
    kinds: list[dict[str, object]] = [
        {"model_type": "llama", "rope_scaling": llama3},
        {"model_type": "qwen2", "use_sliding_window": True, "max_window_layers": 1},
        {"model_type": "gemma2", "attn_logit_softcapping": 50.0, "query_pre_attn_scalar": 8},
        {"model_type": "gemma3_text", "layer_types": ["sliding_attention", "full_attention"],
         "rope_parameters": {"full_attention": {"rope_theta": 1e6, "rope_type": "linear", "factor": 8.0},
                             "sliding_attention": {"rope_theta": 1e4}}},
    ]  # fmt: skip
    return [{"config.json": json.dumps({**told, **kind}).encode()} for kind in kinds]


def folder_files() -> list[Files]:
    """The small model as a folder: its weights in one file, and in two with an index."""
    ours = {own: theirs for theirs, own in (WHOLE | PARTS).items()}
    made: dict[str, Tensor] = {}
    for name, shape, _, data in _tensors(271, 0, 0.3):
        *layer, part, _ = name.split(".")
        stem = f"model.layers.{layer[1]}.{ours[part]}" if layer else ours[part]
        made[f"{stem}.weight"] = Tensor(np.frombuffer(data, "<f4").reshape(shape).copy())
    settings = {"eos_token": {"content": "<|im_end|>"}, "bos_token": None, "chat_template": CHATML}
    beside = {
        "config.json": config_files()[0]["config.json"],
        "tokenizer.json": _tokenizer(("<|im_start|>", "<|im_end|>")),
        "tokenizer_config.json": json.dumps(settings).encode(),
        "generation_config.json": json.dumps({"eos_token_id": [270, 0]}).encode(),
    }
    halves = {f"{n}.safetensors": list(made)[n::2] for n in range(2)}
    index = {"weight_map": {name: file for file, names in halves.items() for name in names}}
    return [
        {"model.safetensors": _saved(made), **beside},
        {**{file: _saved({name: made[name] for name in names}) for file, names in halves.items()}, **beside,
         "model.safetensors.index.json": json.dumps(index).encode(), "chat_template.jinja": CHATML.encode()},
    ]  # fmt: skip


def encoder_files() -> list[Files]:
    """A BERT encoder as a folder."""
    random, wide = np.random.default_rng(3), (WIDTH, WIDTH)
    matrices = {
        "embeddings.word_embeddings": (271, WIDTH), "embeddings.position_embeddings": (64, WIDTH),
        "embeddings.token_type_embeddings": (2, WIDTH),
    }  # fmt: skip
    own = "encoder.layer.0."
    dense = {
        "attention.self.query": wide, "attention.self.key": wide, "attention.self.value": wide,
        "attention.output.dense": wide, "intermediate.dense": (INNER, WIDTH), "output.dense": (WIDTH, INNER),
    }  # fmt: skip
    matrices |= {own + name: shape for name, shape in dense.items()}
    made = {f"{name}.weight": random.normal(0, 0.3, shape) for name, shape in matrices.items()}
    made |= {f"{own}{name}.bias": random.normal(0, 0.1, shape[0]) for name, shape in dense.items()}
    for owner in ("embeddings", f"{own}attention.output", f"{own}output"):
        made |= {f"{owner}.LayerNorm.{part}": np.ones(WIDTH) for part in ("weight", "bias")}
    told = {
        "model_type": "bert", "hidden_act": "gelu", "vocab_size": 271, "num_hidden_layers": 1,
        "hidden_size": WIDTH, "intermediate_size": INNER, "num_attention_heads": HEADS,
        "max_position_embeddings": 64, "layer_norm_eps": 1e-12,
    }  # fmt: skip
    modules = [{"type": "sentence_transformers.models.Normalize"}]
    return [{
        "model.safetensors": _saved({name: Tensor(each.astype(np.float32)) for name, each in made.items()}),
        "config.json": json.dumps(told).encode(), "modules.json": json.dumps(modules).encode(),
        "sentence_bert_config.json": b'{"max_seq_length": 32}', "tokenizer.json": _tokenizer(),
    }]  # fmt: skip


def _saved(tensors: dict[str, Tensor]) -> bytes:
    return written(lambda path: save_file(tensors, path))


def _tokenizer(special: tuple[str, ...] = ()) -> bytes:
    """A `tokenizer.json` with so many tokens more, from 269 on."""
    found = json_tokenizers()["byte-level"]
    flags = {"special": True, "normalized": False}
    found["added_tokens"] += [{"id": 269 + n, "content": text, **flags} for n, text in enumerate(special)]
    return json.dumps(found).encode()


def _metadata(tokens: list[str], context: int, template: str | None) -> list[Pair]:
    kinds = [3, *[1] * (len(tokens) - 3), 3, 3]
    made: list[Pair] = [
        ("general.architecture", "text", "llama"),
        ("general.name", "text", "tiny"),
        ("llama.block_count", "I", LAYERS),
        ("llama.context_length", "I", context),
        ("llama.embedding_length", "I", WIDTH),
        ("llama.feed_forward_length", "I", INNER),
        ("llama.attention.head_count", "I", HEADS),
        ("llama.attention.head_count_kv", "I", KV_HEADS),
        ("llama.attention.layer_norm_rms_epsilon", "f", 1e-5),
        ("tokenizer.ggml.model", "text", "gpt2"),
        ("tokenizer.ggml.pre", "text", "gpt-2"),
        ("tokenizer.ggml.tokens", "[text", tokens),
        ("tokenizer.ggml.token_type", "[i", kinds),
        ("tokenizer.ggml.merges", "[text", MERGES),
        ("tokenizer.ggml.eos_token_id", "I", len(tokens) - 1),
    ]
    return made if template is None else [*made, ("tokenizer.chat_template", "text", template)]


def _tensors(vocabulary: int, seed: int, scale: float) -> list[Described]:
    random = np.random.default_rng(seed)

    def tensor(name: str, *shape: int) -> Described:
        numbers = 1 + 0.1 * random.normal(size=shape) if len(shape) == 1 else random.normal(0, scale, shape)
        return f"{name}.weight", shape, 0, numbers.astype("<f4").tobytes()

    keys = WIDTH * KV_HEADS // HEADS
    made = [tensor("token_embd", vocabulary, WIDTH), tensor("output", vocabulary, WIDTH)]
    for number in range(LAYERS):
        shapes: dict[str, tuple[int, ...]] = {
            "attn_norm": (WIDTH,), "attn_q": (WIDTH, WIDTH), "attn_k": (keys, WIDTH),
            "attn_v": (keys, WIDTH), "attn_output": (WIDTH, WIDTH), "ffn_norm": (WIDTH,),
            "ffn_gate": (INNER, WIDTH), "ffn_up": (INNER, WIDTH), "ffn_down": (WIDTH, INNER),
        }  # fmt: skip
        made += [tensor(f"blk.{number}.{name}", *shape) for name, shape in shapes.items()]
    return [*made, tensor("output_norm", WIDTH)]
