"""`bl.image_association`: the score, its parts, invariants, known truth, stops and bad input."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image as pillow

import biaslab as bl
from biaslab.errors import ImageError, QueryError, SpecError
from biaslab.images import ImageRecord, ImageSet
from biaslab.jobs.context import reporting_to
from biaslab.jobs.job import JobStopped
from biaslab.probes.images.scores import first_list
from biaslab.probes.images.statistics import image_statistics, split_test
from biaslab.records.result import Result
from biaslab.specs import Spec
from biaslab.store import Store
from biaslab.subjects.embedding.terms import Resolution, Unknown
from harness.small_image_study import RATES, SPEC, asked, model, picture, pictures
from harness.watched_context import Watched

# The score


def test_the_score_is_the_papers() -> None:
    result = asked()
    women = result.group_of == 0
    summed = result.probabilities.mean(axis=1)
    helpers = summed[:, :2].sum(axis=1)
    expected = (helpers[women].sum() + (1 - helpers)[~women].sum()) / len(result.images)
    assert result.score == pytest.approx(expected)
    np.testing.assert_allclose(result.first, helpers)
    np.testing.assert_allclose(result.scores, np.where(women, helpers, 1 - helpers))
    assert result.overall.stereotyped == int((result.scores > 0.5).sum())
    assert result.concept_lists == ("helpers", "experts")
    assert result.list_of.tolist() == [0, 0, 1, 1]


def test_parts_add_up_to_the_whole() -> None:
    result = asked(subject=model(template_sd=0.4))
    assert [t.name for t in result.terms] == ["nurse", "clerk", "pilot", "smith"]
    assert [t.part_of for t in result.terms] == ["women", "women", "men", "men"]
    for parts in (result.terms, result.by_group):
        assert sum(p.n_images for p in parts) == len(result.images)
        total = sum(p.score * p.n_images for p in parts) / len(result.images)
        assert total == pytest.approx(result.score)
        assert sum(p.stereotyped for p in parts) == result.overall.stereotyped
    assert np.mean([t.score for t in result.by_template]) == pytest.approx(result.score)
    assert [t.name for t in result.by_template] == list(result.templates)
    assert len({round(t.score, 6) for t in result.by_template}) == 3
    assert result.term("pilot") == result.terms[2]
    with pytest.raises(QueryError, match="The terms are: nurse"):
        result.term("judge")
    # Asked term by term in turn, given back in the order of groups and terms.
    given = pictures()
    in_order = [image.record for term in RATES for image in given.of_term(term)]
    assert list(result.images) == in_order
    assert result.group_of.tolist() == sorted(result.group_of.tolist())


def test_a_model_with_one_answer_is_neutral_where_groups_count_alike() -> None:
    uneven = ImageSet.of(
        [picture("nurse", i) for i in range(30)] + [picture("pilot", i) for i in range(10)]
    )
    result = asked(uneven, model(0.9, image_sd=0.0))
    assert result.score == pytest.approx(0.75 * 0.9 + 0.25 * 0.1)
    assert result.balanced.score == pytest.approx(0.5)
    assert "whatever it sees would score 75" in result.caveat()
    assert "(50 to 50)" not in asked().caveat()


class Probabilities:
    """A model that answers with given probabilities, the same for every picture."""

    name, kind, templates = "given", "test", ("a {concept}",)

    def __init__(self, given: Sequence[float], unknown: Sequence[str] = ()) -> None:
        self.given, self.unknown = given, unknown

    def resolve(self, concepts: Sequence[str]) -> Resolution:
        lost = tuple(
            Unknown(c, "It is not known.", ("like",)) for c in concepts if c in self.unknown
        )
        return Resolution(tuple(c for c in concepts if c not in self.unknown), lost)

    def answers(self, images: Sequence[Any], concepts: Sequence[str], *_: Any, **__: Any) -> Any:
        row = np.array(self.given)[: len(concepts)] / sum(self.given[: len(concepts)])
        out = np.broadcast_to(row, (len(images), 1, len(concepts)))
        return (
            bl.observers.vision()
            .answers(images, concepts, self.templates)
            .__class__(tuple(concepts), self.templates, out, np.log(out), "given")
        )


@pytest.mark.parametrize(("aggregate", "first"), [("sum", 0.6), ("mean", 0.3 / 0.7), ("any", 0.0)])
def test_aggregation_of_a_longer_list(aggregate: Any, first: float) -> None:
    spec = replace(SPEC, attributes={"helpers": ("a", "b"), "experts": ("c",)})
    result = asked(subject=Probabilities([0.3, 0.3, 0.4]), spec=spec, aggregate=aggregate)
    assert result.first == pytest.approx(first)
    assert result.score == pytest.approx(0.5)
    assert any("differ in length" in note for note in result.notes)


def test_any_counts_a_tie_as_one_half() -> None:
    spec = replace(SPEC, attributes={"helpers": ("a",), "experts": ("c",)})
    result = asked(subject=Probabilities([0.5, 0.5]), spec=spec, aggregate="any")
    assert result.first == pytest.approx(0.5)
    assert result.overall.stereotyped == 0


def test_where_all_pictures_are_classified_alike_the_interval_is_wilsons() -> None:
    result = asked(subject=model({"nurse": 0.99, "clerk": 0.99, "pilot": 0.01, "smith": 0.01},
                             image_sd=0.1), aggregate="any")  # fmt: skip
    assert result.score == 1
    assert result.interval.high == 1
    assert result.interval.low == pytest.approx(48 / (48 + 1.96**2), abs=1e-3)
    assert math.isnan(result.effect)
    assert result.p < 0.01


# Known truth


def test_planted_scores_come_out() -> None:
    truth = model(image_sd=0.8, template_sd=0.3, seed=3)
    result = asked(pictures(400), truth, resamples=500)
    groups = (SPEC.groups["women"], SPEC.groups["men"])
    assert result.score == pytest.approx(truth.score(groups, result.templates), abs=0.01)
    assert truth.score(groups, result.templates) in result.interval
    for one in result.terms:
        rate = truth.rate_of(one.name, result.templates)
        assert one.score == pytest.approx(rate if one.part_of == "women" else 1 - rate, abs=0.03)


def test_intervals_cover_planted_scores() -> None:
    rates = {"nurse": 0.9, "clerk": 0.6, "pilot": 0.15, "smith": 0.5}
    held = {"all": 0, "terms": 0, "effect": 0}
    many = 40
    fine = asked(pictures(500), model(rates, image_sd=1.2, seed=10**6), resamples=100)
    for seed in range(many):
        truth = model(rates, image_sd=1.2, seed=seed)
        result = asked(pictures(20), truth, resamples=400, permutations=100)
        held["all"] += truth.score((SPEC.groups["women"], SPEC.groups["men"])) in result.interval
        held["effect"] += fine.effect in result.effect_interval
        for one in result.terms:
            rate = truth.rate_of(one.name)
            held["terms"] += (rate if one.part_of == "women" else 1 - rate) in one.interval
    # 95 %, less or more about three standard errors of this simulation.
    assert 0.85 <= held["all"] / many <= 1
    assert 0.85 <= held["effect"] / many <= 1
    assert 0.9 <= held["terms"] / (4 * many) <= 0.99


def test_the_p_value_is_that_of_all_splits() -> None:
    result = asked(pictures(2))
    first, women = result.first, result.group_of == 0
    observed = abs(first[women].mean() - first[~women].mean())
    from itertools import combinations

    reached = [
        abs(first[list(s)].mean() - np.delete(first, s).mean()) >= observed - 1e-12
        for s in map(list, combinations(range(8), 4))
    ]
    assert result.p == pytest.approx(np.mean(reached))
    assert result.p_of == "all 70 splits"


def test_many_pictures_take_the_normal_limit_of_random_splits() -> None:
    from biaslab.probes.images import statistics
    from biaslab.probes.images.scores import ImageDesign

    rng = np.random.default_rng(2)
    records = [ImageRecord(f"{i}", "ab"[i % 2], 1, 1) for i in range(440)]
    design = ImageDesign.of(records, [i % 2 for i in range(440)], ("x", "y"))
    values = rng.random(440) + 0.06 * (np.arange(440) % 2)
    drawn, of = split_test(values, design, 20_000, 1)
    assert of == "20,000 random splits"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(statistics, "_DRAWN_UP_TO", 10)
        limit, told = split_test(values, design, 20_000, 1)
    assert "normal" in told
    assert limit == pytest.approx(drawn, abs=0.01)
    assert 0.001 < drawn < 0.2


def test_the_effect_is_cohens_d() -> None:
    result = asked()
    one, two = (result.first[result.group_of == side] for side in (0, 1))
    pooled = (one.var(ddof=1) + two.var(ddof=1)) / 2
    assert result.effect == pytest.approx((one.mean() - two.mean()) / math.sqrt(pooled))
    assert result.effect in result.effect_interval


# Invariants

some = st.integers(2, 6)


def turned(spec: Spec, *, groups: bool, lists: bool) -> Spec:
    """The spec with its groups in the other order, and with lists tied the other way round."""
    held = dict(reversed(list(spec.groups.items()))) if groups else dict(spec.groups)
    ties = dict(spec.attribute_groups)
    if lists:
        one, two = ties
        ties = {one: ties[two], two: ties[one]}
    return replace(spec, groups=held, attribute_groups=ties)


def ends(result: bl.probes.images.ImageAssociation) -> list[float]:
    return [result.score, result.interval.low, result.interval.high]


@pytest.mark.numeric
@given(some, some, st.sampled_from(["sum", "mean", "any"]), st.integers(0, 5))
@settings(max_examples=12, deadline=None)
def test_swapping_groups_and_lists(first: int, second: int, rule: Any, seed: int) -> None:
    each = {"nurse": first, "clerk": second, "pilot": first, "smith": second}
    shown = ImageSet.of(picture(term, i) for term, n in each.items() for i in range(n))
    vlm = model(image_sd=1.0, seed=seed)
    result = asked(shown, vlm, aggregate=rule)
    # The order of the groups alone: the same lists stay tied to the same pictures.
    same = asked(shown, vlm, turned(SPEC, groups=True, lists=False), aggregate=rule)
    np.testing.assert_allclose(ends(same), ends(result), atol=1e-6)
    assert same.effect == pytest.approx(result.effect, nan_ok=True)
    assert same.p == result.p
    assert {t.name: t.stereotyped for t in same.terms} == {
        t.name: t.stereotyped for t in result.terms
    }
    # Lists tied the other way round: everything is mirrored.
    other = asked(shown, vlm, turned(SPEC, groups=False, lists=True), aggregate=rule)
    score, low, high = ends(result)
    np.testing.assert_allclose(ends(other), [1 - score, 1 - high, 1 - low], atol=1e-4)
    assert other.score == pytest.approx(1 - result.score)
    assert other.effect == pytest.approx(-result.effect, nan_ok=True)
    assert other.p == result.p
    # Both: the groups' order, and the lists tied the other way round.
    both = asked(shown, vlm, turned(SPEC, groups=True, lists=True), aggregate=rule)
    np.testing.assert_allclose(ends(both), ends(other), atol=1e-6)


@pytest.mark.numeric
@given(st.randoms(use_true_random=False))
@settings(max_examples=8, deadline=None)
def test_the_order_of_pictures_changes_nothing(random: Any) -> None:
    shown = list(pictures(5))
    moved = list(shown)
    random.shuffle(moved)
    result, other = asked(shown), asked(moved)
    for name in ("overall", "balanced", "by_group", "by_template", "effect_interval", "p"):
        assert repr(getattr(result, name)) == repr(getattr(other, name)), name
    assert {t.name: repr(t) for t in result.terms} == {t.name: repr(t) for t in other.terms}


def test_another_term_changes_nothing_in_a_terms_interval() -> None:
    fewer = [one for one in pictures() if one.term != "smith"]
    result, other = asked(), asked(fewer)
    for name in ("nurse", "clerk", "pilot"):
        assert result.term(name) == other.term(name)
    assert [d.term for d in other.dropped] == ["smith"]


def test_the_same_seed_gives_the_same_numbers_and_another_one_others() -> None:
    one, again, other = (asked(rng=seed) for seed in (1, 1, 2))
    assert one.overall == again.overall
    assert one.score == other.score
    assert one.interval != other.interval
    drawn = [asked(rng=np.random.default_rng(5)).overall for _ in range(2)]
    assert drawn[0] == drawn[1]


# Few pictures


def test_terms_with_one_picture_are_drawn_within_their_group() -> None:
    single = ImageSet.of([picture(t, 0) for t in RATES] + [picture("pilot", 1)])
    result = asked(single)
    assert result.interval.kind == "images within groups"
    assert math.isfinite(result.interval.low)
    assert math.isnan(result.term("nurse").interval.low)
    assert any("one picture of 'nurse'" in note for note in result.notes)
    assert "as a term has one picture only" in result.caveat()


def test_one_picture_of_a_group_gives_a_score_without_an_interval() -> None:
    result = asked(ImageSet.of([picture("nurse", 0), picture("pilot", 0), picture("pilot", 1)]))
    assert math.isnan(result.interval.low)
    assert result.lean == 0
    assert result.headline.startswith("Too few pictures to say whether")
    assert Result.from_json(result.to_json()) == result


def test_terms_with_the_same_pictures_are_remarked_on() -> None:
    same = [picture("nurse", i) for i in range(4)]
    shown = [*same, *(one.under("pilot") for one in same)]
    assert any("have the same pictures" in note for note in asked(shown).notes)


# Words, tables, files


def test_the_verdict_says_what_can_be_told() -> None:
    found = asked(pictures(40))
    assert found.headline.startswith(
        "The model pairs pictures of women with “helpers” and pictures of men with “experts”: "
    )
    assert found.headline.endswith("with the stereotype.")
    assert found.lean == 1
    flipped = asked(pictures(40), model({"nurse": 0.2, "clerk": 0.2, "pilot": 0.8, "smith": 0.8}))
    assert flipped.headline.startswith("The model pairs pictures of women with “experts”")
    assert flipped.headline.endswith("against the stereotype.")
    none = asked(pictures(4), model(0.5, image_sd=1.0))
    assert none.lean == 0
    assert none.headline.startswith("No clear bias in whether")
    tiny = asked(pictures(30), model({"nurse": 0.505, "clerk": 0.505}, image_sd=0.001))
    assert tiny.lean == 1
    assert tiny.headline.endswith("less than a point from neutral.")
    assert {role for _, role in found.verdict_spans()} >= {"strong", "with"}


def test_it_reopens_equal_and_its_tables_hold_its_numbers(tmp_path: Path) -> None:
    result = asked()
    assert Result.from_json(result.to_json()) == result
    store = Store(tmp_path)
    assert store.open(result.save(store)) == result
    table = result.to_frame()
    assert table.score[0] == result.score
    assert list(table["name"][table.of == "term"]) == [t.name for t in result.terms]
    images = result.raw_frame()
    assert list(images.hash) == [image.hash for image in result.images]
    np.testing.assert_array_equal(images.score, result.scores)
    np.testing.assert_allclose(images["p: helper"] + images["p: carer"], images["first"])
    first = images[[f"first: {t}" for t in result.templates]].mean(axis=1)
    np.testing.assert_allclose(first, result.first)
    assert "By term: nurse" in result.summary()


# Two models


def test_two_models_are_compared_picture_by_picture() -> None:
    one = asked(pictures(30), model(image_sd=0.5, seed=1))
    two = asked(list(pictures(30))[:-3], model(0.5, image_sd=0.5, seed=1))
    found = one.compared_with(two, resamples=300)
    assert found.n_images == 117
    assert found.left_out == 3
    assert found.difference == pytest.approx(found.scores[0] - found.scores[1])
    assert found.difference in found.interval
    assert found.lean == 1
    assert "follows the stereotype more strongly than" in found.summary()
    back = two.compared_with(one, resamples=300)
    assert back.difference == pytest.approx(-found.difference)
    assert back.interval.low == pytest.approx(-found.interval.high, abs=1e-4)


def test_paired_pictures_tell_more_than_two_intervals() -> None:
    shown = pictures(30)
    one = asked(shown, model(image_sd=1.5, seed=1))
    two = asked(shown, model({t: r * 0.9 for t, r in RATES.items()}, image_sd=1.5, seed=1))
    apart = one.compared_with(two).interval
    alone = one.interval.high - one.interval.low
    assert apart.high - apart.low < 0.5 * alone


def test_a_difference_ends_where_scores_end() -> None:
    shown = pictures(2)
    strong = model({t: 0.98 if r > 0.5 else 0.02 for t, r in RATES.items()}, image_sd=3, seed=1)
    other = model({t: 0.02 if r > 0.5 else 0.98 for t, r in RATES.items()}, image_sd=3, seed=2)
    ends = asked(shown, strong).compared_with(asked(shown, other)).interval
    assert ends.low < 1
    assert ends.high == 1.0


def test_results_without_common_pictures_are_not_compared() -> None:
    other = ImageSet.of(picture(term, i) for term in RATES for i in range(50, 55))
    with pytest.raises(QueryError, match="no pictures of both groups in common"):
        asked().compared_with(asked(other))


# Runs that stop


def test_a_stopped_run_keeps_what_was_answered_of_every_term() -> None:
    context = Watched(lambda so_far: so_far.checkpoints >= 2, JobStopped())
    with reporting_to(context):
        result = asked(pictures(30))
    assert 0 < len(result.images) < 120
    assert result.unscored == 120 - len(result.images)
    counts = [one.n_images for one in result.terms]
    assert max(counts) - min(counts) <= 1
    assert f"{result.unscored} pictures were not reached" in result.caveat()
    whole = asked(pictures(30))
    known = {image.hash: p for image, p in zip(whole.images, whole.probabilities, strict=True)}
    for image, p in zip(result.images, result.probabilities, strict=True):
        np.testing.assert_array_equal(p, known[image.hash])


def test_a_run_that_is_stopped_at_once_has_no_result() -> None:
    with pytest.raises(JobStopped), reporting_to(Watched(lambda _: True, JobStopped())):
        asked()


def test_progress_goes_up_to_all_pictures() -> None:
    context = Watched()
    with reporting_to(context):
        asked(pictures(30))
    assert context.done == sorted(context.done)
    assert context.done[-1] == 120


def test_batches_do_not_grow_where_answers_come_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the last digits of a model's answers would differ from run to run."""
    vlm = model()
    answers, sizes = vlm.answers, list[int]()

    def counted(images: Sequence[Any], *given: Any, **options: Any) -> Any:
        sizes.append(len(images))
        return answers(images, *given, **options)

    monkeypatch.setattr(vlm, "answers", counted)
    asked(pictures(30), subject=vlm)
    assert sizes == [16] * 7 + [8]


