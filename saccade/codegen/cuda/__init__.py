"""Kernels for NVIDIA GPUs: types, schemes of threads, templates, and CUDA C++."""
