"""How answers are made: in turn, in the background, in line, and each once."""
