"""Reproducible training of the bundled subjects."""
