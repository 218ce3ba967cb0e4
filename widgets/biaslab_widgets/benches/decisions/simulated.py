"""The simulated decider that the bench offers: it decides whatever case is on the screen."""

from __future__ import annotations

from dataclasses import dataclass

from biaslab.cases import Case
from biaslab.cases.quality import number
from biaslab.deciders import SimulatedDecider
from biaslab.observers import decider

NAME = "simulated decider"
_SHARE_OF_RANGE = 8
"""The planted gap is the range of the case divided by this: 2 years of 16."""


@dataclass(frozen=True)
class AnyCase:
    """A decider with a planted gap in every case.

    Attributes
    ----------
    name, about, kind : str
    """

    name: str = NAME
    about: str = "simulated, a gap planted on purpose"
    kind: str = "observer"

    def of(self, case: Case) -> SimulatedDecider:
        """Return the decider of a case; its second group needs more, by whole steps."""
        return decider(
            case, gap=planted_gap(case), position_bias=0.1, lapse=0.04, cannot_say=0.03,
            refusal=0.03, cue_sd=case.quality.step / 2, wording_sd=case.quality.step / 2,
        )  # fmt: skip

    def about_case(self, case: Case) -> str:
        """Return what is known of it in a case."""
        gap = f"{number(planted_gap(case))} {case.quality.unit}"
        return f"simulated, a gap of {gap} planted on purpose"


def planted_gap(case: Case) -> float:
    """Return the gap between the first and each other group, in the case's unit."""
    quality = case.quality
    steps = round((quality.high - quality.low) / _SHARE_OF_RANGE / quality.step)
    return max(1, steps) * quality.step
