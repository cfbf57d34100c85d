"""Files of models: GGUF, folders of the transformers library."""
