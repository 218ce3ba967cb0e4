"""Portraits that a vision-language model imagines for a word: draws of p(portrait | word)."""
