"""The association bench: every distance between people's words and stereotypes."""
