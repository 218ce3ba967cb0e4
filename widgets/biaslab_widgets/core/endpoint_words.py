"""What a bench says of models behind an address: whose key is sent depends on who reads it."""

from __future__ import annotations

from biaslab.access import current_access

_MODEL = "A model behind an OpenAI-compatible address."
_MEMORY = "The key stays in memory while the model is called"


def about_endpoint() -> str:
    """Return what such a model is, and which key it receives, for the person who asks."""
    reach = current_access().reach
    if reach.everything:
        return f"{_MODEL} {_MEMORY}; without one, OpenAI receives OPENAI_API_KEY."
    if not reach.services:
        return f"{_MODEL} Whoever runs this server has not allowed any address yet."
    if reach.own_keys:
        return (
            f"{_MODEL} {_MEMORY}; without one, the models that the owner of this server lends are"
            " asked with the owner's key."
        )
    return (
        f"{_MODEL} {_MEMORY}. No key of this server is sent: enter yours where the address needs"
        " one."
    )
