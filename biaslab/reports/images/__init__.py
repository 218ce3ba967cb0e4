"""Reports of image associations."""
