"""``biaslab serve``: open the benches in a browser."""

from __future__ import annotations

import argparse
from dataclasses import replace

from biaslab.cli.commands import ExitStatus, Group, Option, command, flag
from biaslab.cli.outbound_options import OUTBOUND_OPTIONS, allow_outbound
from biaslab.errors import BiaslabError
from biaslab.job_limits import SERVED, JobLimits

MOST_MINUTES = 7 * 24 * 60
_MANY = {"action": "append", "default": []}


@command(
    "serve",
    "serve the benches as a web app on this machine",
    Option("subjects", "names, files or folders (default: all bundled subjects)", nargs="*"),
    Option("--port", "port of the server; 0 takes a free one", 5006),
    Option("--address", "address to listen on; others reach any but 127.0.0.1", "127.0.0.1"),
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
    ),
    Group(
        "the connection",
        Option("--tls-cert", "certificate of the server, in PEM form", metavar="FILE"),
        Option("--tls-key", "key of the certificate", metavar="FILE"),
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
def serve_benches(options: argparse.Namespace) -> None:
    """Serve until the person stops it."""
    from importlib import import_module
    from importlib.util import find_spec
    from pathlib import Path

    if find_spec("panel") is None:
        raise BiaslabError("The served app needs Panel: pip install 'biaslab[app]'.")
    allow_outbound(options)
    for name in options.subjects:
        _check_that_it_exists(name)
    limits = _limits(options.max_run)
    how, _, what = (options.auth or "").partition(":")
    if options.auth and (how not in ("basic", "oauth") or not what):
        raise BiaslabError("--auth takes basic:FILE or oauth:PROVIDER.")
    if options.num_procs > 1:
        _serve_in_several(options)
        return
    # By name, so that `biaslab` itself does not need the widgets; several processes import it each.
    app = import_module("biaslab_widgets.app.serve")
    app.serve(
        options.subjects or None,
        port=options.port,
        address=options.address,
        open_browser=options.open,
        log_file=options.log_file,
        allow_hub=bool(options.allow_hub),
        limits=limits,
        people=app.SignIn(
            users=Path(what).expanduser() if how == "basic" else None,
            oauth=what if how == "oauth" else "",
            owners=tuple(options.owner),
            teachers=tuple(options.teacher),
            anyone=options.allow_anyone,
            allow_origin=tuple(options.allow_origin),
            framed_by=tuple(options.allow_frame),
            cert=options.tls_cert,
            key=options.tls_key,
            secret_file=options.cookie_secret_file,
        ),
    )


def _serve_in_several(options: argparse.Namespace) -> None:
    """Start the processes, each with the arguments of this command."""
    import sys
    from importlib import import_module

    if options.tls_cert:
        raise BiaslabError(
            "Several processes share connections before these are decrypted. Leave --num-procs out,"
            " or let a reverse proxy speak TLS."
        )
    several = import_module("biaslab_widgets.app.several_processes")
    serving = import_module("biaslab_widgets.app.serving")
    arguments = [*sys.argv[1:], "--num-procs", "1"]
    with serving.refusals(options.address, options.port):
        status = several.serve_in(
            options.num_procs,
            arguments,
            options.address,
            options.port,
            open_browser=options.open,
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


def _check_that_it_exists(name: str) -> None:
    import biaslab as bl

    if not name.startswith(("hf:", "gensim:")):  # these are looked up when they are opened
        bl.subjects.inspect(name)
