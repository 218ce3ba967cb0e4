"""Classifiers: the probability of a label at a stimulus."""
