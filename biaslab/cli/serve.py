"""``biaslab serve``: open the benches in a browser."""

from __future__ import annotations

import argparse

from biaslab.cli.commands import Option, command, flag
from biaslab.errors import BiaslabError


@command(
    "serve",
    "serve the benches as a web app on this machine",
    Option("subjects", "names, files or folders (default: all bundled subjects)", nargs="*"),
    Option("--port", "port of the server", 5006),
    Option(
        "--address", "address to listen on; the app has no password, so keep it local", "127.0.0.1"
    ),
    Option("--open", "open the app in the browser", False, action=argparse.BooleanOptionalAction),
    flag("--allow-hub", "let the page of subjects fetch models from the Hugging Face hub"),
    examples=(
        "biaslab serve --open",
        "biaslab serve vectors.txt models/my-bert --port 5010",
    ),
)
def serve_benches(options: argparse.Namespace) -> None:
    """Serve until the person stops it."""
    # Imported late and by name, so that `biaslab` itself does not need the widgets.
    from importlib import import_module

    try:
        app = import_module("biaslab_widgets.app.serve")
    except ModuleNotFoundError as error:
        if error.name != "panel":
            raise
        raise BiaslabError("The served app needs Panel: pip install 'biaslab[app]'.") from error
    for name in options.subjects:
        _check_that_it_exists(name)
    app.serve(
        options.subjects or None,
        port=options.port,
        address=options.address,
        open_browser=options.open,
        allow_hub=options.allow_hub,
    )


def _check_that_it_exists(name: str) -> None:
    import biaslab as bl

    if not name.startswith(("hf:", "gensim:")):  # these are looked up when they are opened
        bl.subjects.inspect(name)
