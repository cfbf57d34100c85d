"""Products of softmaxes: in one pass over memory, their gradients from scores computed again, and what masks
leave out of them."""
