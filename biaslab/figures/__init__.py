"""Figures of results, for reports and for places without a kernel."""
