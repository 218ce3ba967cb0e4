"""How a second opinion comes about, with the numbers of the one on the screen."""

from __future__ import annotations

from typing import Final

from biaslab.probes.opinion import ChoicesResult, OpinionResult
from biaslab.records.wording import counted
from biaslab_widgets.core.how import NOTHING_YET, how, percent, step
from biaslab_widgets.core.state.records import How

GUIDE: Final = "docs/benches/opinion.md"


def used_in(result: OpinionResult) -> int:
    """Return the number of answers behind the estimates."""
    rows = getattr(result, "row", None)  # benchmarks keep their scores only
    return (0 if result.file is None else result.file.n_used) if rows is None else len(rows)


def how_of(result: OpinionResult | None) -> How:
    """From the rows of the file to the verdict."""
    if result is None:
        return how(NOTHING_YET, read=("holm", "eeoc"), guide=GUIDE)
    aside = sum(count for _, count in result.set_aside)
    used = used_in(result)
    steps = [
        step(
            "Read the answers",
            "rows − rows set aside = answers used",
            f"{used + aside} − {aside} = {used}",
            text="Each column has a role. Replies that cannot be read are counted, not guessed.",
        ),
        step("Compare groups", text=result.caveat()),
    ]
    if isinstance(result, ChoicesResult):
        split = result.cells[0].groups
        steps.append(
            step(
                "Divide the least by the most often chosen",
                "ratio = lowest rate / highest rate",
                text=f"First it is {split.ratio:.2f}. A ranker that ignores groups is below 0.8 in"
                f" {percent(split.below, 0)} % of runs of this size, so alone it says little.",
            )
        )
    about = f"{counted(used, 'answer')} of {result.source}."
    return how(about, steps, read=("holm", "eeoc"), guide=GUIDE)
