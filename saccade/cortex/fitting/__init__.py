"""Percepts laid on models: ICP, overlap, misfit, poses settled, space where nothing was."""
