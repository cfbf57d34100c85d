"""The command line: `saccade`, its options, output and signals."""
