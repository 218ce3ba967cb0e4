"""The subjects of the app: those of everybody, and those of each person."""
