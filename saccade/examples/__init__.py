"""`python -m saccade.examples`: real trainings and classifications, from data to figure.

Each example is a small file that can be read on its own. Data is given by path and never shipped; the module
docstring of an example says where it is found.
"""
