"""``biaslab sensitivity``: whether a group is favoured, or only seen less well."""

from __future__ import annotations

import argparse

from biaslab.cli.commands import Group, Option, command
from biaslab.cli.options import LEVEL, SEED, SVG
from biaslab.cli.output import OUTPUTS, put_out, shown_progress

_ROLES = {
    "group": "column of the group",
    "answer": "column of the answers: yes or no, grades or scores",
    "cluster": "column of the names, or of what else belongs together",
    "item": "column of the questions",
    "model": "column of the models",
}


@command(
    "sensitivity",
    "tell apart whether a group is favoured, or only seen less well",
    Option("file", "CSV, JSON lines or Parquet of answers with a group and a truth"),
    Option("--truth", "column of the truth: a yes or no, or levels for --qualified",
           metavar="COLUMN"),
    Option("--signal", "value of the truth that counts as true", metavar="VALUE"),
    Option("--qualified", "level from which on the truth is yes", type=float),
    Option("--cut", "grade or score from which on an answer is a yes", type=float),
    Option("--grades", "grades in words, the least favourable first", nargs="+", metavar="GRADE"),
    Option("--groups", "groups to compare, the reference first", nargs="+"),
    Option("--spreads", "of the evidence with and without signal (default: equal)",
           choices=("equal", "unequal")),
    Option("--correction", "of rates of 0 and 100 %% (default: weak prior)",
           choices=("weak prior", "jeffreys", "log-linear", "1/(2N)")),
    Option("--margins", "differences of d' and of c that count as alike (default: 0.5 0.25)",
           nargs=2, type=float),
    Group(
        "columns, where they are not recognised",
        *(Option(f"--{role}", about, metavar="COLUMN") for role, about in _ROLES.items()),
    ),
    LEVEL,
    SEED,
    Option("--report", "write the finding, chart, table and limits to an HTML file",
           metavar="FILE"),
    SVG,
    *OUTPUTS,
    examples=(
        "biaslab sensitivity answers.csv --truth qualified",
        "biaslab sensitivity grades.csv --truth hired --cut 4 --spreads unequal",
    ),
    description="Apply signal detection theory to answers that somebody recorded: sensitivity d'"
    " and criterion c of each group, and their differences with intervals.",
)  # fmt: skip
def tell_apart(options: argparse.Namespace) -> None:
    """Open the file, and print the verdict on its answers."""
    import biaslab as bl

    named = {role: getattr(options, role) for role in _ROLES if getattr(options, role)}
    chosen = {
        name: getattr(options, name)
        for name in ("truth", "signal", "qualified", "cut", "grades", "groups", "spreads",
                     "correction", "margins")
        if getattr(options, name) is not None
    }  # fmt: skip
    with shown_progress():
        answers = bl.replay(options.file, **named)
        result = bl.sensitivity(answers, **chosen, level=options.level, rng=options.seed)
    put_out(result, options)
    if options.report:
        result.report(options.report)
    if options.svg:
        result.to_svg(options.svg)
