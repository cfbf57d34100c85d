"""What an experiment will do: episodes, seeds, rotations, scenes."""
