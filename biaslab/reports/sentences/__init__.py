"""Reports of stereotype scores of language models."""
