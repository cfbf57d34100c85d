"""Streams of a GPU: their queues, events, order and what waits in them."""
