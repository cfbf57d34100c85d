"""What a program is: dtypes, ops, nodes, patterns, the rewrite engine, symbolic integers, the verifier."""
