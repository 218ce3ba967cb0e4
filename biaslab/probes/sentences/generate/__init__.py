"""Sentences written by a language model: what it is asked, who is asked, and what it answered."""
