"""Work spread over many threads: long reductions, tall matrices and sorts in parts."""