# Bad input


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 1.0}, "level"),
        ({"resamples": 3}, "resamples"),
        ({"permutations": 3}, "permutations"),
        ({"aggregate": "most"}, "sum, mean, any"),
        ({"rng": -1}, "rng"),
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        asked(**options)


def test_a_group_without_pictures_is_refused_and_a_term_without_is_told() -> None:
    with pytest.raises(QueryError, match="no picture of 'men'"):
        asked([one for one in pictures() if one.term in SPEC.groups["women"]])
    result = asked([*(one for one in pictures() if one.term != "clerk"), picture("judge", 1)])
    assert [(d.term, d.role) for d in result.dropped] == [("clerk", "women")]
    assert any("'judge'" in note for note in result.notes)


def test_what_is_rejected_from_a_folder_is_told(tmp_path: Path) -> None:
    for k, term in enumerate(RATES):
        (tmp_path / term).mkdir()
        for i in range(3):
            colour = (40 * k, 60 * i, 10)
            pillow.new("RGB", (32, 32), colour).save(tmp_path / term / f"{i}.png")
    (tmp_path / "nurse" / "odd.png").write_text("no picture")
    result = asked(tmp_path)
    assert len(result.images) == 12
    assert any("odd.png" in note for note in result.notes)
    with pytest.raises(ImageError):
        asked(tmp_path / "nowhere")
    for term in RATES:
        for file in (tmp_path / term).glob("?.png"):
            file.write_text("<svg></svg>")
    with pytest.raises(QueryError, match=r"no picture of 'women'.*were rejected.*is an SVG"):
        asked(tmp_path)


