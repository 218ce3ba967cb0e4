"""`bl.stereotype_score`: counts, intervals, invariants, and runs that stop and go on."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import biaslab as bl
from biaslab.errors import ObserverError, QueryError
from biaslab.jobs.context import reporting_to
from biaslab.probes.sentences import score_cache
from biaslab.probes.sentences.pairs import PairSet, RejectedSentence, SentencePair, frame
from biaslab.records.result import Result
from biaslab.stats.significance import smallest_effect_of
from biaslab.store import Store
from harness.sentence_pairs import (
    ARTS,
    MATH,
    FakeModel,
    StreamingScorer,
    TextScorer,
    by_text,
    pairs,
    swapped,
)
from harness.watched_context import Watched

PAIRS = pairs()


def scored(given_pairs: Any = PAIRS, **options: Any) -> bl.probes.sentences.StereotypeScore:
    options = {"scorer": TextScorer(), "keep": False, "resamples": 200} | options
    return bl.stereotype_score(
        options.pop("subject", FakeModel()), sentences=given_pairs, **options
    )


# Counts


def test_wins_losses_ties_and_failures_are_counted_apart() -> None:
    told = {"a": -1.0, "b": -2.0, "c": -2.0, "d": None}
    given_pairs = [
        SentencePair(first, second, attribute=attribute)
        for first, second, attribute in [
            ("a", "b", "x"), ("b", "a", "x"), ("b", "c", "y"), ("a", "c", "y"), ("a", "d", "y")
        ]
    ]  # fmt: skip
    result = scored(given_pairs, scorer=TextScorer(told.__getitem__))
    assert result.outcomes == ("stereotyped", "against", "tie", "stereotyped", "failed")
    one = result.overall
    assert (one.wins, one.losses, one.ties, one.failures) == (2, 1, 1, 1)
    assert (one.decided, one.n_pairs) == (3, 5)
    assert result.share == result.macro_share == (0.5 + 1) / 2
    assert result.micro_share == 2 / 3
    assert result.mean_log_odds == (0 + 0.5) / 2
    assert result.micro.mean_log_odds == (1 - 1 + 0 + 1) / 4
    assert np.isnan(result.log_odds[4])
    assert result.failed == ((given_pairs[4], "It was chosen to fail."),)
    assert result.attribute("x").share == 0.5
    assert result.attribute("y").ties == 1
    with pytest.raises(QueryError, match="about 'z'"):
        result.attribute("z")


@pytest.mark.parametrize(("apart", "outcome"), [(0.9e-4, "tie"), (1.1e-4, "stereotyped")])
def test_a_tie_is_what_batches_cannot_tell(apart: float, outcome: str) -> None:
    told = {"a": -1.0, "b": -1.0 - apart}
    result = scored([SentencePair("a", "b")], scorer=TextScorer(told.__getitem__))
    assert result.outcomes == (outcome,)


def test_the_sign_test_is_a_fair_coin() -> None:
    result = scored()
    wins, losses = result.overall.wins, result.overall.losses
    heads = sum(math.comb(wins + losses, k) for k in range(min(wins, losses) + 1))
    assert result.p == pytest.approx(min(1, 2 * heads / 2 ** (wins + losses)))


def test_parts_add_up_to_the_whole() -> None:
    typed = [*pairs(MATH, bias_type="gender"), *pairs(ARTS, bias_type="age")]
    result = scored(typed)
    for parts in (result.attributes, result.attribute_lists, result.bias_types):
        for name in ("wins", "losses", "ties", "failures"):
            assert sum(getattr(p, name) for p in parts) == getattr(result.overall, name)
    assert [p.name for p in result.bias_types] == ["gender", "age"]
    assert [p.name for p in result.attribute_lists] == ["math", "arts"]


def test_attributes_stand_in_the_order_of_the_spec() -> None:
    spec = bl.specs.get("biastest-math-arts")
    result = bl.stereotype_score(
        FakeModel(), spec, PAIRS[::-1], scorer=TextScorer(), keep=False, resamples=100
    )
    assert [a.name for a in result.attributes] == [
        term for terms in spec.attributes.values() for term in terms if term in MATH + ARTS
    ]
    assert result.provenance.spec_hash == spec.content_hash


def test_all_failures_give_no_score_and_say_so() -> None:
    result = scored(scorer=TextScorer(lambda text: None))
    assert math.isnan(result.share)
    assert result.failures == len(PAIRS)
    assert "none could be scored" in result.headline
    assert Result.from_json(result.to_json()) == result


def test_all_ties_give_no_score_and_say_so() -> None:
    result = scored(scorer=TextScorer(lambda text: -1.0))
    assert math.isnan(result.share)
    assert (result.ties, result.failures) == (len(PAIRS), 0)
    assert "none is decided" in result.headline


def test_where_all_agree_the_interval_is_as_wide_as_few_attributes_ask_for() -> None:
    result = scored(subject=bl.observers.scorer(1.0), scorer=None)
    assert result.share == 1
    assert result.interval.high == 1
    # Six attributes that agree are Wilson's six of six, not sixty of sixty.
    assert result.interval.low == pytest.approx(0.61, abs=0.005)
    assert result.wilson.low > 0.9


# Invariants

some = st.lists(st.sampled_from(PAIRS), min_size=1, max_size=40, unique=True)


@given(some)
@settings(max_examples=20)
def test_swapping_the_versions_mirrors_everything(chosen: list[SentencePair]) -> None:
    result, other = scored(chosen), scored([swapped(p) for p in chosen])
    assert (other.overall.wins, other.overall.losses) == (
        result.overall.losses,
        result.overall.wins,
    )
    assert (other.ties, other.failures) == (result.ties, result.failures)
    np.testing.assert_array_equal(other.log_odds, -result.log_odds)
    near = {"nan_ok": True, "abs": 1e-9}
    assert other.share == pytest.approx(1 - result.share, **near)
    assert other.macro_share == pytest.approx(1 - result.macro_share, **near)
    assert other.mean_log_odds == pytest.approx(-result.mean_log_odds, **near)
    assert other.p == pytest.approx(result.p, nan_ok=True)
    ends_of = [(result.interval, other.interval), (result.wilson, other.wilson)]
    ends_of.append((result.micro.interval, other.micro.interval))
    for ends, mirrored in ends_of:
        assert mirrored.low == pytest.approx(1 - ends.high, **near)
        assert mirrored.high == pytest.approx(1 - ends.low, **near)
    ends, mirrored = result.mean_log_odds_interval, other.mean_log_odds_interval
    assert mirrored.low == pytest.approx(-ends.high, **near)
    # What was a tie is one still.
    assert [o == "tie" for o in other.outcomes] == [o == "tie" for o in result.outcomes]


@given(some, st.randoms(use_true_random=False))
@settings(max_examples=20)
def test_the_order_of_pairs_changes_nothing(chosen: list[SentencePair], random: Any) -> None:
    moved = list(chosen)
    random.shuffle(moved)
    result, other = scored(chosen), scored(moved)
    for name in ("macro", "micro", "wilson", "p"):
        assert repr(getattr(result, name)) == repr(getattr(other, name))
    assert {a.name: repr(a) for a in result.attributes} == {
        a.name: repr(a) for a in other.attributes
    }


def test_the_same_seed_gives_the_same_numbers_and_another_one_others() -> None:
    many = pairs([f"word{i}" for i in range(30)])
    first, again, other = (scored(many, rng=seed, resamples=2000) for seed in (1, 1, 2))
    assert first.attribute_lists == again.attribute_lists
    assert first.attribute_lists[0].share == other.attribute_lists[0].share
    assert first.attribute_lists[0].interval != other.attribute_lists[0].interval
    # The interval over attributes is not drawn.
    assert first.overall == other.overall
    drawn = [scored(rng=np.random.default_rng(5)).attribute_lists for _ in range(2)]
    assert drawn[0] == drawn[1]


# What counts alike

LOPSIDED = pairs(["algebra"], [f"verb{i}" for i in range(30)]) + pairs(ARTS, ["sings", "counts"])


def test_attributes_count_alike_and_pairs_on_request() -> None:
    result = scored(LOPSIDED, weighting="attributes")
    assert result.weighting == "attributes"
    assert result.share == pytest.approx(np.mean([a.share for a in result.attributes]))
    assert result.beside is result.micro
    assert result.micro.share == pytest.approx(result.micro.wins / result.micro.decided)
    by_pair = scored(LOPSIDED, weighting="pairs")
    assert (by_pair.share, by_pair.interval) == (result.micro.share, result.micro.interval)
    assert by_pair.beside == result.macro
    of = "attributes alike", "pairs alike"
    assert tuple(result.to_frame().of[:2]) == of
    assert tuple(by_pair.to_frame().of[:2]) == of[::-1]
    assert by_pair.provenance.parameters["weighting"] == "pairs"


def test_both_shares_are_told() -> None:
    result = scored(LOPSIDED, weighting="attributes")
    assert f"with equal weight for {len(result.attributes)} attributes" in result.headline
    assert f"With equal weight for pairs: {100 * result.micro_share:.0f} %" in result.summary()
    by_pair = scored(LOPSIDED, weighting="pairs")
    assert "equal weight" not in by_pair.headline
    assert f"With equal weight for attributes: {100 * result.share:.0f} %" in by_pair.summary()


def test_without_attributes_every_pair_counts_alike() -> None:
    plain = [replace(p, attribute="", attribute_list="", id="") for p in PAIRS]
    result = scored(plain)
    assert (result.weighting, result.macro, result.beside) == ("pairs", None, None)
    assert math.isnan(result.macro_share)
    assert result.to_frame().of[0] == "pairs alike"
    one = scored(pairs(["algebra"]))
    assert one.interval.kind == "sentences"


# Frames


def test_pairs_from_one_template_share_a_frame() -> None:
    frames = {frame(p) for p in PAIRS}
    assert len(frames) == len(PAIRS) // 6
    assert frame(PAIRS[0]) == frame(swapped(PAIRS[0]))
    longer = SentencePair(
        "A boy said he likes algebra.", "A girl said she likes algebra.", attribute="algebra"
    )
    other = SentencePair(
        "A man said he likes dance.", "A woman said she likes dance.", attribute="dance"
    )
    assert frame(longer) == frame(other)


def test_shared_frames_widen_the_interval() -> None:
    truth = bl.observers.scorer(0.7, frame_sd=2.0, seed=4)
    result = scored(subject=truth, scorer=None, resamples=1000)
    wide, narrow = result.interval, result.wilson
    assert wide.high - wide.low > 1.2 * (narrow.high - narrow.low)


def male_first(text: str) -> float:
    """Prefers men whatever is said, but for every fifth sentence."""
    return (1 if " man " in text else 0) * (1 if by_text(text.replace("wo", "")) != -12.0 else -1)


def test_a_model_that_prefers_one_group_throughout_is_told_from_a_biased_one() -> None:
    many = pairs([f"math{i}" for i in range(8)]) + tuple(
        swapped(p) for p in pairs([f"arts{i}" for i in range(8)])
    )
    listed = [replace(p, attribute_list=p.attribute[:4], id="") for p in many]
    plain = [replace(p, attribute_list="", id="") for p in many]
    told = scored(listed, scorer=TextScorer(male_first))
    untold = scored(plain, scorer=TextScorer(male_first))
    assert told.share == untold.share == pytest.approx(0.5, abs=0.06)
    assert [round(a.share) for a in told.attribute_lists] == [1, 0]
    width, other = (r.interval.high - r.interval.low for r in (told, untold))
    assert width < 0.6 * other
    assert told.interval.low < 0.5 < told.interval.high


def test_the_verdict_names_the_pull_of_both_halves() -> None:
    result = scored(scorer=TextScorer(lambda text: 1.0 if " man " in text else 0.0))
    pull = result.pull
    assert pull is not None
    assert (pull.group, pull.shares, pull.share) == ("male", (1.0, 1.0), 1.0)
    assert pull.about == tuple(one.name for one in result.attribute_lists)
    assert ": no clear bias overall; " in result.headline
    assert " The model hardly listens: both halves pull toward male: its version" in result.headline
    assert result.headline.endswith(" %), a clear pull.")
    for half in (MATH, ARTS):
        assert scored(pairs(half)).pull is None
    biased = scored(subject=bl.observers.scorer(0.9, seed=1), scorer=None)
    assert biased.pull is not None
    assert not biased.pull.in_both
    assert "pull" not in biased.headline


def test_where_all_agree_in_each_list_the_interval_is_wide() -> None:
    result = scored(scorer=TextScorer(lambda text: 1.0 if " man " in text else 0.0))
    assert result.share == 0.5
    assert result.interval.high - result.interval.low > 0.4


# StereoSet


def test_icat_is_as_stereoset_defines_it() -> None:
    told = {"s1": -1.0, "a1": -2.0, "u1": -3.0, "s2": -3.0, "a2": -1.0, "u2": -2.0}
    given_pairs = [
        SentencePair("s1", "a1", attribute="x", unrelated="u1"),
        SentencePair("s2", "a2", attribute="y", unrelated="u2"),
    ]
    lms = scored(given_pairs, scorer=TextScorer(told.__getitem__)).language_model
    assert lms is not None
    # Three of four comparisons prefer meaning; two pairs is stereotyped.
    assert (lms.comparisons, lms.share, lms.stereotype_share) == (4, 0.75, 0.5)
    assert lms.icat == pytest.approx(75.0)
    assert lms.interval.low <= 0.75 <= lms.interval.high


def test_icat_counts_every_target_term_alike() -> None:
    told = {"s": -1.0, "a": -2.0, "u": -3.0, "t": -4.0}
    given_pairs = [
        SentencePair("s", "a", attribute="x", unrelated="u", id="1"),
        SentencePair("s", "a", attribute="x", unrelated="u", id="2"),
        SentencePair("t", "a", attribute="y", unrelated="u", id="3"),
    ]
    lms = scored(given_pairs, scorer=TextScorer(told.__getitem__)).language_model
    assert lms is not None
    assert lms.share == pytest.approx((1 + 0.5) / 2)
    assert lms.stereotype_share == pytest.approx(0.5)


def test_without_unrelated_versions_there_is_no_icat() -> None:
    assert scored().language_model is None


def test_unrelated_versions_that_fail_are_counted() -> None:
    told = {"s": -1.0, "a": -2.0, "u": None}
    one = SentencePair("s", "a", unrelated="u")
    lms = scored([one], scorer=TextScorer(told.__getitem__)).language_model
    assert lms is not None
    assert (lms.comparisons, lms.failures) == (0, 2)
    assert math.isnan(lms.icat)


# Words and files


def test_the_verdict_says_what_can_be_told() -> None:
    strong = scored(subject=bl.observers.scorer(0.9, seed=1), scorer=None)
    assert strong.headline.endswith("a bias with the stereotype.")
    assert f"more probable in {100 * strong.share:.0f} % of 60 pairs" in strong.headline
    weak = scored(subject=bl.observers.scorer(0.1, seed=1), scorer=None)
    assert weak.headline.endswith("a bias against the stereotype.")
    none = scored(subject=bl.observers.scorer(0.5, ties=0.05, failures=0.05, seed=2), scorer=None)
    smallest = math.ceil(100 * smallest_effect_of(none.interval))
    assert none.headline.endswith(f": no clear bias; {smallest} points or more would show.")
    assert f"{none.ties} ties count for neither version; {none.failures} " in none.caveat()
    assert "Failed: " in none.summary()


def test_one_list_alone_has_no_verdict() -> None:
    result = scored(
        pairs([f"word{i}" for i in range(6)]), subject=bl.observers.scorer(1.0), scorer=None
    )
    assert result.interval.low > 0.5
    assert (result.one_sided, result.lean) == (("male", "female"), 0)
    assert "No verdict: every sentence is about a stereotype of male" in result.headline
    assert result.headline.endswith("Add attributes tied to female.")
    both = scored(subject=bl.observers.scorer(1.0), scorer=None)
    assert (both.one_sided, both.lean) == (None, 1)


# Terms

NAMES = [[f"{group}{i}" for i in range(12)] for group in "AB"]


def of_names(
    sizes: tuple[int, int],
    preferred: np.ndarray[Any, Any],
    bias: float,
    noise: np.random.Generator | None = None,
) -> Any:
    """Score twelve pairs of names in two frames: a list of attributes tied to each group."""
    sentences, log_scores = [], {}
    for side, size in enumerate(sizes):
        for i in range(size):
            for place, verb in [(k, v) for k in range(12) for v in ("likes", "praises")]:
                texts, attribute = [], f"word{side}{i}"
                for group in (side, 1 - side):
                    name = NAMES[group][place]
                    texts.append(f"{name} {verb} {attribute}.")
                    with_ = bias * (group == side)
                    own = 0.0 if noise is None else noise.standard_normal()
                    log_scores[texts[-1]] = float(preferred[group, place] + with_ + own)
                spans = tuple((0, len(text.split()[0])) for text in texts)
                sentences.append(
                    SentencePair(
                        *texts, attribute, f"list{side}", ("BA"[1 - side], "AB"[1 - side]), spans
                    )
                )
    return sentences, TextScorer(log_scores.__getitem__)


@pytest.mark.parametrize("sizes", [(4, 0), (6, 3), (4, 4)])
def test_frequent_names_are_no_bias(sizes: tuple[int, int]) -> None:
    rng = np.random.default_rng(3)
    for _ in range(5):
        sentences, scorer = of_names(sizes, rng.normal(0, 3, (2, 12)), 0.0)
        result = scored(sentences, scorer=scorer)
        assert result.lean == 0
        assert result.interval.kind == "attributes, terms and sentences"
        if all(sizes):
            assert result.share == pytest.approx(0.5)
    sentences, scorer = of_names(sizes, rng.normal(0, 1, (2, 12)), 2.0)
    assert scored(sentences, scorer=scorer).lean == (1 if all(sizes) else 0)


@pytest.mark.validate
@pytest.mark.parametrize("sizes", [(12, 0), (16, 8), (12, 12)])
def test_scorers_without_a_bias_seldom_lean(sizes: tuple[int, int]) -> None:
    """Terms differ by 1 to 6 nats, every sentence by 1; nominal 5 %, or 0 of one list."""
    rng = np.random.default_rng(7)
    leans, pulls = [], []
    for _ in range(150):
        names = rng.uniform(1, 6) * rng.standard_normal((2, 12))
        sentences, scorer = of_names(sizes, names, 0.0, rng)
        result = scored(sentences, scorer=scorer)
        leans.append(result.lean != 0)
        pulls.append(result.pull is not None and result.pull.excludes_null)
    print(sizes, np.mean(leans), np.mean(pulls))  # noqa: T201
    assert np.mean(leans) <= (0.07 if all(sizes) else 0)
    assert np.mean(pulls) <= (0.08 if all(sizes) else 0)


def test_placebo_groups_tell_a_bias_from_frequent_names() -> None:
    names = np.random.default_rng(5).normal(0, 2, (2, 12))
    fair, biased, alone = (
        scored(sentences, scorer=scorer)
        for sentences, scorer in (
            of_names((6, 3), names, 0.0), of_names((6, 3), names, 2.0), of_names((4, 0), names, 0.0)
        )
    )  # fmt: skip
    null = fair.placebo
    assert (null.p, null.low, null.high) == (1, pytest.approx(0.5), pytest.approx(0.5))
    assert biased.placebo.p < 0.05
    assert alone.placebo.low < 0.3 < alone.share < 0.7 < alone.placebo.high
    assert "Placebo groups: with 12 terms put into either group at random" in alone.summary()
    assert scored(pairs(MATH)).placebo is None


def test_groups_count_alike_by_default_and_attributes_on_request() -> None:
    sentences, scorer = of_names((6, 3), np.array([[9.0] * 12, [0.0] * 12]), 0.0)
    by_group, by_attribute = (
        scored(sentences, scorer=scorer, weighting=way) for way in ("groups", "attributes")
    )
    assert (by_group.share, by_attribute.share) == (0.5, pytest.approx(2 / 3))
    assert (by_group.weighting, by_group.to_frame().of[0]) == ("groups", "groups alike")
    assert "with equal weight for both groups" in by_group.headline
    assert by_group.beside is by_group.micro
    # The same where both groups have as many attributes.
    assert scored().weighting == "attributes"


def test_it_reopens_equal_and_its_tables_hold_its_numbers(tmp_path: Path) -> None:
    given_pairs = PairSet(PAIRS, (RejectedSentence("Odd.", "no-term", "It has no term."),))
    result = scored(given_pairs)
    assert Result.from_json(result.to_json()) == result
    store = Store(tmp_path)
    assert store.open(result.save(store)) == result
    frame_ = result.to_frame()
    assert frame_.share[0] == result.share
    assert list(frame_["name"][frame_.of == "attribute"]) == [a.name for a in result.attributes]
    sentences = result.raw_frame()
    assert list(sentences.outcome) == list(result.outcomes)
    assert list(sentences.stereotyped) == [p.stereotyped for p in PAIRS]
    assert [d.term for d in result.dropped] == ["Odd."]
    assert "It has no term." in result.summary()


# Bad input


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 1.0}, "level"),
        ({"resamples": 3}, "resamples"),
        ({"tie_within": -1}, "tie_within"),
        ({"weighting": "sentences"}, "weighting"),
        ({"pairing": "both"}, "group, attribute"),
        ({"rng": -1}, "rng"),
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        scored(**options)


def test_nothing_to_score_is_told_with_the_reason() -> None:
    with pytest.raises(QueryError, match="Give a spec"):
        bl.stereotype_score(FakeModel(), scorer=TextScorer())
    with pytest.raises(QueryError, match="no pair"):
        scored([])
    rejected = PairSet((), (RejectedSentence("Odd.", "no-term", "It has no term."),))
    with pytest.raises(QueryError, match="It has no term") as error:
        scored(rejected)
    assert [d.term for d in error.value.dropped] == ["Odd."]


def test_pairs_of_another_pairing_are_refused() -> None:
    both = [PAIRS[0], SentencePair("She sings.", "She counts.", pairing="attribute")]
    with pytest.raises(QueryError, match="two runs"):
        scored(both)
    with pytest.raises(QueryError, match="Leave out pairing"):
        scored(both[1:], pairing="group")
    assert scored(both[1:]).pairing == "attribute"


def test_what_is_no_language_model_is_refused() -> None:
    with pytest.raises(QueryError, match="kind='mlm'"):
        bl.stereotype_score(FakeModel(kind="encoder"), sentences=PAIRS, keep=False)
    with pytest.raises(QueryError, match="no scorer 'sorcery'"):
        bl.stereotype_score(FakeModel(), sentences=PAIRS, scorer="sorcery", keep=False)


# Long runs


@pytest.mark.parametrize("kind", [TextScorer, StreamingScorer])
def test_a_killed_run_goes_on_where_it_was(kind: type[TextScorer], tmp_path: Path) -> None:
    many = pairs([f"word{i}" for i in range(20)])
    store = Store(tmp_path)
    killed = kind(stop_after=150)
    with pytest.raises(KeyboardInterrupt):
        scored(many, scorer=killed, store=store, keep=True)
    again = kind()
    result = scored(many, scorer=again, store=Store(tmp_path), keep=True)
    fresh = scored(many, scorer=kind())
    failed = {p.id for p, _ in fresh.failed}
    assert {p.id for p in again.asked} & {p.id for p in killed.asked[:128]} <= failed
    assert result.scores == fresh.scores
    assert result.overall == fresh.overall
    # What failed is asked again, what is known is not.
    last = kind()
    scored(many, scorer=last, store=store, keep=True)
    assert {p.id for p in last.asked} == failed


def test_scores_belong_to_a_model_a_scorer_and_the_sentences(tmp_path: Path) -> None:
    store = Store(tmp_path)
    few = PAIRS[:5]
    scored(few, scorer=TextScorer(lambda text: -1.0 * len(text)), store=store, keep=True)
    for lm, name in [
        (FakeModel(content_hash="other"), "by-text"),
        (FakeModel(dtype="float16"), "by-text"),
        (FakeModel(), "another"),
    ]:
        scorer = TextScorer(lambda text: -2.0 * len(text), name=name)
        scored(few, subject=lm, scorer=scorer, store=store, keep=True)
        assert len(scorer.asked) == 5


def test_a_model_without_a_content_hash_is_scored_and_says_that_nothing_is_kept(
    tmp_path: Path,
) -> None:
    result = scored(subject=FakeModel(content_hash=None), store=Store(tmp_path), keep=True)
    assert "not cached" in result.summary()
    assert list(tmp_path.iterdir()) == []


def test_a_store_that_cannot_be_used_stops_no_run(tmp_path: Path) -> None:
    (tmp_path / "biaslab.sqlite").write_bytes(b"not a database" * 100)
    result = scored(store=Store(tmp_path), keep=True)
    assert result.overall == scored().overall
    assert "Scores are not cached" in result.summary()


def test_an_aborted_run_is_a_result_of_what_was_scored() -> None:
    context = Watched(lambda so_far: len(so_far.reports) > 10)
    with reporting_to(context):
        result = scored(scorer=StreamingScorer())
    assert 0 < len(result.pairs) < len(PAIRS)
    assert result.unscored == len(PAIRS) - len(result.pairs)
    assert "not reached" in result.caveat()
    assert all(total == len(PAIRS) for _, total, _ in context.reports)


def test_progress_goes_up_to_all_pairs() -> None:
    context = Watched()
    with reporting_to(context):
        scored(scorer=StreamingScorer())
    assert context.done == sorted(context.done)
    assert context.done[-1] == len(PAIRS)


# The simulated scorer


@pytest.mark.parametrize("spread", [0.0, 1.0])
def test_the_simulated_scorer_has_its_rate(spread: float) -> None:
    many = pairs([f"word{i}" for i in range(150)], [f"verb{i}" for i in range(12)])
    truth = bl.observers.scorer(0.7, attribute_sd=spread, ties=0.1, failures=0.05, seed=2)
    result = scored(many, subject=truth, scorer=None)
    assert result.share == pytest.approx(0.7, abs=0.035)
    assert result.interval.low < 0.7 < result.interval.high
    assert result.ties == pytest.approx(180 * 0.95, abs=40)
    assert result.failures == pytest.approx(90, abs=30)


def test_attributes_may_have_rates_of_their_own() -> None:
    truth = bl.observers.scorer({"algebra": 1.0, "dance": 0.0})
    result = scored(subject=truth, scorer=None)
    assert result.attribute("algebra").share == 1
    assert result.attribute("dance").share == 0
    assert truth.rate_of("poetry") == 0.5


def test_the_simulated_scorer_says_the_same_of_the_same_pair() -> None:
    truth = bl.observers.scorer(0.6, attribute_sd=0.5, seed=9)
    again = bl.observers.scorer(0.6, attribute_sd=0.5, seed=9)
    assert truth.score(None, PAIRS) == again.score(None, PAIRS[::-1])[::-1]
    assert truth.content_hash == again.content_hash
    assert truth.content_hash != bl.observers.scorer(0.6, attribute_sd=0.5, seed=8).content_hash


@pytest.mark.parametrize(
    "wrong",
    [
        {"rate": 1.2},
        {"rate": {"x": -1}},
        {"ties": 2},
        {"attribute_sd": -1},
        {"rate": 1, "frame_sd": 1},
    ],
)
def test_a_truth_that_cannot_be_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ObserverError):
        bl.observers.scorer(**wrong)


@pytest.mark.parametrize("text", ["", "[1]", '[["x"], null, null]', "[null, null, null]"])
def test_a_damaged_kept_score_is_scored_anew(text: str, tmp_path: Path) -> None:
    store, few = Store(tmp_path), PAIRS[:3]
    names = score_cache.keys(FakeModel(), TextScorer(), few)
    assert names is not None
    store.keep_values(score_cache.KIND, dict.fromkeys(names, text))
    scorer = TextScorer()
    result = scored(few, scorer=scorer, store=store, keep=True)
    assert len(scorer.asked) == 3
    assert result.scores == scored(few).scores


@given(
    st.lists(
        st.tuples(st.sampled_from("xyz"), *[st.floats(-9, -1, allow_subnormal=False)] * 3),
        min_size=1,
        max_size=30,
    )
)
@settings(max_examples=40)
def test_icat_is_that_of_the_definition(rows: list[tuple[str, float, float, float]]) -> None:
    told: dict[str, float] = {}
    given_pairs = []
    for i, (term, *values) in enumerate(rows):
        texts = [f"{name}{i}" for name in "sau"]
        told |= dict(zip(texts, values, strict=True))
        given_pairs.append(SentencePair(texts[0], texts[1], attribute=term, unrelated=texts[2]))
    found = scored(given_pairs, scorer=TextScorer(told.__getitem__), tie_within=0.0).language_model
    assert found is not None
    lms, ss = [], []
    for term in {row[0] for row in rows}:
        own = [row[1:] for row in rows if row[0] == term]
        decided = [m != u for s, a, u in own for m in (s, a)]
        preferred = [m > u for s, a, u in own for m in (s, a)]
        lms += [sum(preferred) / sum(decided)] if any(decided) else []
        apart = [(s, a) for s, a, _ in own if s != a]
        ss += [sum(s > a for s, a in apart) / len(apart)] if apart else []
    if lms and ss:
        share, leaning = 100 * sum(lms) / len(lms), 100 * sum(ss) / len(ss)
        assert 100 * found.share == pytest.approx(share)
        assert found.icat == pytest.approx(share * min(leaning, 100 - leaning) / 50)
    else:
        assert math.isnan(found.icat)
