"""The one way from biaslab to other machines: what is not allowed, is not connected to.

Requests leave by `opener` (the standard library), `ClientTransport` (the client of OpenAI),
`checked_session` (the package requests), `fetch_apart`, and `admitted_provider` (Inspect). Each
asks the `Outbound` of the person for whom it runs, resolves the host, refuses addresses inside the
machine and its network, and connects to the very address that was looked at. `guard_connections`
makes a server refuse every other connection.
"""

from biaslab.network.admission import (
    admitted,
    admitted_provider,
    check_hub_name,
    check_model,
    reaching,
)
from biaslab.network.connections import connect, guard_connections
from biaslab.network.hub import fetch_apart
from biaslab.network.usage import spend, usage_left

__all__ = [
    "admitted",
    "admitted_provider",
    "check_hub_name",
    "check_model",
    "connect",
    "fetch_apart",
    "guard_connections",
    "reaching",
    "spend",
    "usage_left",
]
