"""Tokenizers from their files: BPE, unigram, WordPiece, their normalisers and pre-tokenisers."""
