"""Reports of the two-alternative forced choice task (paper 000)."""
