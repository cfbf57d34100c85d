"""Where to look next: places at which the likeliest hypotheses differ."""
