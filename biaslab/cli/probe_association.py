"""``biaslab probe weat`` and ``biaslab probe mac``: associate groups with attributes."""

from __future__ import annotations

import argparse

from biaslab.cli.commands import Commands
from biaslab.cli.common_options import add_level, add_seed, add_svg
from biaslab.cli.outputs import add_outputs, put_out


def add(probes: Commands) -> None:
    """Add the commands."""
    weat = probes.add_parser(
        "weat", help="Word Embedding Association Test of two groups and two attribute lists"
    )
    _add_lists(weat)
    weat.add_argument(
        "--ddof",
        type=int,
        choices=(0, 1),
        default=1,
        help="delta degrees of freedom of the SD in the effect size (default: %(default)s)",
    )
    weat.add_argument(
        "--alternative",
        choices=("greater", "less", "two-sided"),
        default="greater",
        help="alternative hypothesis of the permutation test (default: %(default)s)",
    )
    weat.add_argument(
        "--splits",
        type=int,
        default=10_000,
        help="random splits in the permutation test if there are more than 100,000"
        " (default: %(default)s)",
    )
    add_outputs(weat)
    weat.set_defaults(handler=_weat)
    mac = probes.add_parser(
        "mac", help="mean average cosine (MAC), overall and by kind of attribute word"
    )
    _add_lists(mac)
    mac.add_argument(
        "--as",
        dest="as_",
        choices=("distance", "similarity"),
        default="distance",
        help="report cosine distance or cosine similarity (default: %(default)s)",
    )
    add_outputs(mac)
    mac.set_defaults(handler=_mac)


def _add_lists(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("subject", help="bundled name, file or folder")
    parser.add_argument("spec", help="name or file of a spec, such as weat-6")
    parser.add_argument(
        "--groups", default="", metavar="NAME,NAME", help="groups of the spec to use, in order"
    )
    parser.add_argument(
        "--attributes",
        default="",
        metavar="NAME,NAME",
        help="attribute lists of the spec to use, in order",
    )
    add_level(parser, 0.95)
    add_seed(parser)
    add_svg(parser)


def _weat(options: argparse.Namespace) -> int:
    import biaslab as bl

    result = bl.weat(
        bl.load(options.subject),
        options.spec,
        groups=_names(options.groups),
        attributes=_names(options.attributes),
        ddof=options.ddof,
        alternative=options.alternative,
        splits=options.splits,
        level=options.level,
        rng=options.seed,
    )
    put_out(result, options)
    if options.svg:
        result.to_svg(options.svg)
    return 0


def _mac(options: argparse.Namespace) -> int:
    import biaslab as bl

    result = bl.mac(
        bl.load(options.subject),
        options.spec,
        options.as_,
        groups=_names(options.groups),
        attributes=_names(options.attributes),
        level=options.level,
        rng=options.seed,
    )
    put_out(result, options)
    if options.svg:
        result.to_svg(options.svg)
    return 0


def _names(text: str) -> list[str] | None:
    return [name.strip() for name in text.split(",")] if text else None
