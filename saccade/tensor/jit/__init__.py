"""`jit`: what a function depends on, tracing, guards, replay."""
