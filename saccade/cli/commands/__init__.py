"""The commands of `saccade`, a file for each family."""
