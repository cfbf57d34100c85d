"""Weights as they lie in memory: quantised blocks, lanes for int8 dot products, words for GPUs."""
