"""Sums of products on a processor: tiles of registers, packed panels, dot instructions."""
