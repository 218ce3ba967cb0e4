"""Options of ``biaslab serve`` that say what others may call from this machine."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from biaslab.access import set_outbound_for_others
from biaslab.cli.commands import Group, Option, flag
from biaslab.errors import OutboundError
from biaslab.outbound import Outbound, Quota, as_outbound

_EACH: Final = Quota()
_ALL: Final = Outbound().total

OUTBOUND_OPTIONS: Final = Group(
    "what others may call from here",
    Option(
        "--allow-service",
        "let others call a service or chat model at this host; without a port at 80 and 443, and"
        " '*' for any public host (repeat it for more)",
        [], action="append", metavar="HOST[:PORT]",
    ),
    Option(
        "--allow-model",
        "let others ask chat models of this name only; with the price of a million tokens read and"
        " written, their cost is counted: 'gpt-5-mini=0.25/2.00USD' (repeat it for more)",
        [], action="append", metavar="PATTERN[=PRICE]",
    ),
    Option(
        "--allow-hub",
        "let the page of subjects fetch models from the Hugging Face hub, and others those of this"
        " name, such as 'google/*' (default without a name: all)",
        [], action="append", nargs="?", const="*", metavar="PATTERN",
    ),
    flag(
        "--use-own-keys",
        "ask the models of --allow-model with the keys of this machine's environment for others,"
        " too",
    ),
    Option("--calls-per-hour", "calls of services that each of the others has in an hour",
           _EACH.calls_per_hour),
    Option("--calls-per-day", "calls of services that each of the others has in a day",
           _EACH.calls_per_day),
    Option("--cost-per-day", "money that each of the others may spend in a day, in the currency of"
           " the price", _EACH.cost_per_day),
    Option("--total-calls-per-day", "calls of services that all others have together in a day",
           _ALL.calls_per_day),
    Option("--total-cost-per-day", "money that all others may spend together in a day",
           _ALL.cost_per_day),
)  # fmt: skip
"""Declaration for the command."""


def allow_outbound(options: argparse.Namespace) -> None:
    """Set what others than the owner may call, in this process and those that it starts.

    Raises
    ------
    OutboundError
        If an option cannot be read.
    """
    set_outbound_for_others(outbound_of(options))


def outbound_of(options: argparse.Namespace) -> Outbound:
    """Return what the options allow others.

    Subjects that are given by an address or a name of the hub are allowed by that.

    Raises
    ------
    OutboundError
        If an option cannot be read.
    """
    if options.use_own_keys and not options.allow_model:
        raise OutboundError(
            "--use-own-keys needs the models that may be asked: give --allow-model NAME, too."
        )
    taken = next((name for name in options.allow_hub if Path(name).exists()), None)
    if taken is not None:
        raise OutboundError(
            f"--allow-hub has taken {taken!r} for a name of the hub. Write subjects before it."
        )
    counts = (
        options.calls_per_hour, options.calls_per_day, options.cost_per_day,
        options.total_calls_per_day, options.total_cost_per_day,
    )  # fmt: skip
    if min(counts) < 0:
        raise OutboundError("Calls and cost per hour and day are numbers of at least 0.")
    subjects = [name for name in options.subjects if isinstance(name, str)]
    quota = Quota(options.calls_per_hour, options.calls_per_day, options.cost_per_day)
    total = replace(
        _ALL, calls_per_hour=options.total_calls_per_day,
        calls_per_day=options.total_calls_per_day, cost_per_day=options.total_cost_per_day,
    )  # fmt: skip
    return as_outbound(
        {
            "services": [*options.allow_service, *filter(None, map(_host, subjects))],
            "models": options.allow_model,
            "hub": [*options.allow_hub, *(n for n in subjects if n.startswith(_HUBS))],
            "own_keys": options.use_own_keys,
            "quota": quota,
            "total": total,
        }
    )


_HUBS: Final = ("hf:", "gensim:")


def _host(subject: str) -> str:
    """Return the host and port in ``openai:MODEL@ADDRESS``; empty for other subjects."""
    if not subject.startswith("openai:"):
        return ""
    parts = urlsplit(subject.rpartition("@")[2])
    host = parts.hostname or ""
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme, 0)
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}" if host else ""
