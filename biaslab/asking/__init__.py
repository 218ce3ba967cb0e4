"""Whatever is asked in words: providers, services, deciders."""
