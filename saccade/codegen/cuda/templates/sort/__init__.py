"""Sorts: rows in shared memory, merges of long ones."""
