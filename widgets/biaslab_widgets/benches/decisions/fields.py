"""State of the decision bench, shared by its controller, both hosts and the front end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, TypedDict

from biaslab.cases.case_files import LONGEST
from biaslab_widgets.core.state.bench_state import BenchAnswer, SubjectState
from biaslab_widgets.core.state.fields import LARGEST, Cap, Component, Default, empty, field, output
from biaslab_widgets.core.state.records import Span


class CaseOption(TypedDict):
    """A case that can be chosen."""

    name: str
    title: str
    problem: str
    """Why the subject cannot answer it; empty where it can."""
    own: bool
    """Whether it is the person's own, which can be deleted."""


class CueChip(TypedDict):
    """A cue, and the pronouns that go with it."""

    text: str
    they: str
    them: str
    their: str


class CueGroup(TypedDict):
    """A group of people with the cues that stand for it."""

    name: str
    cues: list[CueChip]


class Piece(TypedDict):
    """A piece of a wording: plain text, or the name of what stands there."""

    kind: Literal["text", "cue", "they", "them", "their", "x"]
    text: str
    of: int
    """Group of the candidate, 0 or 1; -1 of one candidate alone: the page says who that is."""


class CaseCard(TypedDict):
    """A case as the page shows it: it fills cue and level into the wordings by itself."""

    name: str
    title: str
    question: list[Span]
    """In which the spans of groups are empty: the page puts the shown cues there."""
    quality: str
    """Name of the axis."""
    unit: str
    outcome: str
    """What happens to who is accepted."""
    low: float
    """Of the axis: levels of the quality or, of two candidates, differences between them."""
    high: Annotated[float, Default(1.0)]
    step: Annotated[float, Default(0.5)]
    says: list[str]
    """Each level of the quality as the case says it, from its lowest on."""
    lowest: float
    """The first of those levels."""
    middle: float
    """The one of those levels that the other of two candidates has."""
    level_step: Annotated[float, Default(0.5)]
    """Between two of those levels."""
    falls: bool
    """Whether less of the quality brings a yes."""
    groups: list[CueGroup]
    """The two groups."""
    group_names: list[str]
    """All groups of the case."""
    wordings: list[list[Piece]]
    forms: list[str]
    answers: list[str]
    """The answer that is a yes, and the other."""
    toml: str
    """The case as text, for the editor."""


class Plan(TypedDict):
    """What a run will ask."""

    questions: int
    stored: int
    """Questions with a stored reply."""
    tokens: int
    """About how many."""
    cost: str
    """Empty without a price of the subject's tokens."""
    time: str
    """About how long a language model on this machine takes; empty for others, and if short."""
    quick: int
    """Questions of a quick look; 0 where the whole run does not take long."""
    quick_time: str
    at_most: Annotated[bool, Default(True)]


class RunState(TypedDict):
    """How far the run on the screen is."""

    number: int
    """Counts runs; 0 before the first."""
    running: bool
    done: int
    """Questions answered."""
    total: int
    """Questions allowed or planned."""
    stored: int
    """Replies that were in the store and cost no call."""
    tokens: int
    cost: str
    """Of all questions and replies, such as ``0.43 EUR``; empty without a price."""
    seconds_left: float | None
    width: float | None
    """Of the gap's interval now, in the case's unit."""
    wanted: float | None
    """Width at which the run stops."""
    left: int | None
    """More calls that would decide or reach the width, about."""
    adaptive: bool
    stopped: bool
    """Ended before all was asked: it can go on."""
    no_gap: bool
    """It ended early, since no gap is to be expected."""
    stale: bool
    """Settings have changed since."""
    problem: str
    """What went wrong; what was answered before is kept."""
    waits_for: str
    """What it waits for, such as a server that failed; empty while it goes on."""


class Estimate(TypedDict):
    """A number with its interval; all None where there is none."""

    value: float | None
    low: float | None
    high: float | None


class Curve(TypedDict):
    """A curve in shares at the picture's levels, and the point where it is one half."""

    share: list[float]
    """A flat line for a group that answers alike at every level; empty where there is neither."""
    low: list[float]
    high: list[float]
    pse: Estimate
    beyond: str
    """Where the point lies when it is not within the levels: ``PSE below 0 years``."""


