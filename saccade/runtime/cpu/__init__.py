"""The CPU: LLVM compiles, a small loader places the code, a thread pool runs it."""
