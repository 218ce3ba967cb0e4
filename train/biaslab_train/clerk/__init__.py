"""clerk-lm: a small language model of decisions with planted gaps."""
