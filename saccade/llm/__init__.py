"""`saccade.llm`: language models from their files: GGUF weights and tokenizers."""

from .gguf import Gguf, GgufError, GgufTensor
from .tokenizer import Tokenizer, TokenizerError

__all__ = ["Gguf", "GgufError", "GgufTensor", "Tokenizer", "TokenizerError"]
