"""Measurements of the project's figures; ``make bench`` runs them and writes docs/benchmarks.md."""
