"""A small whole language model at random, as a GGUF file: weights, a byte-level tokenizer, a chat template.

Path("tiny.gguf").write_bytes(model_bytes())
"""

from __future__ import annotations

import numpy as np

from .gguf_corpus import Described, Pair, gguf_bytes
from .tokenizer_corpus import MERGES, byte_vocabulary

WIDTH, INNER, HEADS, KV_HEADS, LAYERS = 32, 48, 4, 2, 2
CHATML = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + "
    "'<|im_end|>\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)


def model_bytes(seed: int = 0, context: int = 64, template: str | None = CHATML, scale: float = 0.3) -> bytes:
    """A file. scale: of the weights; the larger they are, the surer the model is of its tokens."""
    tokens = [*byte_vocabulary(), "<|im_start|>", "<|im_end|>"]
    return gguf_bytes(_metadata(tokens, context, template), _tensors(len(tokens), seed, scale))


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
