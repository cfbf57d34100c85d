"""Sums of products: their forms, layouts, parts, softmax in one pass and its gradients."""
