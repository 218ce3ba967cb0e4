"""``biaslab rerun``: make a saved run again, and say whether its numbers are the same."""

from __future__ import annotations

import argparse

from biaslab.cli.commands import ExitStatus, Option, command, flag
from biaslab.cli.progress_line import finish_line, shown_progress

DIFFERS = 3
"""Exit status where numbers differ."""
_SHOWN = 20


@command(
    "rerun",
    "make a saved run again, and compare all numbers",
    Option("run", "id of the run, or a JSON file that a result was written to"),
    flag("--stored-answers", "use stored answers of models and services; do not ask again"),
    flag("--save", "save the new run too"),
    description="Make a saved run again and compare all numbers. Exit status: 0 if they are the"
    f" same, {DIFFERS} if some differ, 1 after an error.",
)
def rerun_run(options: argparse.Namespace) -> None:
    """Make one run again."""
    from pathlib import Path

    import biaslab as bl

    is_file = options.run.endswith(".json")
    done = bl.rerun(
        Path(options.run) if is_file else options.run,
        stored_answers=options.stored_answers,
        context=shown_progress(),
    )
    finish_line()
    print(done.summary())
    if options.save:
        print(f"Saved as run {done.result.save()}.")
    if not done.is_equal:
        print(done.differences.head(_SHOWN).to_string(index=False))
        if (more := len(done.differences) - _SHOWN) > 0:
            print(f"... and {more:,} more.")
        raise ExitStatus(DIFFERS)