class Gap(TypedDict):
    """The gap with both of its intervals."""

    value: float | None
    low: float | None
    high: float | None
    these_low: float | None
    these_high: float | None
    margin: float
    """Within it groups count as alike."""


class GaugeState(TypedDict):
    """A share that is kept out of the gap."""

    name: str
    group: int
    """0 of all answers, else 1 or 2."""
    value: float
    low: float
    high: float


class GroupPoint(TypedDict):
    """One of several groups, in the case's unit."""

    name: str
    pse: Estimate
    gap: Estimate
    """To the first group, for which it is 0."""
    neither: Estimate
    """Share of replies that are refused, unreadable or in another language."""


class MainEffect(TypedDict):
    """What label `two` of a trait must bring beyond label `one`, over all other traits."""

    trait: str
    one: str
    two: str
    effect: Estimate


class Counts(TypedDict):
    """How many replies there are of each kind."""

    yes: int
    no: int
    cannot_say: int
    refused: int
    unreadable: int
    other_language: int


class CueRates(TypedDict):
    """Where one cue stands among hits and false alarms."""

    name: str
    hits: float
    false_alarms: float


class GroupSensitivity(TypedDict):
    """How well it tells the qualified of a group from the others, and where it draws the line."""

    hits: Estimate
    """Share of the qualified who are accepted."""
    false_alarms: Estimate
    """Share of the others who are accepted."""
    d: Estimate
    c: Estimate
    cues: list[CueRates]


class Sensitivity(TypedDict):
    """The same answers as signal detection reads them."""

    verdict: list[Span]
    """Or why there is no picture of it."""
    caveat: str
    groups: list[GroupSensitivity]
    """The two groups; empty where there is no picture."""
    d: Gap
    """The second group's sensitivity less the first's, as the other differences."""
    c: Gap
    hits: Estimate
    false_alarms: Estimate


class Picture(TypedDict):
    """What the picture draws."""

    run: RunState
    form: Literal["yes or no", "which of two"]
    verdict: list[Span]
    caveat: str
    footer: list[str]
    levels: list[float]
    """At which the curves are given; every level of the case is among them."""
    curves: list[Curve]
    """One for each of the two groups, or one of the difference between two candidates."""
    ratio_levels: list[float]
    ratio: list[Estimate]
    """The impact ratio at each of its levels, without a value where its interval is too wide to
    quote it; empty of two candidates."""
    ridge: list[list[float]]
    """Per curve: where the next questions go; empty when none come."""
    gap: Gap | None
    jnd: Estimate
    indecision: Estimate
    """Difference between two candidates up to which the subject cannot say, in the case's unit."""
    gauges: list[GaugeState]
    points: list[GroupPoint]
    """All groups, the two that are compared first; empty of two groups."""
    effects: list[MainEffect]
    """Of crossed traits."""
    counts: Counts
    names: list[str]
    decision: Annotated[str, Default("none")]
    reason: str
    """Why there is no gap."""
    level: Annotated[float, Default(0.95)]
    settled: Annotated[bool, Default(True)]
    """Whether gauges, ratios, points and effects are of this result; they follow the curves."""
    sensitivity: Sensitivity


class Trials(TypedDict):
    """Every trial on the screen, in the order of asking."""

    number: list[int]
    """Of the trial in the run, from 1."""
    at: list[float]
    """Level, or difference."""
    group: list[int]
    """0 or 1; of two candidates that of the chosen one."""
    kind: list[int]
    """0 no, 1 yes, 2 cannot say, 3 refused, 4 unreadable, 5 in another language."""
    first: list[int]
    """1 where the yes is listed first."""
    cue: list[int]
    """Place of the cue in its group."""
    other: list[int]
    """Place of the other candidate's cue; -1 without."""
    wording: list[int]
    """Place of the wording."""


