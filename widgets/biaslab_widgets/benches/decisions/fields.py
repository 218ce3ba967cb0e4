"""State of the decision bench, shared by its controller, both hosts and the front end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from biaslab.cases.case_files import LONGEST
from biaslab_widgets.benches.decisions.case_fields import NO_CARD, CaseCard, CaseOption
from biaslab_widgets.benches.decisions.picture_fields import NO_PLAN, Picture, Plan
from biaslab_widgets.benches.decisions.trial_fields import (
    NO_DETAIL,
    NO_TRIALS,
    TrialDetail,
    Trials,
)
from biaslab_widgets.core.bench_fields import NO_BENCH_ANSWER, BenchAnswer, SubjectState
from biaslab_widgets.core.caps import Cap
from biaslab_widgets.core.fields import Component, field, output

FIRST_CASE = "hire-by-name"


class Answer(BenchAnswer):
    """What is on the screen."""

    picture: Picture | None


NO_ANSWER: Answer = {**NO_BENCH_ANSWER, "picture": None}


@dataclass(frozen=True, kw_only=True)
class DecisionBenchState(SubjectState):
    """State of the decision bench."""

    case: str = field(FIRST_CASE, "Name of the case.")
    case_text: str = field(
        "", "TOML of an edited case; empty for the one of the catalogue.", cap=Cap(text=LONGEST)
    )
    groups: list[str] = field([], "The two groups that are compared; empty for the first two.")
    all_groups: bool = field(
        True, "Whether a run asks about all groups of the case, or just the two that are compared."
    )
    form: Literal["yes or no", "which of two"] = field(
        "yes or no", "One candidate at a time, or one of each group."
    )
    alike: float = field(
        0.0, "Gaps within plus and minus this count as treated alike; 0 for a step at first.", low=0
    )
    cannot_say: bool = field(False, "Whether the subject is offered that it cannot decide.")
    method: Literal["automatic", "adaptive", "fixed"] = field(
        "automatic", "Where levels are asked: where a reply says most, or at equal steps."
    )
    trials: int = field(400, "Questions at most, where levels follow the answers.", low=1)
    stop_width: float = field(
        0.0, "Stop when the interval is as narrow; 0 to stop at a verdict.", low=0
    )
    lapses: Literal["free", "shared", "equal", "none"] = field(
        "free",
        "Answers that do not depend on the level: fitted for each group, shared by all, also "
        "equal of yes and no, or none.",
    )
    slopes: Literal["free", "shared"] = field(
        "free", "Whether each group's curve has a slope of its own."
    )
    level: float = field(0.95, "Level of the intervals.", low=0.5, high=0.999)
    seed: int = field(0, "Seed of the order of questions.", low=0)
    without_cues: list[str] = field([], "Cues whose trials are left out of the fit.")
    without_wordings: list[int] = field([], "Wordings, from 1, that are left out of the fit.")
    trial: int = field(0, "Trial whose text is shown, from 1; 0 for none.", low=0)
    x: float = field(0.0, "Level, or difference, at the handle.", view=True)
    cue_1: str = field("", "Cue of the first group in the text; empty for the first.", view=True)
    cue_2: str = field("", "Cue of the second group in the text; empty for the first.", view=True)
    person: int = field(2, "Group of the candidate in the text.", low=1, high=2, view=True)
    wording: int = field(1, "Wording in the text, from 1.", low=1, view=True)
    cases: list[CaseOption] = output([], "Cases that can be chosen.")
    card: CaseCard = output(NO_CARD, "The case on the screen.")
    case_problem: str = output("", "What is wrong with the edited case.")
    plan: Plan = output(NO_PLAN, "What a run will ask.")
    marks: Trials = output(NO_TRIALS, "Every trial on the screen.")
    detail: TrialDetail = output(NO_DETAIL, "The chosen trial, word for word.")
    answer: Answer = output(NO_ANSWER, "What is on the screen.")


COMPONENT = Component(name="DecisionBench", module="decisions", state=DecisionBenchState)
