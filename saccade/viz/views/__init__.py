"""The views of recordings and runs, as plain data."""
