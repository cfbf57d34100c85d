"""Memory of the host: buffers, blocks, types NumPy does not have, memory shared with others."""
