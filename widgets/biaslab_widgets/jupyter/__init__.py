"""Benches as Jupyter widgets."""
