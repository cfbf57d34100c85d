"""Models as folders, as the transformers library saves them: config.json, safetensors, tokenizer.json.

weights = FolderWeights("SmolLM2-135M")
weights["blk.0.attn_q.weight"].shape         # by the names of GGUF
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ...files.reading import read_json, read_text, reading, shown
from ...nn.saved.safetensors import SafeTensors
from ...tensor.tensor import Tensor
from ..model.config import ConfigError
from ..tokenizer.tokenizer import Tokenizer
from ..weights.quants import FORMATS

REMEDY: Final = "fetch the folder again"
#: Bytes of a chat template.
TEMPLATE_BYTES: Final = 1 << 20
#: Names of GGUF by those of transformers.
WHOLE: Final = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}
PARTS: Final = {
    "input_layernorm": "attn_norm", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v", "self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm",
     "self_attn.o_proj": "attn_output", "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
}  # fmt: skip
#: In models with norms after attention and after the product.
_POST_NORMS: Final = {
    "post_attention_layernorm": "post_attention_norm", "pre_feedforward_layernorm": "ffn_norm",
    "post_feedforward_layernorm": "post_ffw_norm",
}  # fmt: skip
_LAYER: Final = re.compile(r"model\.layers\.(\d+)\.(.+)")
_KINDS: Final = {form.dtype: kind for kind, form in FORMATS.items() if form.dtype is not None}


@dataclass(frozen=True)
class FolderTensor:
    """A weight in a plain format."""

    tensor: Tensor
    kind: int

    @property
    def shape(self) -> tuple[int, ...]:
        return self.tensor.shape

    def raw(self) -> Tensor:
        return self.tensor

    def dequantised(self) -> Tensor:
        return self.tensor.float()


class FolderWeights(Mapping[str, FolderTensor]):
    """The weights of a folder, in one file or several, by the names that GGUF gives to them."""

    def __init__(self, folder: os.PathLike[str] | str) -> None:
        self.path = Path(folder)
        files = list(map(SafeTensors, self._files()))
        post_norms = any("pre_feedforward_layernorm" in name for file in files for name in file)
        self._found = {
            known: (file, name)
            for file in files
            for name in file
            if (known := gguf_name(name, post_norms)) is not None
        }

    def _files(self) -> list[Path]:
        index = self.path / "model.safetensors.index.json"
        if not index.exists():
            return [self.path / "model.safetensors"]
        with reading(index, ConfigError, REMEDY) as place:
            names = sorted(set(read_json(index)["weight_map"].values()))
            place.where = "it"
            for name in names:
                if not isinstance(name, str) or Path(name).name != name:
                    raise ValueError(f"{shown(name)} is no name of a file beside it")
            return [self.path / name for name in names]

    def __getitem__(self, name: str) -> FolderTensor:
        file, own = self._found[name]
        tensor = file[own]
        if tensor.dtype.name not in _KINDS:
            raise ConfigError(
                f"{self.path}, tensor {own!r} is {tensor.dtype.name}, and {', '.join(_KINDS)} are known"
            )
        return FolderTensor(tensor, _KINDS[tensor.dtype.name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


def gguf_name(name: str, post_norms: bool = False) -> str | None:
    """`model.layers.3.mlp.up_proj.weight` is `blk.3.ffn_up.weight`; None for what is no weight of a block.
    post_norms: there are norms after attention, which others call the one before the product."""
    parts = PARTS | _POST_NORMS if post_norms else PARTS
    stem, _, end = name.rpartition(".")
    match = _LAYER.fullmatch(stem)
    if match:
        return f"blk.{match[1]}.{parts[match[2]]}.{end}" if match[2] in parts else None
    return f"{WHOLE[stem]}.{end}" if stem in WHOLE else None


def folder_tokenizer(folder: Path) -> tuple[Tokenizer, str | None]:
    """The tokenizer of a folder, with the tokens that its configs name, and its chat template if any."""
    tokenizer = Tokenizer.from_json(folder / "tokenizer.json")
    settings = _json(folder / "tokenizer_config.json")
    named: dict[str, int] = {}
    for role in ("bos", "eos", "pad"):
        token = settings.get(f"{role}_token")
        text = token.get("content") if isinstance(token, Mapping) else token
        found = tokenizer.id_of(text) if isinstance(text, str) else None
        if found is not None:
            named[role] = found
    ends = _json(folder / "generation_config.json").get("eos_token_id")
    ids = ends if isinstance(ends, list) else [ends]
    known = [id for id in ids if type(id) is int and 0 <= id < len(tokenizer)]
    for role, id in zip(("eot", "eos"), known):
        named.setdefault(role, id)
    named |= {f"eot {number}": id for number, id in enumerate(known) if id not in named.values()}
    return dataclasses.replace(tokenizer, named=named), _template(folder, settings)


def _template(folder: Path, settings: Mapping[str, Any]) -> str | None:
    own = folder / "chat_template.jinja"
    if own.exists():
        with reading(own, ConfigError, REMEDY):
            return read_text(own, TEMPLATE_BYTES)
    found = settings.get("chat_template")
    if isinstance(found, list):  # several by name
        named = {each.get("name"): each.get("template") for each in found if isinstance(each, Mapping)}
        found = named.get("default")
    return found if isinstance(found, str) else None


def _json(path: Path) -> Mapping[str, Any]:
    """The object in a file that need not be there."""
    if not path.exists():
        return {}
    with reading(path, ConfigError, REMEDY):
        found = read_json(path)
        if not isinstance(found, Mapping):
            raise ValueError(f"it holds {shown(found)}, and an object is due")
        return found
