"""The served app: benches side by side behind one navigation."""
