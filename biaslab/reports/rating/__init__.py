"""Reports of ratings of services."""
