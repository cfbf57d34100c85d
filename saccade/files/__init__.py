"""Reading and writing files safely: whole or not there, within bounds, no code from data."""
