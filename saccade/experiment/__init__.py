"""Experiments: train, evaluate, record, resume and compare runs of the cortex in a world."""
