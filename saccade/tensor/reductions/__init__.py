"""Methods that fold an axis: sums, scans, sorts, segments, products."""
