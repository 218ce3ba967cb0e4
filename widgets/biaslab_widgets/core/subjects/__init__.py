"""The subjects of a bench: where they come from, and how they are opened."""
