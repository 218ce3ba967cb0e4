"""Tests of the decision bench."""
