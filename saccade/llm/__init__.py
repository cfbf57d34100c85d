"""`saccade.llm`: language models from their files: GGUF weights, tokenizers, the Llama family, generation."""

from typing import TYPE_CHECKING

from saccade.lazy import names_of

if TYPE_CHECKING:
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

__getattr__ = names_of(
    __name__,
    {
        "ConfigError": ".model.config",
        "Generator": ".generation.generate",
        "Gguf": ".files.gguf",
        "GgufError": ".files.gguf",
        "GgufTensor": ".files.gguf",
        "Llama": ".model.llama",
        "LlamaConfig": ".model.config",
        "Options": ".generation.text",
        "Sampling": ".generation.sampling",
        "Tokenizer": ".tokenizer.tokenizer",
        "TokenizerError": ".tokenizer.parts",
        "generate": ".generation.generate",
    },
)
