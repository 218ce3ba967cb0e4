"""Servers and a watched browser, for browser tests, benchmarks and screenshots."""
