"""`saccade.llm`: language models from their files: GGUF weights, tokenizers, the Llama family."""

from .config import ConfigError, LlamaConfig
from .gguf import Gguf, GgufError, GgufTensor
from .llama import Llama
from .tokenizer import Tokenizer, TokenizerError

__all__ = [
    "ConfigError",
    "Gguf",
    "GgufError",
    "GgufTensor",
    "Llama",
    "LlamaConfig",
    "Tokenizer",
    "TokenizerError",
]
