"""Words and chart of psychometric curves per layer."""
