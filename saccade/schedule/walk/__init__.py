"""The walk from results to inputs: requests, ranges, what is stored and where."""
