"""The rating bench: whether a service adds bias, follows it, or removes it."""
