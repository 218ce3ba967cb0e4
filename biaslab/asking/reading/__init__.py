"""Read the decision in a reply."""
