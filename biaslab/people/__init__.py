"""People: whose folder is used, and who may do and reach what."""
