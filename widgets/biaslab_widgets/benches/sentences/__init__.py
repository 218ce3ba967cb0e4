"""The sentence bench: which version of a sentence a language model finds more probable."""
