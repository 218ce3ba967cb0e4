"""The occupations bench: many words under many pairs of cues."""
