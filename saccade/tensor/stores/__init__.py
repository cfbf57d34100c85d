"""Memory that tensors share, views of it, and writes in place."""
