"""Deciders and chat models whose truth is known."""
