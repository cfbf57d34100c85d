"""Rows of a product, and what their groups become, in one launch."""
