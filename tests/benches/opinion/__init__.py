"""Tests of the word-list editor."""
