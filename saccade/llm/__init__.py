"""`saccade.llm`: language models from their files: GGUF weights, tokenizers, the Llama family, generation."""

from .config import ConfigError, LlamaConfig
from .generate import Generator, Options, generate
from .gguf import Gguf, GgufError, GgufTensor
from .llama import Llama
from .sampling import Sampling
from .tokenizer import Tokenizer, TokenizerError

__all__ = [
    "ConfigError",
    "Generator",
    "Gguf",
    "GgufError",
    "GgufTensor",
    "Llama",
    "LlamaConfig",
    "Options",
    "Sampling",
    "Tokenizer",
    "TokenizerError",
    "generate",
]
