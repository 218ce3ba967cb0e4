"""Version 1: runs with their documents; its tables for values, sentences and images came later."""

revision = "1"
down_revision = None
