"""Small causal and masked language models."""
