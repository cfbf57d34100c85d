"""Strategies of reductions: loops and lanes, teams, queues, two passes, lists, sorts."""
