"""What a run writes and reads again: rows, summaries, traces of episodes."""
