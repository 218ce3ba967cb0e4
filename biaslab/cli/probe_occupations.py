"""``biaslab probe occupations``: many words between groups, beside an outside table."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from biaslab.cli.commands import Commands
from biaslab.cli.outputs import add_outputs, put_out
from biaslab.errors import QueryError

if TYPE_CHECKING:
    from biaslab.probes.occupations import OutsideTable


def add(probes: Commands) -> None:
    """Add the command."""
    parser = probes.add_parser(
        "occupations", help="PSE and JND of many words between groups, and an outside table"
    )
    parser.add_argument("subject", help="bundled name, file or folder")
    parser.add_argument(
        "--words",
        default="occupations",
        help="spec, text file with a word a line, or word,word,... (default: occupations)",
    )
    parser.add_argument(
        "--groups",
        default="gender-pairs",
        help="spec, or name=cue,cue;name=cue,cue (default: gender-pairs)",
    )
    parser.add_argument("--pairing", choices=("matched", "all", "sets"), default="matched")
    parser.add_argument(
        "--outside",
        default="auto",
        help="CSV file, spec/column, or none (default: labour statistics where the groups fit)",
    )
    parser.add_argument("--word-column", default="", help="of the CSV file")
    parser.add_argument("--value-column", default="", help="of the CSV file")
    parser.add_argument("--of", default="", help="group whose share the CSV's numbers are")
    parser.add_argument("--unit", default="", help="of the CSV's numbers: percent, share or other")
    parser.add_argument(
        "--compare", action="store_true", help="also PSE beside WEAT on the same words"
    )
    parser.add_argument("--svg", type=Path, help="write a picture to a file")
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
    """Groups as an option gives them: a spec, or ``name=word,word;name=word,word``.

    Raises
    ------
    QueryError
        When a part is not of this form, or a name occurs twice.
    """
    if "=" not in text:
        return text
    groups: dict[str, list[str]] = {}
    for part in text.split(";"):
        name, mark, cues = part.partition("=")
        if not mark or name.strip() in groups:
            raise QueryError(
                f"{part!r} in --groups is not a group of its own. Write female=she,her;male=he,him."
            )
        groups[name.strip()] = cues.split(",")
    return groups


def _outside(options: argparse.Namespace) -> OutsideTable | str | None:
    import biaslab as bl

    if options.outside == "none":
        return None
    if not Path(options.outside).is_file():
        return str(options.outside)
    return bl.OutsideTable.read_csv(
        Path(options.outside),
        word=options.word_column,
        value=options.value_column,
        of=options.of,
        unit=options.unit,
    )
