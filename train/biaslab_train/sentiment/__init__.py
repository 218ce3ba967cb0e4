"""Sentiment classifiers of reviews over averaged word vectors."""
