"""Monty's saved models, in and out."""
