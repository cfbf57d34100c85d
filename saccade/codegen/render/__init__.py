"""Linear code to source text, one file a language."""
