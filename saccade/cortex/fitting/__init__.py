"""Percepts laid on models: ICP, overlap, poses settled, space where nothing was."""
