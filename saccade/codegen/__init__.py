"""Kernel to source: the moves, lowering to linear code, and rendering it for a device."""
