"""Files of sentence pairs: one module per format, each from rows to pairs and back."""
