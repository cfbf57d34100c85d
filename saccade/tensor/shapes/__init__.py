"""Methods that make, move and index tensors: creation, movement, gather and scatter, windows, patches."""
