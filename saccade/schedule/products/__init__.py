"""Sums of products: their forms, layouts and parts."""
