"""What runs episodes: the parts of an agent built from a config, its objects, memory and levels."""
