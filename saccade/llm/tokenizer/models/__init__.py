"""How pieces become tokens: BPE, unigram, WordPiece."""
