"""What people look at: metrics, tables, blame, comparisons, charts, Monty's benchmarks."""
