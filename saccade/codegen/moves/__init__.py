"""The language of choices: moves, what makes them legal, what a kernel does, the search, what it found."""
