"""The moves that shape a kernel's loops, and who chooses them."""
