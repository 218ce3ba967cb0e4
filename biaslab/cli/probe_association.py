"""``biaslab probe weat`` and ``biaslab probe mac``: associate groups with attributes."""

from __future__ import annotations

import argparse

from biaslab.cli.commands import Option, command, given
from biaslab.cli.common_options import GROUPS, LEVEL, SEED, SUBJECT, SVG
from biaslab.cli.outputs import OUTPUTS, put_out
from biaslab.cli.texts import names

_LISTS = (
    SUBJECT,
    Option("spec", "name or file of a spec, such as weat-6"),
    GROUPS,
    Option(
        "--attributes",
        "attribute lists of the spec to use, in order",
        type=names,
        metavar="NAME,NAME",
    ),
    LEVEL,
    SEED,
    SVG,
)


@command(
    "weat",
    "Word Embedding Association Test of two groups and two attribute lists",
    *_LISTS,
    Option("--ddof", "delta degrees of freedom of the SD in the effect size", 1, choices=(0, 1)),
    Option(
        "--alternative",
        "alternative hypothesis of the permutation test",
        "greater",
        choices=("greater", "less", "two-sided"),
    ),
    Option(
        "--splits", "random splits in the permutation test if there are more than 100,000", 10_000
    ),
    *OUTPUTS,
    examples=(
        "biaslab probe weat wiki-bootstraps weat-6",
        "biaslab probe weat vectors.txt weat-7 --alternative two-sided --svg weat.svg",
    ),
)
def run_weat(options: argparse.Namespace) -> None:
    """Test two groups and two attribute lists."""
    import biaslab as bl

    lists = given(options, "groups", "attributes", "level")
    settings = given(options, "ddof", "alternative", "splits")
    result = bl.weat(bl.load(options.subject), options.spec, rng=options.seed, **lists, **settings)
    put_out(result, options)
    if options.svg:
        result.to_svg(options.svg)


@command(
    "mac",
    "mean average cosine (MAC), overall and by kind of attribute word",
    *_LISTS,
    Option(
        "--as",
        "report cosine distance or cosine similarity",
        "distance",
        dest="as_",
        choices=("distance", "similarity"),
    ),
    *OUTPUTS,
    examples=("biaslab probe mac wiki-bootstraps manzini-religion",),
)
def run_mac(options: argparse.Namespace) -> None:
    """Average cosines of groups with attributes."""
    import biaslab as bl

    lists = given(options, "groups", "attributes", "level")
    result = bl.mac(bl.load(options.subject), options.spec, options.as_, rng=options.seed, **lists)
    put_out(result, options)
    if options.svg:
        result.to_svg(options.svg)
