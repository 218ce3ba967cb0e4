"""The psychometric bench: a psychometric curve that refits live."""
