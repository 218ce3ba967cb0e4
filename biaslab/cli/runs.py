"""``biaslab runs``: list saved runs, or show one."""

from __future__ import annotations

import argparse

from biaslab.cli.commands import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser("runs", help="list saved runs, or show one")
    parser.add_argument("run", nargs="?", help="id of the run to show")
    parser.set_defaults(handler=_runs)


def _runs(options: argparse.Namespace) -> int:
    import biaslab as bl

    store = bl.Store()
    print(store.open(options.run).summary() if options.run else store.runs().to_string(index=False))
    return 0
