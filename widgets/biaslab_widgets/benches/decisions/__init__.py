"""The decision bench: how much more one group must bring to be treated alike."""
