"""`saccade.llm`: language models from their files: GGUF weights and tokenizers."""

from .gguf import Gguf, GgufError, GgufTensor

__all__ = ["Gguf", "GgufError", "GgufTensor"]
