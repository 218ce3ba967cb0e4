"""Chart of drawn effect sizes between the ceilings."""

from __future__ import annotations

from biaslab.probes.association.simulation import WeatSimulation
from biaslab.reports.chart import Axis, Chart, Panel, Rule, axis_over, bins, finding
from biaslab.reports.palette import CHANCE, INK, OBSERVED
from biaslab.wording import number


def chart(result: WeatSimulation) -> Chart:
    """Histogram of the effect sizes, with the neutral value and the ceilings."""
    truth = "no difference" if result.no_difference else "a difference"
    ceilings = (-result.ceiling, result.ceiling)
    panel = Panel(
        title=(
            f"{len(result.effect_size):,} draws with {truth} in means, σ = {result.sd:g}, "
            f"ddof {result.ddof}; ceiling ±{number(result.ceiling)}"
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
    return Chart(title=finding(result), note=result.caveat(), panels=((panel,),))
