"""Controllers: what a bench does, without knowing which host shows it."""
