"""Mixed models of psychometric curves: observers and cues have curves of their own."""
