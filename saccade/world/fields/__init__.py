"""Distance fields and the world that is traced through them."""
