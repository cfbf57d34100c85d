"""Kills, damaged caches and requests, threads and forks, gradients by finite differences."""