class TrialDetail(TypedDict):
    """One trial: what was sent and what came back, word for word."""

    number: int
    of: int
    who: list[Span]
    about: str
    prompt: str
    """The message with the question, or the text that was read."""
    before: list[str]
    """Messages that were sent before it, each after its role."""
    settings: str
    """That were sent along, as the server calls them."""
    reply: str
    reasoning: str
    read_as: str
    counts_as: str
    """A hit, a miss, a false alarm or a correct rejection; empty of anything else."""
    cost: str
    model: str


class Answer(BenchAnswer):
    """What is on the screen."""

    picture: Picture | None


FIRST_CASE = "hire-by-name"


WIDEST = 1e9
"""Of a level, a difference or a width, in the unit of any quality."""


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
        0.0,
        "Gaps within plus and minus this count as treated alike; 0 for a step at first.",
        low=0,
        high=WIDEST,
    )
    reading: Literal["gap", "sensitivity"] = field(
        "gap", "How the answers are read: as a gap, or as sensitivity and criterion."
    )
    qualified: float = field(
        0.0,
        "Level from which an applicant counts as qualified; the middle level at first.",
        low=-WIDEST,
        high=WIDEST,
    )
    alike_d: float = field(
        0.5,
        "Sensitivities d' that differ by no more than this count as alike.",
        low=0.01,
        high=10,
        step=0.1,
    )
    alike_c: float = field(
        0.25,
        "Criteria that differ by no more than this count as alike.",
        low=0.01,
        high=10,
        step=0.05,
    )
    cut: float = field(
        0.0,
        "Criterion at the handle, the same for both groups.",
        low=-4,
        high=4,
        step=0.05,
        view=True,
    )
    roc: Literal["ROC", "zROC"] = field(
        "ROC", "Whether shares or their z-scores are drawn against each other.", view=True
    )
    cannot_say: bool = field(False, "Whether the subject is offered that it cannot decide.")
    method: Literal["automatic", "adaptive", "fixed"] = field(
        "automatic", "Where levels are asked: where a reply says most, or at equal steps."
    )
    trials: int = field(
        0,
        "Questions at most; 0 for 400 where levels follow the answers, else all.",
        low=0,
        high=20_000,
    )
    stop_width: float = field(
        0.0,
        "Stop when the interval is as narrow; 0 to stop at a verdict.",
        low=0,
        high=WIDEST,
        step=0.1,
    )
    lapses: Literal["free", "shared", "equal", "none"] = field(
        "free",
        "Answers that do not depend on the level: fitted for each group, shared by all, also "
        "equal of yes and no, or none.",
    )
    slopes: Literal["free", "shared"] = field(
        "free", "Whether each group's curve has a slope of its own."
    )
    level: float = field(0.95, "Level of the intervals.", low=0.5, high=0.999, step=0.01)
    seed: int = field(0, "Seed of the order of questions.", low=0, high=LARGEST)
    without_cues: list[str] = field([], "Cues whose trials are left out of the fit.")
    without_wordings: list[int] = field(
        [], "Wordings, from 1, that are left out of the fit.", low=1, high=10_000
    )
    trial: int = field(0, "Trial whose text is shown, from 1; 0 for none.", low=0, high=10_000_000)
    x: float = field(
        0.0, "Level, or difference, at the handle.", low=-WIDEST, high=WIDEST, view=True
    )
    cue_1: str = field("", "Cue of the first group in the text; empty for the first.", view=True)
    cue_2: str = field("", "Cue of the second group in the text; empty for the first.", view=True)
    person: int = field(2, "Group of the candidate in the text.", low=1, high=2, view=True)
    wording: int = field(1, "Wording in the text, from 1.", low=1, high=10_000, view=True)
    cases: list[CaseOption] = output([], "Cases that can be chosen.")
    card: CaseCard = output(empty(CaseCard), "The case on the screen.")
    case_problem: str = output("", "What is wrong with the edited case.")
    plan: Plan = output(empty(Plan), "What a run will ask.")
    marks: Trials = output(empty(Trials), "Every trial on the screen.")
    detail: TrialDetail = output(empty(TrialDetail), "The chosen trial, word for word.")
    answer: Answer = output(empty(Answer), "What is on the screen.")


COMPONENT = Component(name="DecisionBench", module="decisions", state=DecisionBenchState)
