"""Percepts laid on models: ICP, poses settled, what tells them apart, space where nothing was."""
