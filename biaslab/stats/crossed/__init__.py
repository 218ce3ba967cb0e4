"""Models of crossed factors: words by words, groups by groups, cues by cues."""