def test_pictures_without_terms_are_refused() -> None:
    with pytest.raises(QueryError, match="has no term"):
        asked([np.zeros((8, 8, 3), np.uint8)])


def test_terms_that_cannot_be_drawn_need_pictures(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path))
    spec = replace(
        SPEC,
        groups={"a": ("zeppelin",), "b": ("kite",)},
        attribute_groups={"helpers": ("a",), "experts": ("b",)},
    )
    with pytest.raises(QueryError, match="draw, generate or upload"):
        bl.image_association(model(), spec, keep=False)


def test_concepts_that_cannot_be_asked_are_dropped_with_the_reason() -> None:
    result = asked(subject=Probabilities([0.5, 0.2, 0.3], unknown=["carer"]))
    assert result.concepts == ("helper", "expert", "leader")
    assert [(d.term, d.role, d.suggestions) for d in result.dropped] == [
        ("carer", "helpers", ("like",))
    ]
    assert "Not used: “carer”" in result.summary()
    with pytest.raises(QueryError, match="any concept in the list 'helpers'") as error:
        asked(subject=Probabilities([1, 1], unknown=["helper", "carer"]))
    assert [d.term for d in error.value.dropped] == ["helper", "carer"]


def test_lists_have_to_be_tied_to_the_groups() -> None:
    untied = replace(SPEC, attribute_groups={})
    assert any("does not say which list" in note for note in asked(spec=untied).notes)
    third = replace(SPEC, attributes={**SPEC.attributes, "third": ("x",)}, attribute_groups={})
    with pytest.raises(QueryError, match="Tie them in attribute_groups"):
        asked(spec=third)
    named = asked(spec=third, attributes=("experts", "helpers"))
    assert named.score == pytest.approx(1 - asked().score)
    with pytest.raises(QueryError, match="no list 'fourth'"):
        asked(spec=third, attributes=("experts", "fourth"))
    with pytest.raises(QueryError, match="two different"):
        asked(spec=third, attributes=("experts", "experts"))
    two = replace(third, attribute_groups={"helpers": ("women",), "third": ("women",)})
    with pytest.raises(QueryError, match="2 lists are tied to 'women'"):
        asked(spec=two)


