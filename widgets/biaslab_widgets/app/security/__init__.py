"""Who is let into the app, and what leaves it."""
