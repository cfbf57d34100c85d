"""Graph to kernels: ranges, what is stored and what is recomputed, the kernel list, the memory plan."""
