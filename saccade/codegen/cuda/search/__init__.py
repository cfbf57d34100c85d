"""Layouts as plain data, their neighbours, and the search among them on a card."""
