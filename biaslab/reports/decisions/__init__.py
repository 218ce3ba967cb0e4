"""Reports of decisions."""
