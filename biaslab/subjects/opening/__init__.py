"""Find, inspect and open subjects, and refuse those that a question cannot use."""
