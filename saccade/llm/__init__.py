"""`saccade.llm`: language models from their files: GGUF weights, tokenizers, the Llama family, generation."""

from .files.gguf import Gguf, GgufError, GgufTensor
from .generation.generate import Generator, generate
from .generation.sampling import Sampling
from .generation.text import Options
from .model.config import ConfigError, LlamaConfig
from .model.llama import Llama
from .tokenizer.parts import TokenizerError
from .tokenizer.tokenizer import Tokenizer

#: for jit: programs close over frozen settings and shapes alone, and are replayed many times a second
__jit_library__ = True

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
