"""Convolutions by transformed tiles: Winograd's minimal filtering."""
