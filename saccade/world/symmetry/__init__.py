"""Rotations that leave an object as it is."""
