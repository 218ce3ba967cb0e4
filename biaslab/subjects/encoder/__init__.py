"""Encoders: vectors of words in contexts, and of sentences."""
