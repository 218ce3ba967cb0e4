"""The app's own pages, and the JSON that they ask for."""
