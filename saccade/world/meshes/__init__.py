"""Triangle meshes, their tree of boxes, and rays against them."""
