"""Linear code: typed instructions, addresses, and the lowering of a kernel to them."""
