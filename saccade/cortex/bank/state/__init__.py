"""The state of a bank, which is a value, and the functions that give the next one."""