def test_a_word_in_both_places_is_refused() -> None:
    with pytest.raises(QueryError, match="both lists"):
        asked(spec=replace(SPEC, attributes={"helpers": ("Aide",), "experts": ("aide", "x")}))
    with pytest.raises(QueryError, match="both groups"):
        asked(spec=replace(SPEC, groups={"women": ("nurse", "clerk"), "men": ("nurse",)}))


def test_one_group_is_no_comparison() -> None:
    with pytest.raises(SpecError):
        asked(spec="occupations")


def test_what_is_no_vision_language_model_is_refused() -> None:
    with pytest.raises(QueryError, match="kind='vlm'"):
        asked(subject=bl.observers.scorer(0.5))


@pytest.mark.numeric
@pytest.mark.parametrize("share", [0.5, 0.3])
def test_a_model_that_sees_nothing_has_no_effect_by_rounding(share: float) -> None:
    shown = pictures()
    groups = np.array([0 if image.record.term in ("nurse", "clerk") else 1 for image in shown])
    for seed in range(5):
        noise = 3e-8 * np.random.default_rng(seed).standard_normal((len(groups), 2))
        given = np.stack([share + noise, 1 - share - noise], axis=-1)
        found = image_statistics(
            [image.record for image in shown], groups, given, list_of=[0, 1],
            groups=("women", "men"), templates=("a", "b"), resamples=200, permutations=200,
        )  # fmt: skip
        assert np.isnan(found["effect"])
        assert found["p"] == 1
        assert found["balanced"].lean == 0
        assert found["overall"].stereotyped == (0 if share == 0.5 else 24)


@pytest.mark.numeric
def test_any_counts_a_tie_up_to_rounding_as_one_half() -> None:
    near = np.array([[[0.5 + 3e-8, 0.5 - 3e-8]], [[0.5 - 3e-8, 0.5 + 3e-8]], [[0.5001, 0.4999]]])
    assert first_list(near, [0, 1], "any")[:, 0].tolist() == [0.5, 0.5, 1.0]
