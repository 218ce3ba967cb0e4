"""``biaslab serve``: open the benches in a browser, and say what they may call."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from biaslab.cli.commands import ExitStatus, Group, Option, command, flag
from biaslab.errors import BiaslabError, OutboundError
from biaslab.jobs.context import reporting_to
from biaslab.jobs.workers import SERVED, JobLimits
from biaslab.people.access import set_outbound_for_others
from biaslab.people.disk import DiskLimits
from biaslab.people.outbound import Outbound, Quota, as_outbound

_EACH: Final = Quota()
_ALL: Final = Outbound().total

OUTBOUND_OPTIONS: Final = Group(
    "what others may call from here",
    Option(
        "--allow-service",
        "let others call a service or chat model at this host; without a port at 80 and 443, with a"
        " path only below it, and '*' for any public host (repeat it for more)",
        [], action="append", metavar="HOST[:PORT][/PATH]",
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

    Raises `OutboundError` if an option cannot be read.
    """
    set_outbound_for_others(outbound_of(options))


def outbound_of(options: argparse.Namespace) -> Outbound:
    """Return what the options allow others.

    Subjects that are given by an address or a name of the hub are allowed by that.

    Raises `OutboundError` if an option cannot be read.
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
    if not all(0 < count < math.inf for count in counts):  # nan is neither
        raise OutboundError(
            "Calls and cost per hour and day are numbers above 0. To let others call nothing, leave"
            " --allow-service and --allow-model out."
        )
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


MOST_PROCESSES = 64
MOST_PROXIES = 10
MOST_MINUTES = 7 * 24 * 60
_MANY = {"action": "append", "default": []}


@command(
    "serve",
    "serve the benches as a web app on this machine",
    Option("subjects", "names, files or folders (default: all bundled subjects)", nargs="*"),
    Option("--port", "port of the server; 0 takes a free one", 5006),
    Option("--address", "address to listen on; others reach any but 127.0.0.1", "127.0.0.1"),
    Option(
        "--unix-socket",
        "listen on this socket file in place of an address; whoever may open it is the owner",
        metavar="FILE",
    ),
    Option("--open", "open the app in the browser", False, action=argparse.BooleanOptionalAction),
    Option(
        "--num-procs",
        "processes that serve at the one address, best one for each core; each loads its subjects",
        1,
    ),
    Option("--log-file", "write the log to this file, which is rotated", metavar="FILE"),
    Group(
        "who may use it",
        Option(
            "--auth",
            "how people sign in: basic:FILE, made by biaslab users add, or oauth:PROVIDER, such as"
            " oauth:github, with BIASLAB_OAUTH_KEY and BIASLAB_OAUTH_SECRET in the environment",
            metavar="HOW",
        ),
        Option("--owner", "name of an owner whom OAuth signs in", **_MANY, metavar="NAME"),
        Option("--teacher", "name of a teacher whom OAuth signs in", **_MANY, metavar="NAME"),
        flag("--allow-anyone", "let everybody who reaches the address in, as a visitor"),
        Option(
            "--cookie-secret-file",
            "file of the secret that signs cookies; BIASLAB_COOKIE_SECRET overrides it (default:"
            " one in your own folder)",
            metavar="FILE",
        ),
    ),
    Group(
        "what one person may take",
        Option(
            "--max-run",
            "minutes that one run may compute before it is stopped and keeps what it has; 0 for any"
            " time (default: 15 where others reach the app)",
            type=float,
            metavar="MINUTES",
        ),
        Option(
            "--disk-per-person",
            "GB that the runs and files of each of the others may take (default: 5)",
            type=float,
            metavar="GB",
        ),
        Option(
            "--disk-total",
            "GB that those of all others may take together (default: half of what is free, in"
            " addition to what they hold)",
            type=float,
            metavar="GB",
        ),
        Option(
            "--keep-visitors",
            "days without a visit after which the folder of a visitor without a name is deleted; 0"
            " for never (default: 30)",
            type=float,
            metavar="DAYS",
        ),
    ),
    Group(
        "the connection",
        Option("--tls-cert", "certificate of the server, in PEM form", metavar="FILE"),
        Option("--tls-key", "key of the certificate", metavar="FILE"),
        Option(
            "--behind-proxy",
            "believe what this many reverse proxies before it say of a request's address and TLS"
            " (default without a number: 1)",
            0,
            nargs="?",
            const=1,
            metavar="PROXIES",
        ),
        Option(
            "--allow-origin",
            "another host under which people reach it, such as lab.example.org behind a proxy",
            **_MANY,
            metavar="HOST",
        ),
        Option(
            "--allow-frame",
            "origin of pages that may show it in a frame, such as https://moodle.example.org",
            **_MANY,
            metavar="ORIGIN",
        ),
    ),
    OUTBOUND_OPTIONS,
    examples=(
        "biaslab serve --open",
        "biaslab serve vectors.txt models/my-bert --port 5010",
        "biaslab serve --address 0.0.0.0 --auth basic:users.json --tls-cert c.pem --tls-key k.pem",
    ),
)
@reporting_to(None)  # no bar of progress in the log of a server
def serve_benches(options: argparse.Namespace) -> None:
    """Serve until the person stops it."""
    from importlib import import_module
    from importlib.util import find_spec

    if find_spec("panel") is None:
        raise BiaslabError("The served app needs Panel: pip install 'biaslab[app]'.")
    allow_outbound(options)
    for name in options.subjects:
        _check_that_it_exists(name)
    limits = _limits(options.max_run)
    # By name, so that `biaslab` itself does not need the widgets; several processes import it each.
    serving = import_module("biaslab_widgets.app.server_options")
    if not 1 <= options.num_procs <= MOST_PROCESSES:
        raise BiaslabError(f"--num-procs takes 1 to {MOST_PROCESSES}, best the number of cores.")
    if not 0 <= options.behind_proxy <= MOST_PROXIES:
        raise BiaslabError(f"--behind-proxy takes 0 to {MOST_PROXIES}: the proxies before it.")
    sign_in = _sign_in(options, serving)
    if options.num_procs > 1:
        _serve_in_several(options, serving, sign_in)
        return
    app = import_module("biaslab_widgets.app.serve")
    app.serve(
        options.subjects or None,
        port=options.port,
        address=options.address,
        open_browser=options.open,
        log_file=options.log_file,
        allow_hub=bool(options.allow_hub),
        limits=limits,
        disk=_disk(options, app.disk_of_server),
        people=sign_in,
    )


def _sign_in(options: argparse.Namespace, serving: Any) -> Any:
    """Return who may use the app, and over what connection."""
    how, _, what = (options.auth or "").partition(":")
    if options.auth and (how not in ("basic", "oauth") or not what):
        raise BiaslabError("--auth takes basic:FILE or oauth:PROVIDER.")
    return serving.SignIn(
        users=Path(what).expanduser() if how == "basic" else None,
        oauth=what if how == "oauth" else "",
        owners=tuple(options.owner),
        teachers=tuple(options.teacher),
        anyone=options.allow_anyone,
        allow_origin=tuple(options.allow_origin),
        framed_by=tuple(options.allow_frame),
        proxies=options.behind_proxy,
        cert=options.tls_cert,
        key=options.tls_key,
        unix_socket=options.unix_socket,
        secret_file=options.cookie_secret_file,
    )


def _serve_in_several(options: argparse.Namespace, serving: Any, sign_in: Any) -> None:
    """Start the processes, each with the arguments of this command."""
    import sys
    from importlib import import_module

    if options.tls_cert:
        raise BiaslabError(
            "Several processes share connections before these are decrypted. Leave --num-procs out,"
            " or let a reverse proxy speak TLS."
        )
    if options.unix_socket:
        raise BiaslabError("One process listens on a socket file. Leave --num-procs out.")
    sign_in.check(options.address)

    def begin(port: int) -> None:
        address = sign_in.address_to_open(options.address, port)
        print(f"Serving at {address}", flush=True)
        if options.open:
            serving.open_in_browser(address)

    if sign_in.is_owners_alone(options.address):
        _ = sign_in.token  # made here, it is the same for all
    several = import_module("biaslab_widgets.app.several_processes")
    arguments = [*sys.argv[1:], "--num-procs", "1"]
    with serving.refusals(options.address, options.port):
        status = several.serve_in(
            options.num_procs, arguments, options.address, options.port, begin
        )
    if status:
        raise ExitStatus(status)


def _limits(minutes: float | None) -> JobLimits | None:
    """Return the limits of jobs; None for the usual ones."""
    if minutes is None:
        return None
    if not 0 <= minutes <= MOST_MINUTES:
        raise BiaslabError(f"--max-run takes minutes from 0 to {MOST_MINUTES:,}; 0 for any time.")
    return replace(SERVED, max_run_s=60 * minutes or None)


def _disk(options: argparse.Namespace, usual: Callable[[], DiskLimits]) -> DiskLimits | None:
    """Return the limits of disk; None for the usual ones."""
    one, every, days = options.disk_per_person, options.disk_total, options.keep_visitors
    if one is every is days is None:
        return None
    for name, size in (("--disk-per-person", one), ("--disk-total", every)):
        if size is not None and not 0 < size < math.inf:
            raise BiaslabError(f"{name} takes GB above 0.")
    if days is not None and not 0 <= days < math.inf:
        raise BiaslabError("--keep-visitors takes days from 0; 0 for never.")
    limits = usual()
    return DiskLimits(
        limits.most_of_one if one is None else int(one * 1e9),
        limits.most if every is None else int(every * 1e9),
        limits.keep_days if days is None else days or None,
    )


def _check_that_it_exists(name: str) -> None:
    import biaslab as bl

    if not name.startswith(("hf:", "gensim:")):  # these are looked up when they are opened
        bl.subjects.inspect(name)
