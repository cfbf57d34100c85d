"""Methods that look at one element at a time: casts, logic, arithmetic, functions, complex numbers."""
