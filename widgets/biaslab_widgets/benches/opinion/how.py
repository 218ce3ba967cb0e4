"""How a second opinion comes about, with the numbers of the one on the screen."""

from __future__ import annotations

from typing import Final

from biaslab.probes.opinion import ChoicesResult, OpinionResult, RatesResult
from biaslab.records.wording import counted
from biaslab_widgets.core.how import NOTHING_YET, how, percent, points, step
from biaslab_widgets.core.state.records import How, Step

GUIDE: Final = "docs/benches/opinion.md"


def how_of(result: OpinionResult | None) -> How:
    """From the rows of the file to the verdict."""
    if result is None:
        return how(NOTHING_YET, read=("holm", "eeoc"), guide=GUIDE)
    aside = sum(count for _, count in result.set_aside)
    used = 0 if result.file is None else result.file.n_used
    steps = [
        step(
            "Read the answers",
            "rows − rows set aside = answers used",
            f"{used + aside} − {aside} = {used}",
            text="Each column has a role. What cannot be read is counted, and never guessed.",
        ),
        *(_of_choices(result) if isinstance(result, ChoicesResult) else ()),
        *(_of_rates(result) if isinstance(result, RatesResult) else ()),
        step(
            "Correct for many tests",
            text="p-values are Holm’s over all tests of the file, so that all clear findings"
            f" together are wrong in at most {percent(1 - result.level, 0)} % of studies.",
        ),
    ]
    return how(f"{counted(used, 'answer')} of {result.source}.", steps,
               read=("holm", "eeoc"), guide=GUIDE)  # fmt: skip


def _of_choices(result: ChoicesResult) -> list[Step]:
    cell = result.cells[0]
    shares = cell.groups.shares
    first = int(cell.by_place[0])
    return [
        step(
            "Compare with a ranker that ignores groups",
            "even share = 1 / groups",
            f"1 / {len(shares)} = {1 / len(shares):.3f}",
            text=f"It likes the same places in the prompt: {first:,} of {cell.n:,} first places of"
            f" {cell.model} went to the candidate listed first. {result.runs:,} such runs shuffle"
            " the orders of the prompts.",
        ),
        step(
            "Divide the least by the most often chosen",
            "ratio = lowest rate / highest rate",
            text=f"Here it is {cell.groups.ratio:.2f}. A ranker that ignores groups is below 0.8 in"
            f" {percent(cell.groups.below, 0)} % of runs of this size, so the ratio alone says"
            " little.",
        ),
    ]


def _of_rates(result: RatesResult) -> list[Step]:
    one = result.cells[0].differences[0]
    unit = f"{points(result.margin)} points" if result.are_rates else f"{result.margin:.3g}"
    return [
        step(
            "Compare each group with the reference",
            "difference = mean of the group − mean of the reference",
            text=f"The reference is {one.reference}. Groups are compared within the questions that"
            f" both were asked about; answers are clustered by {result.over}.",
        ),
        step(
            "Test for equivalence",
            text=f"Groups count as alike if two one-sided tests exclude a difference of {unit}.",
        ),
    ]
