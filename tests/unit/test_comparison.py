"""`bl.compare`: rows, paired intervals, totals, what differs, and refusals."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import biaslab as bl
from biaslab.errors import ArgumentError, QueryError
from biaslab.probes.comparison import Comparison
from biaslab.probes.comparison.rows import independent_interval, mean_of_lists
from biaslab.probes.occupations import OutsideTable
from biaslab.probes.psychometrics.answers import Graded
from biaslab.probes.rating import RatingDesign
from biaslab.reports.chart import Points
from biaslab.reports.psychometrics.chart import pses
from harness.heavy import stats
from harness.sentence_pairs import pairs as sentence_pairs

JOBS = tuple(f"job{i}" for i in range(12))
GROUPS = {"women": ("she", "woman", "mother", "girl"), "men": ("he", "man", "father", "boy")}
CUES = (*GROUPS["women"], *GROUPS["men"])
LISTS: dict[str, Any] = {
    "targets": {"care": JOBS[:6], "craft": JOBS[6:]},
    "attributes": GROUPS,
    "attribute_groups": {"women": ["care"], "men": ["craft"]},
}


def vectors(seed: int, replicates: int = 1, dim: int = 10) -> Any:
    rng = np.random.default_rng(seed)
    base = rng.standard_normal((1, len(JOBS) + len(CUES), dim))
    return (base + 0.3 * rng.standard_normal((replicates, *base.shape[1:]))).astype(np.float32)


def subject(seed: int = 1, replicates: int = 1, name: str = "") -> Any:
    words, made = (*JOBS, *CUES), vectors(seed, replicates)
    name = name or f"random {seed}"
    if replicates == 1:
        return bl.WordEmbedding(words, made[0], name=name)
    return bl.EmbeddingEnsemble(words, made, name=name)


def asked(seed: int = 1, replicates: int = 1, jobs: tuple[str, ...] = JOBS, **options: Any) -> Any:
    return bl.occupations(subject(seed, replicates), jobs, GROUPS, **options)


def outside() -> OutsideTable:
    values = {job: 5.0 + 7 * i for i, job in enumerate(JOBS)}
    return OutsideTable(
        name="made up", title="Women", unit="percent", source="nobody", values=values, of="women"
    )


def two_of(kind: str) -> tuple[Any, Any]:
    """Two results of each kind that can be compared."""
    if kind in ("weat", "mac", "distance-model", "association"):
        ask: Any = {
            "weat": lambda e: bl.weat(e, **{k: LISTS[k] for k in ("targets", "attributes")}),
            "mac": lambda e: bl.mac(e, **LISTS, resamples=50),
            "distance-model": lambda e: bl.distance_model(e, **LISTS, draws=200),
            "association": lambda e: bl.association.overview(e, **LISTS, draws=200, resamples=20),
        }[kind]
        return ask(subject(1)), ask(subject(2))
    if kind == "stereotype-score":
        found = [
            bl.stereotype_score(
                bl.observers.scorer(share, seed=1), sentences=sentence_pairs(), keep=False,
                resamples=100,
            )
            for share in (0.8, 0.3)
        ]  # fmt: skip
        return found[0], found[1]
    if kind == "rating":
        design = RatingDesign.make(texts=20)
        one, two = (bl.observers.service(each) for each in ("faithful", "always-he"))
        return bl.rate(one, design, keep=False), bl.rate(two, design, keep=False)
    if kind == "two-afc":
        ask = lambda e: bl.two_afc(e, JOBS[:4], list(zip(*GROUPS.values(), strict=True)))  # noqa: E731
        return ask(subject(1)), ask(subject(2))
    return asked(1), asked(2)


KINDS = (
    "occupations", "two-afc", "stereotype-score", "weat", "mac", "distance-model", "association",
    "rating",
)  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_gives_its_rows_and_their_difference(kind: str) -> None:
    a, b = two_of(kind)
    found = bl.compare(a, b)
    assert found.kind == kind
    assert found.names == (a.provenance.subject, b.provenance.subject)
    np.testing.assert_allclose(found.change, found.values[:, 1] - found.values[:, 0], atol=1e-12)
    low, high = found.change_intervals.T
    known = np.isfinite(low)
    assert known.any()
    assert (low[known] <= found.change[known] + 1e-9).all()
    assert (high[known] >= found.change[known] - 1e-9).all()
    assert found.paired is (kind != "rating")
    assert {"subject", "content of the subject"} & {one.name for one in found.differs}
    assert bl.Result.from_json(found.to_json()) == found


@pytest.mark.parametrize("kind", KINDS)
def test_swapping_the_runs_turns_every_sign(kind: str) -> None:
    a, b = two_of(kind)
    one, two = bl.compare(a, b), bl.compare(b, a)
    at = [two.labels.index(label) for label in one.labels]
    np.testing.assert_allclose(two.change[at], -one.change, atol=1e-9)
    np.testing.assert_allclose(
        two.change_intervals[at], -one.change_intervals[:, ::-1], atol=1e-9, equal_nan=True
    )
    for total in one.totals:
        other = two.total(total.name)
        assert other.difference == pytest.approx(-total.difference, nan_ok=True)
        if total.interval is not None and other.interval is not None:
            turned = (-other.interval.high, -other.interval.low)
            ends = (total.interval.low, total.interval.high)
            assert turned == pytest.approx(ends, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("kind", ["occupations", "weat", "mac", "distance-model"])
def test_a_run_compared_with_itself_has_no_change(kind: str) -> None:
    a, _ = two_of(kind)
    found = bl.compare(a, a)
    assert not found.change.any()
    assert np.nanmax(np.abs(found.change_intervals)) < 1e-9
    assert not found.excludes_null.any()
    assert not found.differs
    assert "the same numbers" in found.headline


def test_the_paired_interval_is_that_of_the_differences_of_single_pairs() -> None:
    a, b = asked(1), asked(2)
    found = bl.compare(a, b)
    moved = b.contrasts[0].by_pair.pse - a.contrasts[0].by_pair.pse
    ends = stats.t.interval(0.95, 3, moved.mean(axis=1), stats.sem(moved, axis=1))
    np.testing.assert_allclose(found.change_intervals, np.transpose(ends), atol=1e-6)
    assert "4 cue pairs" in found.over


def test_pairs_in_another_order_are_matched() -> None:
    turned = {name: cues[::-1] for name, cues in GROUPS.items()}
    other = bl.occupations(subject(2), JOBS, turned)
    found, plain = bl.compare(asked(1), other), bl.compare(asked(1), asked(2))
    assert found.paired
    np.testing.assert_allclose(found.change_intervals, plain.change_intervals, rtol=1e-6)


def test_other_cue_pairs_are_taken_as_independent() -> None:
    fewer = {name: cues[:3] for name, cues in GROUPS.items()}
    a, b = asked(1), bl.occupations(subject(2), JOBS, fewer)
    found = bl.compare(a, b)
    assert not found.paired
    assert "independent" in found.caveat()
    one, two = (each.contrasts[0].pooled for each in (a, b))
    expected = independent_interval(one.pse, one.corpus, two.pse, two.corpus)
    np.testing.assert_allclose(found.change_intervals, expected)


def test_an_ensemble_and_one_embedding_are_taken_as_independent() -> None:
    assert not bl.compare(asked(1, 3), asked(1)).paired
    assert bl.compare(asked(1, 3), asked(2, 3)).paired


def test_shared_words_make_the_interval_narrower_than_independent_ones() -> None:
    a = asked(1)
    words, made = (*JOBS, *CUES), vectors(1)[0]
    near = bl.WordEmbedding(words, made + 0.01 * vectors(5)[0], name="near")
    found = bl.compare(a, bl.occupations(near, JOBS, GROUPS))
    alone = independent_interval(
        found.values[:, 0], found.intervals[:, 0], found.values[:, 1], found.intervals[:, 1]
    )
    assert np.ptp(found.change_intervals, axis=1).mean() < 0.2 * np.ptp(alone, axis=1).mean()


def test_words_of_one_run_stand_below_without_a_change() -> None:
    found = bl.compare(asked(1, jobs=JOBS[:8]), asked(2, jobs=JOBS[2:]))
    assert found.labels == JOBS[2:8]
    only = {(one.run, one.label) for one in found.only}
    assert only == {("a", job) for job in JOBS[:2]} | {("b", job) for job in JOBS[8:]}
    frame = found.to_frame()
    assert frame[frame["of"] == "only in b"]["difference"].isna().all()
    words = next(one for one in found.differs if one.name == "words")
    assert "only here: job0, job1" in words.a


@pytest.mark.parametrize("kind", ["two-afc", "occupations"])
def test_jnds_are_compared_as_independent_estimates(kind: str) -> None:
    a, b = two_of(kind)
    found = bl.compare(a, b, measure="jnd")
    asked_of = [each.contrasts[0] if kind == "occupations" else each for each in (a, b)]
    for side, each in enumerate(asked_of):
        jnds = dict(zip(each.items, each.pooled.jnd, strict=True))
        assert found.values[:, side].tolist() == [jnds[label] for label in found.labels]
    assert found.measure == "JND"
    assert not found.paired
    assert "independent" in found.caveat()
    assert bl.Result.from_json(found.to_json()) == found
    assert 'measure="jnd"' in found.code()


def test_another_measure_is_refused_with_those_of_the_kind() -> None:
    with pytest.raises(ArgumentError, match="'pse' or 'jnd'"):
        bl.compare(*two_of("two-afc"), measure="slope")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="are compared by 'pse'"):
        bl.compare(*two_of("weat"), measure="jnd")


def test_totals_count_leans_and_measure_distance_and_order() -> None:
    a, b = asked(1, outside=outside()), asked(2, outside=outside())
    found = bl.compare(a, b)
    assert [found.total(name).a for name in ("women", "men")] == list(a.lean_counts()[:2])
    distance = found.total("mean distance from 50 %")
    assert distance.b == pytest.approx(np.abs(b.contrasts[0].pse - 0.5).mean())
    r = found.total("Pearson’s r")
    assert r.a == pytest.approx(a.agreement().pearson)
    assert r.b == pytest.approx(b.agreement().pearson)
    assert r.a_interval is not None
    assert r.a_interval.low == pytest.approx(a.agreement().pearson_interval.low)
    assert r.interval is not None
    assert r.interval.low < r.difference < r.interval.high


@pytest.mark.parametrize("adjust", ["holm", "none"])
def test_leans_have_the_correction_of_either_run(adjust: Any) -> None:
    pse = {f"word{i}": 0.5 + 0.005 * i for i in range(30)}
    runs = []
    for seed in (3, 4):
        subject = bl.observers.embedding(pse=pse, jnd=0.02, replicates=200, seed=seed)
        groups = {"a": ["female"], "b": ["male"]}
        runs.append(bl.occupations(subject, list(pse), groups, family="normal"))
    found = bl.compare(*runs, adjust=adjust)
    counts = [run.lean_counts(adjust=adjust).group_1 for run in runs]
    assert [found.total("a").a, found.total("a").b] == counts
    assert counts != [run.lean_counts(adjust="none" if adjust == "holm" else "holm").group_1
                      for run in runs]  # fmt: skip
    assert ("(Holm)" in found.caveat()) is (adjust == "holm")
    drawn = pses(runs[0].contrasts[0], adjust)
    points = drawn.panels[0][0].marks[-1]
    assert isinstance(points, Points)
    assert points.shape.count("circle") == counts[0]  # type: ignore[union-attr]
    assert ("(Holm)" in drawn.note) is (adjust == "holm")


def test_debiasing_is_named() -> None:
    emb = subject(1)
    defining = list(zip(*GROUPS.values(), strict=True))
    hard = bl.debias(emb, defining=defining)
    found = bl.compare(*(bl.occupations(e, JOBS, GROUPS, outside=outside()) for e in (emb, hard)))
    assert found.is_debiased
    assert found.headline.startswith("Debiasing moves the words toward 50 %: the mean distance")
    assert "before" in " ".join(found.verdict()) or len(found.verdict()) == 1


def test_what_differs_and_what_is_equal() -> None:
    found = bl.compare(asked(1), asked(1, family="logistic", level=0.9))
    differs = {one.name: (one.a, one.b) for one in found.differs}
    assert differs["family"] == ("auto", "logistic")
    assert differs["level"] == ("0.95", "0.9")
    assert {"subject", "words", "biaslab", "pairing"} <= {one.name for one in found.equal}
    assert "family, level" in found.caveat()


def test_two_models_differ_and_one_model_changes() -> None:
    one, two = two_of("occupations")
    found = bl.compare(one, two)
    text = found.summary()
    assert "difference" in text
    assert "change" not in text
    if count := int(found.excludes_null.sum()):
        assert f"{count} of {len(found.labels)} words differ clearly" in text
    assert "change" in bl.compare(asked(1), asked(1, family="logistic")).caveat()


def test_results_of_different_kinds_are_refused() -> None:
    with pytest.raises(QueryError, match=r"different kinds: occupations and WEAT"):
        bl.compare(asked(1), two_of("weat")[0])


def test_kinds_without_a_comparison_are_refused_with_those_that_have_one() -> None:
    one = bl.association.weat_simulation(draws=20)
    with pytest.raises(QueryError, match=r"cannot be compared\. Those that can: .*occupations"):
        bl.compare(one, one)


def test_runs_without_shared_rows_are_refused() -> None:
    with pytest.raises(QueryError, match=r"share no words: the first has job0"):
        bl.compare(asked(1, jobs=JOBS[:4]), asked(1, jobs=JOBS[6:]))


def test_something_else_is_refused() -> None:
    wrong: Any = 3
    with pytest.raises(ArgumentError, match=r"first is .*3"):
        bl.compare(wrong, asked(1))


def test_graded_answers_of_the_same_frames_are_paired() -> None:
    rng = np.random.default_rng(0)
    one = two_of("two-afc")[0]
    stimuli = np.linspace(0, 1, len(one.stimuli))
    at = rng.normal(0.5, 0.05, (8, 4, 1))

    def graded(shift: float) -> Any:
        answers = 1 / (1 + np.exp(-(stimuli - at[..., None] - shift) / 0.1))
        return replace(
            one, pairs=one.pairs[:1], weights=np.ones(1), raw=Graded.of(answers), observer="frames",
            observer_names=tuple(f"frame {i}" for i in range(8)),
        )  # fmt: skip

    found = bl.compare(graded(0.0), graded(0.1))
    assert found.paired
    np.testing.assert_allclose(found.change, 0.1, atol=0.01)
    assert np.ptp(found.change_intervals, axis=1).max() < 0.02
    assert found.excludes_null.all()


def test_answers_that_do_not_follow_the_blend_are_compared_at_an_even_one() -> None:
    one = two_of("two-afc")[0]
    rng = np.random.default_rng(0)
    noise = rng.normal(0, 0.01, (8, 4, 1, 1))

    def graded(slope: float, at_half: float) -> Any:
        follows = slope * (np.linspace(0, 1, len(one.stimuli)) - 0.5)
        return replace(
            one, pairs=one.pairs[:1], weights=np.ones(1),
            raw=Graded.of(at_half + follows + noise), observer="frames",
            observer_names=tuple(f"frame {i}" for i in range(8)),
        )  # fmt: skip

    flat, steep = graded(0.0, 0.6), graded(0.8, 0.4)
    assert np.isnan(flat.pooled.pse).all()
    found = bl.compare(flat, steep)
    side = one.pairs[0][0]
    assert found.measure == f"answers “{side}” to an even blend"
    np.testing.assert_allclose(found.values, [[0.4, 0.6]] * 4, atol=0.02)
    np.testing.assert_allclose(found.change, 0.2, atol=1e-12)
    assert found.paired
    assert found.excludes_null.all()
    assert "same numbers" not in found.headline
    assert bl.compare(flat, flat).headline.startswith("Both runs give the same numbers")


def test_one_change_without_an_interval_is_not_called_unclear() -> None:
    one, two = (bl.two_afc(subject(seed), JOBS[:1], [("she", "he")]) for seed in (1, 2))
    found = bl.compare(one, two)
    assert np.isnan(found.change_intervals).all()
    assert found.headline.startswith(f"No interval for the difference of {JOBS[0]}: PSE ")
    assert found.headline.endswith(" points.")


def test_a_number_that_only_one_run_has_is_not_called_the_same() -> None:
    found = bl.compare(*two_of("occupations"))
    missing = np.array(found.values)
    missing[:, 1] = np.nan
    change = np.full(len(missing), np.nan)
    without = replace(found, values=missing, change=change)
    assert "same numbers" not in without.headline


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10_000), st.integers(2, 6), st.integers(1, 4))
def test_a_shift_of_all_answers_is_found_exactly(seed: int, columns: int, replicates: int) -> None:
    rng = np.random.default_rng(seed)
    table = rng.standard_normal((replicates, 3, 2 * columns))
    plus = np.tile(np.arange(2 * columns) < columns, (3, 1))
    values, ends = mean_of_lists(table, plus, ~plus, 0.95)
    moved, same = mean_of_lists(table + plus * 0.5, plus, ~plus, 0.95)
    np.testing.assert_allclose(moved, values + 0.5)
    np.testing.assert_allclose(same, ends + 0.5)
    assert ((ends[:, 0] < values) & (values < ends[:, 1])).all()


def test_the_chart_shows_both_runs_and_the_change() -> None:
    svg = bl.compare(asked(1), asked(2)).to_svg()
    for part in ("A  random 1", "B  random 2", "B − A", "job3", "change"):
        assert part in svg


def _drawn(rng: np.random.Generator, pairs: int, noise: float) -> tuple[Any, Any]:
    """Two runs whose true change is 0.1 for each word, over cue pairs that both share."""
    base = asked(1, jobs=JOBS[:4]).contrasts[0]
    shared = rng.normal(0, 0.1, (1, 4, pairs))
    cues = tuple((f"a{k}", f"b{k}") for k in range(pairs))

    def run(shift: float) -> Any:
        own = rng.normal(0, noise, (1, 4, pairs))
        return replace(
            base, pairs=cues, weights=np.full(pairs, 1 / pairs), switch=0.5 + shift + shared + own
        )

    return run(0.0), run(0.1)


@pytest.mark.validate
@pytest.mark.parametrize("noise", [0.01, 0.1])
def test_the_paired_interval_covers_the_true_change(noise: float) -> None:
    rng = np.random.default_rng(7)
    hits, count = 0, 0
    for _ in range(500):
        found: Comparison = bl.compare(*_drawn(rng, 8, noise))
        low, high = found.change_intervals.T
        hits += int(((low <= 0.1) & (high >= 0.1)).sum())
        count += len(low)
    assert 0.935 <= hits / count <= 0.965


@pytest.mark.validate
@pytest.mark.parametrize("wider", [1.0, 2.0])
def test_the_interval_of_the_jnds_change_covers_the_true_change(wider: float) -> None:
    rng = np.random.default_rng(11)
    items = tuple(f"w{i}" for i in range(500))
    base = asked(1).contrasts[0]
    runs = [
        replace(
            base, items=items, pairs=(("a", "b"),), weights=np.ones(1),
            switch=rng.normal(0.5, spread, (32, len(items), 1)),
        )
        for spread in (0.05, 0.05 * wider)
    ]  # fmt: skip
    found = bl.compare(*runs, measure="jnd")
    truth = 0.05 * (wider - 1) * runs[0].pooled.jnd.mean() / runs[0].switch.std(axis=0).mean()
    low, high = found.change_intervals.T
    assert 0.93 <= ((low <= truth) & (truth <= high)).mean() <= 0.98


@pytest.mark.validate
def test_the_interval_of_the_mean_distance_covers_the_true_change() -> None:
    rng = np.random.default_rng(3)
    base = asked(1)
    hits = 0
    for _ in range(400):
        away = np.abs(rng.normal(0.2, 0.05, 30))
        sides = rng.choice([-1, 1], 30)
        kept = rng.normal(0.5, 0.1, 30)
        jobs = tuple(f"w{i}" for i in range(30))
        runs = []
        for factor in (1.0, kept):
            switch = 0.5 + (sides * away * factor)[None, :, None] * np.ones((1, 1, 2))
            switch = switch + rng.normal(0, 1e-6, switch.shape)
            runs.append(
                replace(
                    base.contrasts[0], items=jobs, pairs=(("a", "b"), ("c", "d")),
                    weights=np.full(2, 0.5), switch=switch,
                )
            )  # fmt: skip
        ends = bl.compare(*runs).total("mean distance from 50 %").interval
        assert ends is not None
        hits += -0.1 in ends
    assert 0.92 <= hits / 400 <= 0.975
