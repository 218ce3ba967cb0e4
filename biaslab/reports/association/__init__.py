"""Reports of association tests and distance models."""
