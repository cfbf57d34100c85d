"""Attention, FlashAttention's way: products, online softmax, keys in parts."""
