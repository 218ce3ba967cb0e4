"""The word-list editor: word lists, edited as chips."""
