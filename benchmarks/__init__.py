"""Measurements behind docs/guide/benchmarks.md; ``make bench`` runs them and writes the page.

One file measures one figure: a module with a docstring that says what and how, a ``GOAL`` in words
and a function ``measure() -> Findings``. `benchmarks.__main__` lists them.
"""
