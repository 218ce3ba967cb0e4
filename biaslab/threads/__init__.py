"""Threads: work in the background, spread over cores, and how it is left."""
