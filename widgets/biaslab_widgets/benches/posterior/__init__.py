"""The posterior bench: what a classifier imagines."""
