"""Reports of stereotype scores of language models (paper 002)."""
