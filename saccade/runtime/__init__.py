"""From source to running: devices, buffers, programs, plans and the caches on disk."""
