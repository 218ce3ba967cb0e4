"""The state of a bench: its fields, and the records that it and its page exchange."""
