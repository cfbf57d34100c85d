"""Linear code for one thread of a GPU."""
