"""The standard's functions, a file for each of its chapters."""
