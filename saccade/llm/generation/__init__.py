"""From logits to text: sampling, stop strings, several texts at once, grammars and JSON schemas."""
