"""What a module knows of objects: graphs of nodes, learned and stored."""
