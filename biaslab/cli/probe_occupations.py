"""``biaslab probe occupations``: place words between groups, and compare with outside data."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biaslab.cli.commands import Option, command, flag
from biaslab.cli.common_options import SUBJECT, SVG
from biaslab.cli.outputs import OUTPUTS, put_out
from biaslab.cli.progress_line import finish_line, shown_progress
from biaslab.errors import QueryError

if TYPE_CHECKING:
    from biaslab.probes.occupations import OutsideTable


@command(
    "occupations",
    "where words switch between two groups (PSE, JND), compared with outside data",
    SUBJECT,
    Option("--words", "spec, text file with one word per line, or word,word,...", "occupations"),
    Option("--groups", "spec, or name=cue,cue;name=cue,cue", "gender-pairs"),
    Option(
        "--pairing",
        "cue pairs: first with first, second with second ...; all with all; or the mean vector of"
        " each group",
        "matched",
        choices=("matched", "all", "sets"),
    ),
    Option(
        "--reference",
        "what leans are measured against: even (50 %%), words (the other words), or control words"
        " as a spec, text file or word,word,...",
        "even",
    ),
    Option(
        "--outside",
        "CSV file, spec/column, or none (default: labour statistics for gender groups)",
        "auto",
    ),
    Option("--word-column", "word column of the CSV", "", metavar="NAME"),
    Option("--value-column", "value column of the CSV", "", metavar="NAME"),
    Option("--of", "group whose share the CSV's values give", "", metavar="GROUP"),
    Option("--unit", "unit of the CSV's values: percent, share or other", ""),
    flag("--compare", "also compare the PSE with other measures (WEAT, cosines) on the same words"),
    SVG,
    *OUTPUTS,
    examples=(
        "biaslab probe occupations wiki-bootstraps --compare --svg occupations.svg",
        "biaslab probe occupations vectors.txt --words nurse,engineer,clerk --outside none",
    ),
    description="Estimate the point of subjective equality (PSE) and the just noticeable"
    " difference (JND) of many words between two groups, and correlate them with outside data"
    " such as labour statistics.",
)
def place_words(options: argparse.Namespace) -> None:
    """Estimate where words switch, and compare with outside data."""
    import biaslab as bl
    from biaslab.subjects.embedding.base import EmbeddingSubject

    subject = bl.load(options.subject)
    asked: dict[str, Any] = (
        {} if isinstance(subject, EmbeddingSubject) else {"context": shown_progress()}
    )
    result = bl.occupations(
        subject,
        _words(options.words),
        groups_of(options.groups),
        pairing=options.pairing,
        reference=_words(options.reference),
        outside=_outside(options),
        **asked,
    )
    if asked:
        finish_line()
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
