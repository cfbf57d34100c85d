"""Rules of scalars and integers: bounds, sums, logic, and the simplifier that applies them."""
