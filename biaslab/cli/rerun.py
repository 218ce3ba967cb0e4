"""``biaslab rerun``: make a saved run again, and say whether its numbers are the same."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from biaslab.cli.commands import ExitStatus, Option, command, flag
from biaslab.cli.progress_line import finish_line, shown_progress
from biaslab.cli.saved import RUN, opened
from biaslab.cli.tables import JSON, print_json

if TYPE_CHECKING:
    from biaslab.rerunning import Rerun

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

    done = bl.rerun(
        opened(options.run),
        stored_answers=options.stored_answers,
        context=shown_progress(),
    )
    finish_line()
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
