"""One chapter per provider: whoever turns a message into an answer."""
