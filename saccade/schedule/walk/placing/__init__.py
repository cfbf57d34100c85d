"""Where a value lives: inline, in a tile, in memory."""
