"""``biaslab code``: print Python that makes a saved run again."""

from __future__ import annotations

import argparse

from biaslab.cli.commands import Option, command
from biaslab.cli.saved import RUN, opened


@command(
    "code",
    "print Python that makes a saved run again",
    Option("run", RUN, metavar="ID"),
    examples=("biaslab code 1qk2c07v4x > nurse.py",),
)
def print_code(options: argparse.Namespace) -> None:
    """Print the code of one run."""
    print(opened(options.run).code(), end="")
