"""Small files, read and written safely."""
