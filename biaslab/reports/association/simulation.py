"""Words and chart of effect sizes of WEAT where the truth is known."""

from __future__ import annotations

import math

import numpy as np

from biaslab.probes.association.effect_size import WeatSimulation
from biaslab.records.wording import counted, number
from biaslab.reports.chart import (
    Axis,
    Chart,
    Floats,
    Panel,
    Points,
    Row,
    Rows,
    Rule,
    Shape,
    axis_over,
    bins,
    finding,
)
from biaslab.reports.palette import CHANCE, GROUP_1, GROUP_2, INK, OBSERVED

_MOST_WORDS = 12


def sd_of(ddof: int) -> str:
    """By what an effect size is divided, in words."""
    return f"SD over n{' − 1' * bool(ddof)}"


def summary(result: WeatSimulation) -> str:
    """The spread of effect sizes, the ceiling, and how often large ones come from nothing."""
    n_x, n_y, n_a, n_b = result.sizes
    truth = "no difference in means" if result.no_difference else "a difference in means"
    interval = result.interval
    parts = [
        (
            f"With {truth} and σ = {result.sd:g}, {100 * result.level:.0f} % of the effect sizes "
            f"of {n_x} + {counted(n_y, 'word')} lie between {number(interval.low)} and"
            f" {number(interval.high)}; the ceiling is {number(result.ceiling)}."
            if math.isfinite(interval.low)
            else "With σ = 0 and no difference in means all associations are alike: there is "
            "no spread to divide by and no effect size."
        ),
        (
            f"{100 * result.share_reaching(1):.0f} % of {counted(len(result.effect_size), 'draw')} "
            f"are 1 or more from 0. Lists of {n_a} + {counted(n_b, 'attribute')}, "
            f"{sd_of(result.ddof)}; cosines are drawn independently from normal distributions."
        ),
    ]
    if result.first_words:
        parts.append("Only the first words of X and Y are compared, as in the paper’s program.")
    if (beyond := 3 * result.sd + max(map(abs, result.means))) > 1:
        parts.append(f"Such cosines reach {number(beyond, 1)}: true ones end at 1.")
    return "\n".join(parts)


def chart(result: WeatSimulation) -> Chart:
    """Histogram of the effect sizes, with the neutral value and the ceilings."""
    truth = "no difference" if result.no_difference else "a difference"
    ceilings = (-result.ceiling, result.ceiling)
    panel = Panel(
        title=(
            f"{counted(len(result.effect_size), 'draw')} with {truth} in means, σ = {result.sd:g}, "
            f"{sd_of(result.ddof)}; ceiling ±{number(result.ceiling)}"
        ),
        x=axis_over(result.edges, ceilings, label="effect size"),
        y=Axis(low=0, high=1.05 * float(result.counts.max(initial=1)), label="draws"),
        marks=(
            bins(result.edges, result.counts, colour=CHANCE),
            Rule(at=0, label="0", colour=INK),
            *(Rule(at=end, colour=OBSERVED, dashed=True) for end in ceilings),
        ),
        width=560,
        height=260,
    )
    panels = ((panel,), (example(result),))
    return Chart(title=finding(result), note=result.caveat(), panels=panels)


def example(result: WeatSimulation) -> Panel:
    """Every similarity of one draw, word by word, in the manner of the paper's Figs. 3 and 4."""
    n_a, names = result.sizes[2], words_of(result)[:_MOST_WORDS]
    cosines = result.example[: len(names)]

    def points(part: Floats, shift: float, colour: str, shape: Shape) -> Points:
        rows = np.arange(len(names)).repeat(part.shape[1]) + shift
        return Points(x=part.ravel(), y=rows, colour=colour, shape=shape, size=3)

    marks = (
        points(cosines[:, :n_a], -0.18, GROUP_1, "circle"),
        points(cosines[:, n_a:], 0.18, GROUP_2, "square"),
    )
    return Panel(
        title=f"One draw: similarity to each word of A (●) and B (■); {drawn_text(result)}",
        x=axis_over(cosines, 0.0, label="cosine similarity"),
        y=Rows(
            rows=tuple(
                Row(name, values=(number(float(s), 3),))
                for name, s in zip(names, result.association, strict=False)
            ),
            heads=("s(t, A, B)",),
        ),
        marks=(Rule(at=0, label="0", colour=INK), *marks),
        width=560,
    )


def words_of(result: WeatSimulation) -> list[str]:
    """Names of the drawn words: X 1, X 2 ... Y 1 ..."""
    return [f"{x} {i + 1}" for x, n in zip("XY", result.sizes, strict=False) for i in range(n)]


def drawn_text(result: WeatSimulation) -> str:
    """The effect size of the draw that is shown word by word."""
    size = float(result.effect_size[0])
    return f"effect size {number(size)}" if math.isfinite(size) else "no effect size"
