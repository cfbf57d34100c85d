"""Whether two models are one: how far they overlap, and how well one is a place of the other."""
