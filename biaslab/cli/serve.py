"""``biaslab serve``: open the benches in a browser."""

from __future__ import annotations

import argparse

from biaslab.cli.commands import Commands
from biaslab.errors import BiaslabError


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser("serve", help="serve the benches as a web app on this machine")
    parser.add_argument(
        "subjects", nargs="*", help="names, files or folders (default: all bundled subjects)"
    )
    parser.add_argument(
        "--port", type=int, default=5006, help="port of the server (default: %(default)s)"
    )
    parser.add_argument(
        "--address",
        default="127.0.0.1",
        help="address to listen on; the app has no password, so keep it local (default:"
        " %(default)s)",
    )
    parser.add_argument(
        "--open",
        action=argparse.BooleanOptionalAction,
        default=False,
        help="open the app in the browser",
    )
    parser.set_defaults(handler=_serve)


def _serve(options: argparse.Namespace) -> int:
    # Imported late and by name, so that `biaslab` itself does not need the widgets.
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
