"""Reports of sensitivity and criterion by group."""
