"""The device state of modules that step together, and the programs that update it."""
