"""Rewriting graphs: patterns, rules, and the driver that runs passes."""
