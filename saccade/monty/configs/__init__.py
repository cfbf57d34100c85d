"""Monty's experiment configs as ours."""
