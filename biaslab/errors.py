"""Exceptions whose message says what to do next."""

from __future__ import annotations


class BiaslabError(Exception):
    """Base of all errors that biaslab raises on purpose."""


class CorpusError(BiaslabError):
    """A training corpus cannot be read."""
