"""Memory of a GPU: its pool, pinned memory of the host, memory shared with others."""
