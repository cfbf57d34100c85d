"""The data set of kernels: written, replayed on every target, compared."""
