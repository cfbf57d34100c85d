"""Saved state: safetensors, files of torch, checkpoints."""
