"""Tests of the psychometric explorer, which share the pages of its two hosts."""
