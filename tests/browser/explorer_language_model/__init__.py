"""Tests of the psychometric explorer over a language model, which share the pages of two hosts."""
