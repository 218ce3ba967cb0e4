"""Psychometric curves: families, fits, grids of parameters, adaptive placement."""
