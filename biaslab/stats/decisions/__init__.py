"""Decisions for or against groups: the gap in the unit of a quality."""
