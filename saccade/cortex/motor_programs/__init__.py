"""Motor policies as tensor programs: what `motor` computes, where the percepts are."""
