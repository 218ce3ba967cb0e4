"""Reports of posteriors of classifiers and of what is read off them."""
