"""Simulated deciders: what was put in comes out by plain counting, in both forms."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pytest

import biaslab as bl
from biaslab import cases, deciders
from biaslab.asking.simulated.truth import PromptReader
from biaslab.cases import Question
from biaslab.errors import DeciderError, ObserverError
from biaslab.jobs.job import JobContext

HIRE = cases.get("hire-by-name")
EMILY, LAKISHA = HIRE.groups[0].cues[0], HIRE.groups[1].cues[0]
N = 2_000


def share(observer: Any, question: Question, answer: str, count: int = N) -> float:
    replies = deciders.ask(observer, [question] * count, range(count))
    return sum((reply.answer or reply.outcome) == answer for reply in replies) / count


def near(value: float, count: int = N) -> Any:
    """Within 4.5 standard errors of a share."""
    return pytest.approx(value, abs=4.5 * math.sqrt(max(value * (1 - value), 1e-4) / count))


def small_case(**changes: Any) -> cases.Case:
    """A case of three groups, where less of a quality that is a number of words brings a yes."""
    table: dict[str, Any] = {
        "name": "small", "title": "Small", "need": "{gap}", "outcome": "kept",
        "groups": [{"name": name, "cues": [name]} for name in ("X", "Y", "Z")],
        "quality": {"name": "insults", "unit": "insults", "low": 1, "high": 3, "step": 1,
                    "words": ["fool", "liar", "thief"], "favoured_by": "less"},
        "yes_or_no": {"yes": "KEEP", "no": "DELETE", "wordings": ["{cue} wrote: {x}!"]},
        "which_of_two": {"candidate": "{cue}: {x}", "wordings": ["{second} / {first} / {second}."]},
    }  # fmt: skip
    return cases.Case.from_dict(table | changes)


@pytest.mark.parametrize("name", [*cases.names(), "small"])
def test_every_question_of_a_case_is_read_back(name: str) -> None:
    case = small_case() if name == "small" else cases.get(name)
    reader = PromptReader(case)
    cues = [(g, cue) for g, group in enumerate(case.groups) for cue in group.cues]
    for number, (group, cue) in enumerate(cues):
        for place, level in enumerate(case.quality.levels.tolist()):
            wording, detail = place % len(case.wordings("yes or no")), place % 5
            question = case.ask(
                cue, level, wording=wording, detail=detail, yes_first=place % 2 == 0,
                cannot_say=place % 3 == 0,
            )  # fmt: skip
            asked = reader.read(question.prompt)
            assert asked is not None
            [one] = asked.candidates
            assert (one.group, one.cue, one.level) == (group, number, level)
            assert (asked.wording, asked.question.answers) == (wording, question.answers)
        other_group, other = cues[-1 - number]
        if case.which_of_two is None:
            continue
        low, high = case.quality.low, case.quality.high
        both = case.ask_which((cue, high), (other, low), detail=number, cannot_say=True)
        asked = reader.read(both.prompt)
        assert asked is not None
        first, second = asked.candidates
        assert (first.group, first.level, second.group, second.level) == (
            group, high, other_group, low,
        )  # fmt: skip
    assert reader.read("Who are you?") is None
    assert reader.read("") is None


def test_a_level_between_the_steps_is_read_back() -> None:
    reader = PromptReader(HIRE)
    for level in (0.25, 6.125, 15.99):
        asked = reader.read(HIRE.ask(LAKISHA, level).prompt)
        assert asked is not None
        assert asked.candidates[0].level == level


def test_pse_gap_and_jnd_come_out_by_counting() -> None:
    observer = bl.observers.decider("hire-by-name", pse=6, gap=2.5, jnd=1.5, seed=4)
    assert observer.truth.pse == (6.0, 8.5)
    assert observer.truth.gap() == 2.5
    for cue, pse in ((EMILY, 6), (LAKISHA, 8.5)):
        assert share(observer, HIRE.ask(cue, pse), "INVITE") == near(0.5)
        assert share(observer, HIRE.ask(cue, pse + 1.5), "INVITE") == near(0.75)
        assert share(observer, HIRE.ask(cue, pse - 1.5, yes_first=False), "INVITE") == near(0.25)


def test_less_of_a_quality_may_bring_the_yes_and_groups_may_be_three() -> None:
    case = small_case()
    observer = bl.observers.decider(case, pse=1, gap=(1.0,), jnd=0.5, family="normal")
    assert observer.truth.pse == (1.0, 2.0, 1.0)
    assert observer.shares(case.ask(case.groups[0].cues[0], 1).prompt)["KEEP"] == pytest.approx(0.5)
    keep = observer.shares(case.ask(case.groups[1].cues[0], 1).prompt)["KEEP"]
    expected = 0.5 * math.erfc(-2 * 0.6744897501960817 / math.sqrt(2))
    assert keep == pytest.approx(expected)


@pytest.mark.parametrize("bias", [0.3, -0.2])
def test_position_bias_is_the_share_that_the_position_gives(bias: float) -> None:
    observer = bl.observers.decider(HIRE, pse=6, jnd=0.2, position_bias=bias, seed=2)
    for level, without in ((0.0, 0.0), (16.0, 1.0)):
        for first in (True, False):
            is_favoured = first == (bias > 0)
            expected = (1 - abs(bias)) * without + abs(bias) * is_favoured
            question = HIRE.ask(EMILY, level, yes_first=first)
            assert share(observer, question, "INVITE") == near(expected)
    question = HIRE.ask_which((EMILY, 0), (LAKISHA, 16))
    assert share(observer, question, "A") == near(max(bias, 0.0))


def test_a_shift_of_position_moves_the_curve_by_half_to_either_side() -> None:
    observer = bl.observers.decider(HIRE, pse=6, jnd=1.5, position_shift=1.0)
    for first, sign in ((True, 0.5), (False, -0.5)):
        shares = observer.shares(HIRE.ask(EMILY, 6, yes_first=first).prompt)
        assert shares["INVITE"] == pytest.approx(1 / (1 + math.exp(-sign)))


def test_lapses_refusals_and_ways_out_have_rates_of_their_own() -> None:
    observer = bl.observers.decider(
        HIRE, pse=6, jnd=0.2, lapse=(0.0, 0.2), lapse_yes=0.75, refusal=(0.1, 0.3),
        cannot_say=(0.0, 0.5), seed=6,
    )  # fmt: skip
    low, high = 0, 16
    assert share(observer, HIRE.ask(EMILY, high), "INVITE") == near(0.9)
    assert share(observer, HIRE.ask(LAKISHA, low), "INVITE") == near(0.7 * 0.15)
    assert share(observer, HIRE.ask(LAKISHA, high), "DECLINE") == near(0.7 * 0.05)
    assert share(observer, HIRE.ask(LAKISHA, high), "refused") == near(0.3)
    offered = HIRE.ask(LAKISHA, high, cannot_say=True)
    assert share(observer, offered, "cannot say") == near(0.7 * 0.5)
    assert share(observer, offered, "refused") == near(0.3)


def test_indecision_is_symmetric_where_a_way_out_is_offered_and_a_guess_elsewhere() -> None:
    observer = bl.observers.decider(HIRE, pse=6, gap=2, jnd=1.0, indecision=1.0)
    question = HIRE.ask_which((LAKISHA, 8), (EMILY, 6), cannot_say=True)
    shares = observer.shares(question.prompt)
    assert shares["A"] == pytest.approx(0.25)
    assert (shares["B"], shares["UNSURE"]) == (pytest.approx(0.25), pytest.approx(0.5))
    guessed = observer.shares(HIRE.ask_which((LAKISHA, 8), (EMILY, 6)).prompt)
    assert (guessed["A"], guessed["B"]) == (pytest.approx(0.5), pytest.approx(0.5))


def test_which_of_two_has_the_gap_in_the_difference() -> None:
    observer = bl.observers.decider(HIRE, pse=6, gap=2, jnd=1.5, seed=9)
    equal = HIRE.ask_which((EMILY, 5), (LAKISHA, 7))
    assert share(observer, equal, "A") == near(0.5)
    more = HIRE.ask_which((LAKISHA, 8.5), (EMILY, 5), wording=2)
    assert share(observer, more, "A") == near(0.75)


def test_cues_and_wordings_add_to_the_pse() -> None:
    observer = bl.observers.decider(
        HIRE, pse=6, gap=1, jnd=1, cue_sd=1.0, wording_sd=0.5, wording_by_group_sd=0.3, seed=5
    )
    truth = observer.truth
    pse = 7 + truth.cues["Lakisha"] + truth.wordings[2] + truth.wordings_by_group[2][1]
    assert observer.shares(HIRE.ask(LAKISHA, pse, wording=2).prompt)["INVITE"] == pytest.approx(0.5)
    assert len(set(truth.cues.values())) == 8
    means = [sum(truth.cues[cue.text] for cue in group.cues) / 4 for group in HIRE.groups]
    own = [sum(row[g] for row in truth.wordings_by_group) / 4 for g in (0, 1)]
    both = sum(truth.wordings) / 4
    expected = [6 + means[0] + both + own[0], 7 + means[1] + both + own[1]]
    assert observer.realised == pytest.approx(expected)
    given = bl.observers.decider(HIRE, cue_effects={"Ebony": 2.0})
    assert (given.truth.cues["Ebony"], given.truth.cues["Anne"]) == (2.0, 0.0)


def test_a_repetition_brings_the_same_reply_in_any_order_and_another_seed_others() -> None:
    observer = bl.observers.decider(HIRE, seed=1)
    question = HIRE.ask(EMILY, 8)
    forward = deciders.ask(observer, [question] * 50, range(50))
    backward = deciders.ask(observer, [question] * 50, range(49, -1, -1))
    assert forward == backward[::-1]
    assert observer.decide([question] * 50, JobContext()) == forward
    other = bl.observers.decider(HIRE, seed=2)
    assert deciders.ask(other, [question] * 50, range(50)) != forward
    assert other.identity != observer.identity


@pytest.mark.parametrize("options", [{}, {"reasoning": True}, {"refusal": 0.5, "cannot_say": 0.3}])
def test_its_words_are_read_as_it_replies(options: dict[str, Any]) -> None:
    observer = bl.observers.decider(HIRE, seed=3, **options)
    question = HIRE.ask(EMILY, 8, cannot_say=True)
    counts: Counter[str] = Counter()
    for number, reply in enumerate(deciders.ask(observer, [question] * 60, range(60))):
        read = deciders.read_reply(observer.text(question.prompt, number), question)
        assert (read.outcome, read.answer, read.text) == (reply.outcome, reply.answer, reply.text)
        assert read.reasoning == reply.reasoning
        counts[reply.outcome] += 1
    assert len(counts) == (3 if "refusal" in options else 1)


def test_probabilities_are_given_in_full() -> None:
    observer = bl.observers.decider(HIRE, pse=6, jnd=1.5, refusal=0.2, probabilities=True)
    [reply] = deciders.ask(observer, [HIRE.ask(EMILY, 7.5, yes_first=False)])
    assert observer.gives_probabilities
    assert reply.probabilities == pytest.approx((0.25, 0.75))
    assert (reply.answer, reply.mass) == ("INVITE", pytest.approx(0.8))


@pytest.mark.parametrize(
    "options",
    [
        {"gap": (1.0, 2.0)}, {"gap": math.nan}, {"jnd": 0}, {"position_bias": 1.2},
        {"position_bias": 0.5, "lapse": 0.6}, {"lapse": 1.0}, {"lapse": (0.1,)},
        {"lapse_yes": 2}, {"refusal": -0.1}, {"cannot_say": 1}, {"indecision": -1},
        {"cue_sd": -1}, {"cue_effects": {"Nobody": 1}}, {"family": "weibull"},
    ],
)  # fmt: skip
def test_parameters_out_of_range_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ObserverError):
        bl.observers.decider(HIRE, **options)


def test_another_case_is_refused_and_its_call_is_recorded() -> None:
    observer = bl.observers.decider("hire-by-name", gap=2)
    with pytest.raises(DeciderError, match="knows only the questions of 'hire-by-name'"):
        deciders.ask(observer, [Question("Who are you?", ("A", "B"))])
    from biaslab.records.calls.describing import origin

    assert "bl.observers.decider" in repr(origin(observer))
