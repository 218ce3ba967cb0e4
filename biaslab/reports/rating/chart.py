"""Chart of a rating: the values in the input and in the output of every language."""

from __future__ import annotations

import numpy as np

from biaslab.probes.rating import RatingResult
from biaslab.reports.chart import Axis, Cells, Chart, Panel, Row, Rows, finding
from biaslab.reports.palette import GROUP_1, GROUP_2, INK, NEUTRAL, SURFACE

# Okabe and Ito's colours after the two of the groups; ``Other`` is grey.
_MORE = ("#009E73", "#CC79A7", "#E69F00", "#56B4E9")


def chart(result: RatingResult) -> Chart:
    """Shares of the values in each block: the input above, the output of each language below.

    What was unresolved is white with an outline. The ratings stand beside the languages.
    """
    names = ["input", *(f"{one.title}: {one.stamp}" for one in result.ratings)]
    panels = tuple(_block(result, b, names) for b in range(len(result.distributions)))
    return Chart(title=finding(result), note=result.caveat(), panels=(panels,))


def colours(values: tuple[str, ...]) -> tuple[str, ...]:
    """A colour for each value, ``Other`` last: she is group 1 and he group 2, as everywhere."""
    pair = (GROUP_2, GROUP_1) if values[:2] == ("He", "She") else (GROUP_1, GROUP_2)
    named = (*pair, *(_MORE[i % len(_MORE)] for i in range(len(values) - 3)))
    return (*named[: len(values) - 1], NEUTRAL)


def _block(result: RatingResult, b: int, names: list[str]) -> Panel:
    values = result.design.attribute.all_values
    distribution = result.distributions[b]
    mentions = result.tallies.mentions[b]
    counts = np.vstack([np.array(distribution.shares) * mentions, result.tallies.output[:, b]])
    lost = np.maximum(mentions - counts.sum(1), 0)
    table = np.column_stack([counts, lost]) / mentions
    right = table.cumsum(1)
    rows = np.arange(len(names))
    predicted = ", predicted" if result.changed[b] else ""
    return Panel(
        title=f"{distribution.name}, {distribution.kind}{predicted}",
        x=Axis(low=0, high=1, ticks=((0, "0"), (0.5, "50 %"), (1, "100 %"))),
        y=Rows(rows=tuple(map(Row, names)), line=26, named=b == 0),
        marks=tuple(
            Cells(
                left=right[:, i] - table[:, i],
                right=right[:, i],
                bottom=rows + 0.3,
                top=rows - 0.3,
                colour=colour,
                edge=INK,
                name=value.casefold() if table[:, i].any() else "",
                data={
                    "where": names,
                    "value": [value.casefold()] * len(names),
                    "count": np.round(table[:, i] * mentions, 1),
                },
                hover=(("", "@where"), ("@value", f"@count of {mentions:.0f}")),
            )
            for i, (value, colour) in enumerate(
                zip((*values, "unresolved"), (*colours(values), SURFACE), strict=True)
            )
        ),
        width=240,
    )
