"""Words and charts of comparisons."""
