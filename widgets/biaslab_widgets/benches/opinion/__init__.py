"""The opinion bench: a verdict on answers that somebody recorded; no model is asked."""
