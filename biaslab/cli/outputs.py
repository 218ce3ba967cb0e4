"""Output of results: the options that commands share, and what they write."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biaslab.cli.commands import Option, flag
from biaslab.cli.shell_words import in_shell

if TYPE_CHECKING:
    from biaslab.reports.chart import Chart
    from biaslab.results import Result

PRINTED = Path("-")
"""In place of a file: the document is printed."""
OUTPUTS = (
    Option("--csv", "write the estimates to a CSV file", metavar="FILE"),
    Option(
        "--json",
        "write the whole result to a JSON file; without FILE print it, and all else to standard"
        " error",
        nargs="?",
        const=PRINTED,
        metavar="FILE",
    ),
    flag("--save", "save the run; 'biaslab runs' lists saved runs"),
)


def put_out(result: Result, options: argparse.Namespace) -> None:
    """Print the summary and write the requested files."""
    print(in_shell(result.summary()))
    write_outputs(result, options)


def write_outputs(result: Result, options: argparse.Namespace) -> None:
    """Write the requested files, and save the run if requested."""
    if options.csv:
        result.to_csv(options.csv)
    if options.json == PRINTED:
        print(result.to_json(), file=options.document)
    elif options.json:
        result.to_json(options.json)
    if options.save:
        print(f"Saved as run {result.save()}.")


def put_out_side_by_side(
    results: Sequence[Any],
    options: argparse.Namespace,
    chart: Callable[[Sequence[Any]], Chart],
    raw_csv: Path | None,
) -> None:
    """Print the results of several models and their differences, and write the requested files.

    Parameters
    ----------
    results : sequence of Result
        The first is the one that the others are compared with, and the one that is saved.
    options : argparse.Namespace
    chart : callable
        Draws all results in one chart.
    raw_csv : Path or None
        File for the raw observations of all.
    """
    first, *others = results
    put_out(first, options)
    for other in others:
        print(f"\n{in_shell(other.summary())}")
        print(first.compared_with(other, resamples=options.resamples, rng=options.seed).summary())
    if raw_csv:
        import pandas as pd

        from biaslab.atomic import write_atomically
        from biaslab.csv_text import frame_text

        tables = [one.raw_frame().assign(model=one.provenance.subject) for one in results]
        write_atomically(raw_csv, frame_text(pd.concat(tables, ignore_index=True)))
    if options.svg:
        from biaslab.atomic import write_atomically
        from biaslab.reports import svg

        write_atomically(options.svg, svg.paint(chart(results)))
