"""Where a probe's result goes besides the screen: options that every probe's command has."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from biaslab.results import Result


def add_outputs(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--csv", type=Path, help="write the estimates to a file")
    parser.add_argument("--json", type=Path, help="write the whole result to a file")
    parser.add_argument("--save", action="store_true", help="save the run in the store")


def put_out(result: Result, options: argparse.Namespace) -> None:
    """Print the summary, and write what was asked for."""
    print(result.summary())
    if options.csv:
        result.to_csv(options.csv)
    if options.json:
        result.to_json(options.json)
    if options.save:
        print(f"Saved as run {result.save()}.")
