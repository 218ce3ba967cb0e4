"""Reports of ratings of services (paper 004)."""
