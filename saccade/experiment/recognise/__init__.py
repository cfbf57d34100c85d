"""Recognition: rows of episodes step by step, poses settled, objects compared, verdicts judged."""
