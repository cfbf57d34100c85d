"""The Llama family and BERT: blocks, caches, decoding programs, embeddings."""
