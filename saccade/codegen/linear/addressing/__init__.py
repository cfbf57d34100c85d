"""Addresses and what is loaded from them: edges, lines asked for early, blocks turned in registers."""
