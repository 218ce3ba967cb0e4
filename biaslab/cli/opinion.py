"""``biaslab opinion``: a verdict on answers that somebody recorded."""

from __future__ import annotations

import argparse

from biaslab.cli.commands import Group, Option, command
from biaslab.cli.options import LEVEL, SEED, SVG
from biaslab.cli.output import OUTPUTS, in_shell, put_out, shown_progress

_ROLES = {
    "group": "column of the group, or of the groups of all candidates",
    "answer": "column of the answers",
    "order": "column of the candidates, as the prompt lists them",
    "item": "column of the questions",
    "cluster": "column that says which answers belong together",
    "score": "column of scores",
    "model": "column of the models",
    "case": "column of the cases, such as jobs; without it, all answers are of one",
}


def _label(text: str) -> tuple[str, str]:
    name, equals, label = text.partition("=")
    if not equals:
        raise ValueError(text)
    return name, label


@command(
    "opinion",
    "judge answers that somebody recorded",
    Option("file", "CSV, JSON lines, Parquet, a log of Inspect, or samples of the harness"),
    Group(
        "columns, where they are not recognised",
        *(Option(f"--{role}", about, metavar="COLUMN") for role, about in _ROLES.items()),
    ),
    Option("--reading", "of rankings: the candidate at the first place (default), or the first"
           " name that occurs", choices=("first place", "first name")),
    Option("--labels", "what groups are called, such as 'A_W=Asian women'", nargs="+",
           type=_label, metavar="NAME=LABEL"),
    Option("--reference", "group that others are compared with, of yes or no and numbers"),
    Option("--margin", "differences up to this count as treated alike", type=float),
    Option("--word-tests", "CSV file of the groups and words of association tests", metavar="FILE"),
    Option("--permutations", "orders that are drawn for the test of rankings", 20_000),
    LEVEL,
    SEED,
    Option("--report", "write the finding, chart, table and limits to an HTML file",
           metavar="FILE"),
    SVG,
    *OUTPUTS,
    examples=(
        "biaslab opinion answers.csv",
        "biaslab opinion answers.csv --group applicant --answer reply --report opinion.html",
    ),
    description="Judge answers that somebody recorded, without asking a model: rankings and"
    " selections, yes or no, ratings, word pairs as in an implicit association test, and published"
    " benchmarks such as BBQ. Says what may be printed, what may not, and what was never asked.",
)  # fmt: skip
def give_opinion(options: argparse.Namespace) -> None:
    """Open the file, and print the verdict on its answers."""
    import biaslab as bl
    from biaslab.answers import replay

    named = {role: getattr(options, role) for role in _ROLES if getattr(options, role)}
    if options.reading:
        named["reading"] = options.reading
    with shown_progress():
        answers = replay(options.file, **named)
        result = bl.opinion(
            answers,
            labels=dict(options.labels or ()),
            reference=options.reference,
            margin=options.margin,
            word_tests=options.word_tests,
            permutations=options.permutations,
            level=options.level,
            rng=options.seed,
        )
    for note in answers.notes:
        print(in_shell(note, options=options.keywords))
    put_out(result, options)
    if options.report:
        result.report(options.report)
    if options.svg:
        result.to_svg(options.svg)
