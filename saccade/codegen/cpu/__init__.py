"""Kernels for processors: heuristics, products, columns, and LLVM IR."""
