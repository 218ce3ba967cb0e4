"""Main effects of crossed traits, from the gaps of all pairs of groups."""

from __future__ import annotations

from dataclasses import replace

import pytest

import biaslab as bl
from biaslab import cases
from biaslab.cases import Case
from biaslab.observers import decider
from biaslab.probes.decisions import DecisionsResult, trait_effects

CASE = "hire-by-origin-and-gender"
GAPS = (1.0, 2.0, 3.0)
"""Of the second to the fourth group: 2 years by origin, 1 by gender."""


def asked(case: Case) -> DecisionsResult:
    gaps = GAPS[: len(case.groups) - 1]
    return bl.decisions(
        decider(case, gap=gaps), case, method="fixed", keep=False, lapses="shared", slopes="shared"
    )


@pytest.fixture(scope="module")
def crossed() -> DecisionsResult:
    return asked(cases.get(CASE))


@pytest.mark.parametrize("scope", ["population", "these"])
def test_planted_effects_are_recovered(crossed: DecisionsResult, scope: str) -> None:
    effects = trait_effects(crossed, scope)  # type: ignore[arg-type]
    assert [(one.trait, one.one, one.two) for one in effects] == [
        ("origin", "white", "Black"), ("gender", "male", "female"),
    ]  # fmt: skip
    for effect, truth in zip(effects, (2.0, 1.0), strict=True):
        assert effect.estimate.low < truth < effect.estimate.high
        assert effect.estimate.low < effect.estimate.value < effect.estimate.high


def test_an_effect_is_the_mean_of_its_gaps_and_known_better_than_each(
    crossed: DecisionsResult,
) -> None:
    gender = trait_effects(crossed, "these")[1].estimate
    gaps = [crossed.gap_between(0, 1, "these"), crossed.gap_between(2, 3, "these")]
    assert gender.value == pytest.approx(sum(gap.value for gap in gaps) / 2)
    assert gender.high - gender.low < min(gap.high - gap.low for gap in gaps)


def test_the_order_of_the_groups_turns_the_sign_round(crossed: DecisionsResult) -> None:
    turned = replace(crossed, groups=crossed.groups[::-1])
    before, after = trait_effects(crossed)[0].estimate, trait_effects(turned)[0].estimate
    assert after.value == pytest.approx(-before.value, rel=1e-2)
    assert after.low == pytest.approx(-before.high, rel=2e-2)


def test_of_an_incomplete_crossing_only_pairs_that_share_the_rest_count() -> None:
    whole = cases.get(CASE)
    result = asked(replace(whole, groups=whole.groups[:3]))
    gender = next(one for one in trait_effects(result) if one.trait == "gender").estimate
    assert gender == pytest.approx(result.gap_between(0, 1), rel=0.05)


def test_groups_without_traits_have_no_effects() -> None:
    case = cases.get("hire-by-name")
    assert trait_effects(asked(case)) == ()


def test_tables_and_summaries_name_the_effects(crossed: DecisionsResult) -> None:
    frame = crossed.to_frame()
    rows = frame[frame["estimate"] == "main effect"]
    assert set(rows["of"]) == {"origin: Black − white", "gender: female − male"}
    assert len(rows) == 4
    assert "Main effect of gender, female against male: " in crossed.summary()
