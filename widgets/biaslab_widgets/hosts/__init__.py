"""The two hosts, notebooks and the served app: how state and files travel in each."""
