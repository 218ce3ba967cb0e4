"""Benches as Panel components, for the served app."""
