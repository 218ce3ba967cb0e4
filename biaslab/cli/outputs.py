"""Options for a result's output, shared by the commands that make one."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from biaslab.results import Result


def add_outputs(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--csv", type=Path, metavar="FILE", help="write the estimates to a CSV file"
    )
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="write the whole result to a JSON file"
    )
    parser.add_argument(
        "--save", action="store_true", help="save the run; 'biaslab runs' lists saved runs"
    )


def put_out(result: Result, options: argparse.Namespace) -> None:
    """Print the summary and write the requested files."""
    print(result.summary())
    write_outputs(result, options)


def write_outputs(result: Result, options: argparse.Namespace) -> None:
    """Write the requested files, and save the run if requested."""
    if options.csv:
        result.to_csv(options.csv)
    if options.json:
        result.to_json(options.json)
    if options.save:
        print(f"Saved as run {result.save()}.")
