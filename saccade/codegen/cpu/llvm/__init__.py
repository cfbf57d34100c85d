"""Linear code as LLVM IR."""
