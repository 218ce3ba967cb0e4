"""Reports of words between groups (paper 000, section 5.1)."""
