"""From a node to a program that is compiled once: its form, numbers and lengths that change, realising."""
