"""Products with a factor that is made of other products, tile by tile: the backward pass of attention."""
