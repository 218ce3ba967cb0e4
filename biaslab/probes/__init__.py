"""Probes: plain functions that put a question to a subject and return a result."""
