"""Masked and causal language models: how probable a text is."""
