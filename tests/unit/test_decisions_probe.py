"""The decision probe with deciders of every kind: recovery, stops, and bad answers."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.cases import Question
from biaslab.deciders import Reply
from biaslab.errors import CaseError, DeciderError, QueryError, SubjectError
from biaslab.jobs.context import reporting_to
from biaslab.jobs.job import JobContext
from biaslab.probes.decisions import gap_if_refused_is, gauges, placebo, plan, refusal_difference
from biaslab.probes.decisions.asking import HOPELESS
from harness.needs import needs
from harness.watched_context import Watched

NAMES = ("white-sounding names", "Black-sounding names")
FEW: Any = {"method": "fixed", "levels": [3, 5, 7]}
"""Of 192 questions."""


class Clerk:
    """A decider that counts its calls, and breaks after some."""

    name, about, identity = "clerk", "a test's", "clerk of a test"
    gives_probabilities, at_once = False, 8

    def __init__(self, breaks_after: int = 10_000) -> None:
        self.calls, self.breaks_after = 0, breaks_after
        self._inner = bl.observers.decider(pse=5, gap=2, jnd=1.3)

    def decide(self, questions: Sequence[Question], context: JobContext) -> list[Reply]:
        """Answer, or break."""
        if self.calls + len(questions) > self.breaks_after:
            raise DeciderError("The server has gone. Start it again.")
        self.calls += len(questions)
        return self._inner.decide(questions, context)


@pytest.fixture
def store(tmp_path: Path) -> bl.Store:
    return bl.Store(tmp_path / "runs.db")


@pytest.mark.parametrize("form", ["yes or no", "which of two"])
@pytest.mark.parametrize("method", ["fixed", "adaptive"])
def test_a_simulated_decider_is_recovered(form: Any, method: Any) -> None:
    decider = bl.observers.decider(pse=5, gap=2, jnd=1.3, lapse=0.02, cue_sd=0.2, seed=4)
    result = bl.decisions(decider, form=form, method=method, trials=400, width=0.4, keep=False) if (
        method == "adaptive"
    ) else bl.decisions(decider, form=form, method=method, keep=False)  # fmt: skip
    truth = decider.truth
    own = [np.mean([truth.cues[cue.text] for cue in group.cues]) for group in result.case.groups]
    assert float(truth.gap() + own[1] - own[0]) in result.gap_interval("these")
    assert result.groups == NAMES
    assert result.method == method


@pytest.mark.parametrize("form", ["yes or no", "which of two"])
def test_a_placed_run_looks_at_its_verdict(form: Any) -> None:
    decider = bl.observers.decider(pse=5, gap=4, jnd=1.0, seed=4)
    result = bl.decisions(decider, form=form, method="adaptive", trials=160, keep=False)
    assert result.gap_level > result.level
    assert 4.0 in result.gap_interval()


def test_more_rude_words_turn_a_decision_the_other_way() -> None:
    case = next(
        name for name in bl.cases.names() if bl.cases.get(name).quality.favoured_by == "less"
    )
    quality = bl.cases.get(case).quality
    gap = -(quality.high - quality.low) / 5
    decider = bl.observers.decider(case, gap=gap, jnd=quality.step)
    result = bl.decisions(decider, case, method="fixed", keep=False)
    assert result.pse(0).value > result.pse(1).value
    assert result.gap > 0
    assert -gap in result.gap_interval("these")


def test_a_run_that_was_stopped_goes_on_and_asks_nothing_twice(store: bl.Store) -> None:
    clerk = Clerk()
    context = Watched(lambda so_far: len(so_far.kept) > 0 and len(so_far.kept[-1].trials) >= 64)
    with reporting_to(context):
        part = bl.decisions(clerk, **FEW, store=store)
    assert 64 <= len(part.trials) < 192
    asked = clerk.calls
    whole = bl.decisions(clerk, **FEW, store=store)
    assert clerk.calls == 192
    assert whole.stored == asked
    again = bl.decisions(clerk, **FEW, store=store)
    assert clerk.calls == 192
    assert again.trials == whole.trials
    taken = plan(clerk, **FEW, store=store)
    assert (taken.questions, taken.calls) == (192, 0)


def test_an_adaptive_run_goes_on_from_the_store(store: bl.Store) -> None:
    clerk = Clerk()
    one = bl.decisions(clerk, trials=96, width=0.05, store=store)
    two = bl.decisions(clerk, trials=96, width=0.05, store=store)
    assert clerk.calls == 96
    assert two.trials == one.trials
    assert bl.decisions(clerk, trials=128, width=0.05, store=store).stored == 96


def test_only_a_run_that_stops_at_its_verdict_pays_for_the_looks() -> None:
    decider = bl.observers.decider(gap=6.0, jnd=1.0)
    found = bl.decisions(decider, trials=400, keep=False)
    assert found.decision == "group 1"
    assert found.budget_share == len(found.trials) / 400 < 1
    assert bl.decisions(decider, trials=64, width=0.1, keep=False).budget_share is None
    assert bl.decisions(decider, method="fixed", levels=5, keep=False).budget_share is None


def test_a_run_ends_where_the_rest_of_its_questions_would_hardly_decide() -> None:
    decider = bl.observers.decider(
        "hire-by-name", seed=1000, gap=0.5, pse=8, jnd=0.6, cue_sd=0.15, wording_sd=0.15
    )
    ended = bl.decisions(decider, "hire-by-name", trials=400, margin=0.5, rng=0, keep=False)
    assert ended.decision == "undecided"
    assert 128 <= len(ended.trials) < 400
    assert ended.notes[0] == HOPELESS


def test_replies_before_a_failure_are_kept(store: bl.Store) -> None:
    clerk, context = Clerk(breaks_after=100), Watched()
    with pytest.raises(DeciderError, match="The server has gone"), reporting_to(context):
        bl.decisions(clerk, **FEW, store=store)
    assert len(context.kept[-1].trials) == clerk.calls > 80
    clerk.breaks_after = 10_000
    whole = bl.decisions(clerk, **FEW, store=store)
    assert len(whole.trials) == 192
    assert clerk.calls == 192


def test_a_function_that_always_says_yes_has_no_point() -> None:
    result = bl.decisions(lambda text: "INVITE", trials=64, keep=False)
    assert np.isnan(result.gap)
    assert (
        "both groups are invited at every level, so their points lie below 0 years"
        in result.headline
    )
    assert "nan" not in result.summary().lower()


def test_unreadable_replies_are_counted_and_never_guessed() -> None:
    result = bl.decisions(lambda text: "Vielleicht.", trials=64, keep=False)
    assert result.counts()["unreadable"] == 64
    assert result.counts()["answered"] == 0
    assert np.isnan(result.gap)
    assert "0 of 64 answers are fitted; 64 unreadable" in result.caveat()
    assert "nan" not in result.summary().lower()


def test_refusals_of_one_group_are_kept_out_of_the_gap() -> None:
    decider = bl.observers.decider(pse=5, gap=0, jnd=1.3, refusal=(0.0, 0.4), seed=2)
    result = bl.decisions(decider, method="fixed", keep=False)
    assert 0 in result.gap_interval("these")
    rates = {gauge.of: gauge.estimate for gauge in gauges(result) if "refused" in gauge.name}
    assert rates[NAMES[0]].value == 0
    assert rates[NAMES[1]].low < 0.4 < rates[NAMES[1]].high
    # Whoever counts a refusal as a no finds a gap that is not there.
    assert result.naive_gap.low > 0
    refused = r"It refuses \d+ % \(\d+ to \d+ %\) of the questions about Black-"
    assert re.search(refused, result.headline)
    assert gap_if_refused_is(result, "yes").high < 0
    assert "with each refused question as a no" in result.summary()


def test_a_gap_stands_out_from_cues_dealt_at_random() -> None:
    decider = bl.observers.decider(gap=3.0, cue_sd=0.5)
    result = bl.decisions(decider, method="fixed", levels=5, keep=False)
    compared = placebo(result)
    assert compared is not None
    assert compared.p_value == pytest.approx(2 / 70)
    assert compared.gap == pytest.approx(result.gap, abs=0.1)
    assert compared.within < compared.gap
    assert "as large in 3 % of 70 ways" in result.summary()


def test_a_gap_of_names_alone_does_not() -> None:
    p_values = []
    for seed in range(8):
        decider = bl.observers.decider(gap=0.0, cue_sd=0.8, seed=seed)
        compared = placebo(bl.decisions(decider, method="fixed", levels=5, keep=False))
        p_values.append(compared.p_value if compared else math.nan)
    assert min(p_values) > 0.03
    assert 0.25 < np.mean(p_values) < 0.75


def test_equal_refusals_are_no_finding() -> None:
    decider = bl.observers.decider(pse=5, gap=0, jnd=1.3, refusal=(0.2, 0.2), seed=2)
    result = bl.decisions(decider, method="fixed", levels=5, keep=False)
    change = refusal_difference(result)
    assert change.low < 0 < change.high
    assert "more often" not in result.headline


def test_points_outside_the_levels_give_no_verdict() -> None:
    decider = bl.observers.decider(gap=20.0, pse=-2.0, jnd=3.0)
    result = bl.decisions(decider, method="fixed", keep=False)
    assert (result.doubt, result.decision) == ("outside", "none")
    assert result.headline.startswith("No verdict: both points of equality lie outside the levels")


def test_answers_off_their_curve_give_no_verdict() -> None:
    def dips(prompt: str) -> dict[str, float]:
        years = int(re.findall(r"(\d+) year", prompt)[0])
        yes = 0.05 if years < 6 or years == 12 else 0.95
        return {"INVITE": yes, "DECLINE": 1 - yes}

    result = bl.decisions(dips, method="fixed", keep=False)
    assert (result.doubt, result.decision) == ("misfit", "none")
    assert result.headline.startswith("No verdict: the curves do not describe these answers well")


def test_one_cue_a_group_says_nothing_about_others() -> None:
    cues = {NAMES[0]: ["Emily"], NAMES[1]: ["Lakisha"]}
    decider = bl.observers.decider(gap=2, seed=3)
    result = bl.decisions(decider, cues=cues, method="fixed", keep=False)
    assert "An applicant called Lakisha needs" in result.headline
    assert "says nothing about other names" in result.caveat()


@pytest.mark.parametrize(
    ("options", "kind", "problem"),
    [
        ({"case": "hire-by-nam"}, CaseError, "Did you mean 'hire-by-name'"),
        ({"groups": ["white-sounding names"]}, CaseError, "two different groups"),
        ({"groups": ["white-sounding names", "blue names"]}, CaseError, "no group 'blue names'"),
        ({"cues": {"white-sounding names": ["Emil"]}}, CaseError, "has no cue 'Emil'"),
        ({"cues": {"white-sounding names": []}}, CaseError, "Keep at least one"),
        ({"wordings": [5]}, CaseError, "the wordings 1 to 4, not 5"),
        ({"form": "maybe"}, ValueError, "form"),
        ({"method": "fixed", "width": 1.0}, QueryError, "width belongs to adaptive"),
        ({"method": "adaptive", "levels": 5}, QueryError, "levels belong to fixed"),
        ({"levels": [0, 1, 40]}, QueryError, "40 years is not a level"),
        ({"trials": 0}, ValueError, "at least 1"),
        ({"margin": -1}, ValueError, "from 0 to 16 years"),
        ({"margin": math.inf}, ValueError, "from 0 to 16 years"),
        ({"margin": math.nan}, ValueError, "from 0 to 16 years"),
        ({"slopes": "each"}, ValueError, "slopes"),
        ({"level": 1.5}, ValueError, "level is 1.5"),
    ],
)
def test_bad_options_are_refused_with_what_to_do(
    options: dict[str, Any], kind: type[Exception], problem: str
) -> None:
    clerk = Clerk()
    with pytest.raises(kind, match=problem):
        bl.decisions(clerk, **options, keep=False)
    assert clerk.calls == 0


def test_what_cannot_decide_is_refused() -> None:
    with pytest.raises(SubjectError, match=r"this is .*embedding.*causal language model"):
        bl.decisions("wiki-bootstraps")
    with pytest.raises(QueryError, match="nothing is saved by choosing levels"):
        bl.decisions(bl.observers.decider(probabilities=True), method="adaptive")


@needs("openai")
@pytest.mark.parametrize("sends", [True, False])
def test_a_chat_model_over_http(sends: bool, store: bl.Store) -> None:
    from biaslab.asking.simulated.server import Faults
    from biaslab.deciders import ChatDecider, Price

    decider = bl.observers.decider(pse=6, gap=3, jnd=1.0, probabilities=sends)
    with decider.serve(faults=Faults(sends_logprobs=sends)) as server:
        chat = ChatDecider(
            "decider", base_url=server.url, key="hush-4711", price=Price(1, 2, "EUR")
        )
        taken = plan(chat, trials=96, store=store)
        result = bl.decisions(chat, trials=96 if not sends else None, levels=None, store=store)
    assert result.method == ("fixed" if sends else "adaptive")
    assert 3 in result.gap_interval("these")
    assert result.trials.model[0]
    assert taken.cost.endswith(" EUR")
    assert result.cost == Price(1, 2, "EUR").say(
        result.trials.tokens_in.sum(), result.trials.tokens_out.sum()
    )
    assert "hush-4711" not in result.to_json()


def test_lapses_and_slopes_are_those_of_each_group_unless_shared(store: bl.Store) -> None:
    clerk = Clerk()
    own = bl.decisions(clerk, method="fixed", store=store)
    shared = bl.decisions(clerk, method="fixed", store=store, lapses="shared", slopes="shared")
    assert [gauge.of for gauge in gauges(own) if "no at any level" in gauge.name] == list(NAMES)
    assert [gauge.of for gauge in gauges(shared) if "no at any level" in gauge.name] == [""]
    assert shared.fit.slope_ratio()[0] == 1
    assert own.gap == pytest.approx(shared.gap, abs=0.5)


def test_indecision_and_lapses_of_two_candidates_have_numbers_of_their_own() -> None:
    decider = bl.observers.decider("hire-by-name", gap=2.0, indecision=1.0, lapse=0.1, seed=4)
    result = bl.decisions(decider, form="which of two", method="fixed", cannot_say=True, keep=False)
    value, low, high = result.indecision
    assert low < 1.0 < high
    assert low < value < high
    assert "Cannot say within ± " in result.summary()
    chosen = [gauge for gauge in gauges(result) if gauge.name == "chosen at any difference"]
    assert [gauge.of for gauge in chosen] == list(result.groups)
    assert 0.04 < sum(gauge.estimate.value for gauge in chosen) < 0.16
    assert {"indecision", "chosen at any difference"} <= set(result.to_frame()["estimate"])


def test_without_a_gap_groups_are_named_and_no_other_gap_stands_in() -> None:
    random = bl.observers.decider(gap=0.0, jnd=1000.0, seed=3)
    result = bl.decisions(random, "hire-by-name", keep=False, trials=60)
    assert result.reason
    assert all(f">{group}<" in result.to_svg(title=False) for group in result.groups)
    assert result.figure(title=False).legend
    frame = result.to_frame().set_index("estimate")
    naive = frame.loc["gap of a plain logistic regression"]
    assert naive[["value", "low", "high"]].isna().all()
    assert naive["reason"] == result.reason
    assert not frame.loc["refused or unreadable", "reason"].any()
