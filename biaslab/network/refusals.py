"""What a person is told whose request may not leave the server."""

from __future__ import annotations

from biaslab.errors import OutboundError
from biaslab.outbound import plain_host

_LONGEST = 100


def unreachable(host: str) -> OutboundError:
    """Return the error of a host that cannot be called, whatever the reason.

    One sentence for hosts that are not allowed, unknown, inside, closed and silent: it tells
    nobody what lies in the server's network.
    """
    shown = plain_host(host)[:_LONGEST] or "This address"
    return OutboundError(
        f"{shown} cannot be reached from this server. It calls only public addresses of services"
        " that its owner has allowed (biaslab serve --allow-service HOST)."
    )


def not_allowed(what: str, option: str) -> OutboundError:
    """Return the error of something that the owner has not allowed.

    Parameters
    ----------
    what : str
        Such as "The model 'm'".
    option : str
        The option of ``biaslab serve`` that allows it.
    """
    return OutboundError(
        f"{what} is not allowed on this server. Its owner can allow it: biaslab serve {option}."
    )
