"""Reports of the two-alternative forced choice task."""
