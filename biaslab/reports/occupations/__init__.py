"""Reports of words between groups."""
