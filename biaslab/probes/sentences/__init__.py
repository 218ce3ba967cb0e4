"""Sentences for language models: where they come from, and how two versions make a pair."""
