"""Commands on saved results: ``biaslab compare``, ``report``, ``rerun`` and ``code``."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from biaslab.cli.commands import ExitStatus, Option, command, flag
from biaslab.cli.options import SEED, SVG
from biaslab.cli.output import JSON, OUTPUTS, print_json, put_out, shown_progress
from biaslab.errors import QueryError

if TYPE_CHECKING:
    from biaslab.records.result import Result
    from biaslab.store.rerunning import Rerun


RUN = "id of a run, or a JSON file that a result was written to"
"""Help text of such an argument."""


def id_or_file(text: str) -> str | Path:
    """Return a path for a name that ends in ``.json``, and else the id as it is."""
    return Path(text) if text.endswith(".json") else text


def opened(text: str) -> Result:
    """Open a saved result.

    Raises `RunNotFoundError` if there is no such run; `ResultFormatError` if the file cannot be
    read, or holds no result.
    """
    import biaslab as bl
    from biaslab.errors import ResultFormatError

    source = id_or_file(text)
    if isinstance(source, str):
        return bl.Store().open(source)
    try:
        return bl.Result.from_json(source)
    except OSError as error:
        raise ResultFormatError(f"{source} cannot be read: {error.strerror or error}.") from error


@command(
    "compare",
    "compare two runs of one probe, or follow a number over more",
    Option("a", RUN, metavar="A"),
    Option(
        "b",
        "the same of the run that it is compared with; of more, in order",
        nargs="+",
        metavar="B",
    ),
    Option("--labels", "of three or more runs: years, versions; numbers give a slope", nargs="+"),
    Option("--per", "of three or more runs: what the labels count, such as year", "step"),
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
        "biaslab compare a.json b.json c.json --labels 1990 2000 2010 --per year --svg years.svg",
    ),
    description="Compare two runs of one probe: two models, two dates, or before and after"
    " debiasing. Each change has an interval of its own, paired where both runs share their"
    " observations.",
)
def compare_runs(options: argparse.Namespace) -> None:
    """Compare two runs row by row, or follow a number over more."""
    import biaslab as bl
    from biaslab.probes.comparison import trajectory

    runs = [opened(one) for one in (options.a, *options.b)]
    how = {"measure": options.measure, "rng": options.seed}
    result: bl.Result
    if len(runs) == 2:
        result = bl.compare(*runs, **how)
    else:
        labels = options.labels or range(1, len(runs) + 1)
        result = trajectory(runs, labels, per=options.per, **how)
    put_out(result, options)
    if options.svg:
        result.to_svg(options.svg)


_HTML, _MARKDOWN = (".html", ".htm"), (".md", ".markdown")


@command(
    "report",
    "write saved runs as one document",
    Option("runs", f"{RUN} (several)", nargs="+", metavar="ID"),
    Option(
        "--output",
        "file to write: .html for a report, .md for a section of a model card",
        "report.html",
        metavar="FILE",
    ),
    Option("--title", "title of the report (default: the finding)", ""),
    examples=(
        "biaslab report 1qk2c07v4x 1qk2c0a9zz --title 'Before and after debiasing'",
        "biaslab report 1qk2c07v4x --output bias-section.md",
    ),
    description="Write saved runs as one HTML file that needs no network and prints well, or as a"
    " Markdown section for a model card. Two runs that can be compared are compared.",
)
def write_report(options: argparse.Namespace) -> None:
    """Write the document."""
    import biaslab as bl
    from biaslab.files.atomic import write_atomically

    path = options.output
    # A run that is given by its id is shown with the command that makes it again.
    runs = [one if isinstance(id_or_file(one), str) else opened(one) for one in options.runs]
    if path.suffix.lower() in _HTML:
        bl.report(runs, path, options.title)
    elif path.suffix.lower() in _MARKDOWN:
        if options.title:
            raise QueryError("--title: only an .html report has a title.")
        write_atomically(path, bl.model_card(runs))
    else:
        raise QueryError(f"--output {path}: the name must end in .html or .md.")
    print(f"Written to {path}.")


DIFFERS = 3
"""Exit status where numbers differ."""
_SHOWN = 20


@command(
    "rerun",
    "make a saved run again, and compare all numbers",
    Option("run", RUN, metavar="ID"),
    flag("--stored-answers", "use stored answers of models and services; do not ask again"),
    flag("--save", "save the new run too"),
    JSON,
    examples=("biaslab rerun 1qk2c07v4x", "biaslab rerun nurse.json --stored-answers --json"),
    description="Make a saved run again and compare all numbers. Exit status: 0 if they are the"
    f" same, {DIFFERS} if some differ, 1 after an error.",
)
def rerun_run(options: argparse.Namespace) -> None:
    """Make one run again."""
    import biaslab as bl

    with shown_progress():
        done = bl.rerun(opened(options.run), stored_answers=options.stored_answers)
    saved = done.result.save() if options.save else None
    if options.json:
        differences = json.loads(done.differences.to_json(orient="records"))
        print_json(
            {
                "is_equal": done.is_equal,
                "summary": done.summary(),
                "changes": list(done.changes),
                "differences": differences,
                "saved": saved,
            }
        )
    else:
        _print_outcome(done, saved)
    if not done.is_equal:
        raise ExitStatus(DIFFERS)


def _print_outcome(done: Rerun, saved: str | None) -> None:
    print(done.summary())
    if saved:
        print(f"Saved as run {saved}.")
    if not done.is_equal:
        print(done.differences.head(_SHOWN).to_string(index=False))
        if (more := len(done.differences) - _SHOWN) > 0:
            print(f"... and {more:,} more.")


@command(
    "code",
    "print Python that makes a saved run again",
    Option("run", RUN, metavar="ID"),
    examples=("biaslab code 1qk2c07v4x > nurse.py",),
)
def print_code(options: argparse.Namespace) -> None:
    """Print the code of one run."""
    print(opened(options.run).code(), end="")
