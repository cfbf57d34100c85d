"""After the walk: kernels joined, chained, bundled, made again, put in order."""
