"""``biaslab code``: print Python that makes a saved run again."""

from __future__ import annotations

import argparse

from biaslab.cli.commands import Option, command


@command("code", "print Python that makes a saved run again", Option("run", "id of the run"))
def print_code(options: argparse.Namespace) -> None:
    """Print the code of one run."""
    import biaslab as bl

    print(bl.Store().open(options.run).code(), end="")
