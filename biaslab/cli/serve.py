"""``biaslab serve``: the benches on this machine."""

from __future__ import annotations

import argparse

from biaslab.cli.commands import Commands
from biaslab.errors import BiaslabError


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser("serve", help="serve the benches on this machine")
    parser.add_argument("subjects", nargs="*", help="files, folders or names; default all bundled")
    parser.add_argument("--port", type=int, default=5006)
    parser.add_argument(
        "--address", default="127.0.0.1", help="there is no password: keep it local"
    )
    parser.add_argument("--open", action=argparse.BooleanOptionalAction, default=False)
    parser.set_defaults(handler=_serve)


def _serve(options: argparse.Namespace) -> int:
    # The command is the one door from the engines to the app, so that `biaslab` needs no widgets.
    from importlib import import_module

    try:
        app = import_module("biaslab_widgets.app.serve")
    except ModuleNotFoundError as error:
        if error.name != "panel":
            raise
        raise BiaslabError("The served app needs Panel: pip install 'biaslab[app]'.") from error
    app.serve(
        options.subjects or None,
        port=options.port,
        address=options.address,
        open_browser=options.open,
    )
    return 0
