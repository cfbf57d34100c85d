"""Graph to graph, still in tensor terms."""
