"""What a function captures: globals, closed-over variables, guards on them, tensors that escape."""
