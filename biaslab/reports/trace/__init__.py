"""Words and chart of a trace."""
