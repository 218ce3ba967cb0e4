"""Reports of association tests and distance models (papers 003 and others)."""
