"""Hypotheses (object, location, rotation): how they come, gain evidence and decide."""
