"""``biaslab report``: write saved runs as one document."""

from __future__ import annotations

import argparse

from biaslab.cli.commands import Option, command
from biaslab.cli.saved import RUN, id_or_file, opened
from biaslab.errors import QueryError

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
    from biaslab.atomic import write_atomically

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
