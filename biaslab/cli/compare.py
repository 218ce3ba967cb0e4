"""``biaslab compare``: compare two saved runs."""

from __future__ import annotations

import argparse

from biaslab.cli.commands import Option, command
from biaslab.cli.common_options import SEED, SVG
from biaslab.cli.outputs import OUTPUTS, put_out
from biaslab.cli.saved import RUN, opened


@command(
    "compare",
    "compare two runs of one probe",
    Option("a", RUN, metavar="A"),
    Option("b", "the same of the run that it is compared with", metavar="B"),
    Option(
        "--measure",
        "of runs that have a point of subjective equality: it, or how sharply answers switch",
        choices=("pse", "jnd"),
        default="pse",
    ),
    SEED,
    SVG,
    *OUTPUTS,
    examples=(
        "biaslab compare 1qk2c07v4x 1qk2c0a9zz",
        "biaslab compare before.json after.json --csv changes.csv --svg changes.svg",
    ),
    description="Compare two runs of one probe: two models, two dates, or before and after"
    " debiasing. Each change has an interval of its own, paired where both runs share their"
    " observations.",
)
def compare_runs(options: argparse.Namespace) -> None:
    """Compare two runs row by row."""
    import biaslab as bl

    result = bl.compare(
        opened(options.a), opened(options.b), measure=options.measure, rng=options.seed
    )
    put_out(result, options)
    if options.svg:
        result.to_svg(options.svg)
