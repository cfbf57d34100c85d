"""Optimisers that learn the Hessian from their steps: L-BFGS and its line search."""
