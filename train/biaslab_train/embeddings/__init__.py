"""Ensembles of bootstrapped word embeddings."""
