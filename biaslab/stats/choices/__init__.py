"""Choices among groups: shares, places in the prompt, and rankers that ignore groups."""
