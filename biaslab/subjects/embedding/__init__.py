"""Word embeddings: one, or an ensemble of replicates, and changes of their vectors."""
