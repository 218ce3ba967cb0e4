"""``biaslab probe occupations``: place words between groups, and compare with outside data."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from biaslab.cli.commands import Commands
from biaslab.cli.common_options import add_svg
from biaslab.cli.outputs import add_outputs, put_out
from biaslab.errors import QueryError

if TYPE_CHECKING:
    from biaslab.probes.occupations import OutsideTable


def add(probes: Commands) -> None:
    """Add the command."""
    parser = probes.add_parser(
        "occupations",
        help="where words switch between two groups (PSE, JND), compared with outside data",
        description="Estimate the point of subjective equality (PSE) and the just noticeable"
        " difference (JND) of many words between two groups, and correlate them with outside data"
        " such as labour statistics.",
    )
    parser.add_argument("subject", help="bundled name, file or folder")
    parser.add_argument(
        "--words",
        default="occupations",
        help="spec, text file with one word per line, or word,word,... (default: %(default)s)",
    )
    parser.add_argument(
        "--groups",
        default="gender-pairs",
        help="spec, or name=cue,cue;name=cue,cue (default: %(default)s)",
    )
    parser.add_argument(
        "--pairing",
        choices=("matched", "all", "sets"),
        default="matched",
        help="cue pairs: first with first, second with second ...; all with all; or the mean"
        " vector of each group (default: %(default)s)",
    )
    parser.add_argument(
        "--outside",
        default="auto",
        help="CSV file, spec/column, or none (default: labour statistics for gender groups)",
    )
    parser.add_argument("--word-column", default="", metavar="NAME", help="word column of the CSV")
    parser.add_argument(
        "--value-column", default="", metavar="NAME", help="value column of the CSV"
    )
    parser.add_argument(
        "--of", default="", metavar="GROUP", help="group whose share the CSV's values give"
    )
    parser.add_argument(
        "--unit", default="", help="unit of the CSV's values: percent, share or other"
    )
    parser.add_argument(
        "--compare",
        action="store_true",
        help="also compare the PSE with other measures (WEAT, cosines) on the same words",
    )
    add_svg(parser)
    add_outputs(parser)
    parser.set_defaults(handler=_run)


def _run(options: argparse.Namespace) -> int:
    import biaslab as bl

    result = bl.occupations(
        bl.load(options.subject),
        _words(options.words),
        groups_of(options.groups),
        pairing=options.pairing,
        outside=_outside(options),
    )
    put_out(result, options)
    if options.compare:
        for which in range(len(result.combinations)):
            print()
            for row in result.comparison(which):
                ends = row.pearson_interval
                print(
                    f"{row.measure:30} r = {row.pearson:6.3f} ({ends.low:.2f} to {ends.high:.2f})"
                )
            print(result.comparison_verdict(which))
    if options.svg:
        result.to_svg(options.svg)
    return 0


def _words(text: str) -> str | list[str]:
    path = Path(text)
    if path.is_file():
        return path.read_text(encoding="utf-8-sig").splitlines()
    return text.split(",") if "," in text else text


def groups_of(text: str) -> str | dict[str, list[str]]:
    """Parse groups: the name of a spec, or ``name=word,word;name=word,word``.

    Raises
    ------
    QueryError
        If a part is not of this form, or a name occurs twice.
    """
    if "=" not in text:
        return text
    groups: dict[str, list[str]] = {}
    for part in text.split(";"):
        name, mark, cues = part.partition("=")
        if not mark or name.strip() in groups:
            raise QueryError(
                f"{part!r} in --groups is not a new group with its words. Write them as in"
                " female=she,her;male=he,him."
            )
        groups[name.strip()] = cues.split(",")
    return groups


def _outside(options: argparse.Namespace) -> OutsideTable | str | None:
    import biaslab as bl

    if options.outside == "none":
        return None
    if not Path(options.outside).is_file():
        return str(options.outside)
    return bl.probes.occupations.OutsideTable.read_csv(
        Path(options.outside),
        word=options.word_column,
        value=options.value_column,
        of=options.of,
        unit=options.unit,
    )
