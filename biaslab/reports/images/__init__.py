"""Reports of image associations (paper 002)."""
