"""``biaslab probe weat`` and ``biaslab probe mac``: association of groups with attributes."""

from __future__ import annotations

import argparse
from pathlib import Path

from biaslab.cli.commands import Commands
from biaslab.cli.outputs import add_outputs, put_out


def add(probes: Commands) -> None:
    """Add the commands."""
    weat = probes.add_parser("weat", help="association of two groups with two attribute lists")
    _add_lists(weat)
    weat.add_argument("--ddof", type=int, choices=(0, 1), default=1, help="of the effect size's SD")
    weat.add_argument("--alternative", choices=("greater", "less", "two-sided"), default="greater")
    weat.add_argument(
        "--splits", type=int, default=10_000, help="drawn where there are more than 100,000"
    )
    add_outputs(weat)
    weat.set_defaults(handler=_weat)
    mac = probes.add_parser("mac", help="mean average cosine, as a whole and by connection")
    _add_lists(mac)
    mac.add_argument("--as", dest="as_", choices=("distance", "similarity"), default="distance")
    add_outputs(mac)
    mac.set_defaults(handler=_mac)


def _add_lists(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("subject", help="bundled name, file or folder")
    parser.add_argument("spec", help="name of a spec of the catalogue, or its file")
    parser.add_argument("--groups", default="", help="group,group: which of the spec's, in order")
    parser.add_argument("--attributes", default="", help="list,list: which of the spec's, in order")
    parser.add_argument("--level", type=float, default=0.95, help="of the intervals")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--svg", type=Path, help="write a picture to a file")


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
        seed=options.seed,
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
        seed=options.seed,
    )
    put_out(result, options)
    if options.svg:
        result.to_svg(options.svg)
    return 0


def _names(text: str) -> list[str] | None:
    return [name.strip() for name in text.split(",")] if text else None
