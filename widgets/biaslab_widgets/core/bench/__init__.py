"""What a bench is made of: its controller, the parts of it, and its class in Python."""
