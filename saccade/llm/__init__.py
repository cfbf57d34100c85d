"""`saccade.llm`: language models from their files: GGUF weights, tokenizers, the Llama family, generation."""

from .files.gguf import Gguf, GgufError, GgufTensor
from .generation.generate import Generator, generate
from .generation.sampling import Sampling
from .generation.text import Options
from .model.config import ConfigError, LlamaConfig
from .model.llama import Llama
from .tokenizer.tokenizer import Tokenizer, TokenizerError

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
