"""Models of signal detection: known values, symmetries, and intervals that cover the truth."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from biaslab.probes.sensitivity.columns import Observed
from biaslab.probes.sensitivity.estimates import fields_of
from biaslab.stats.classification import auc
from biaslab.stats.sdt.model import Detection, Floats, Spreads, detect
from harness.heavy import optimize

COUNTS = st.integers(0, 120)
CELLS = st.tuples(COUNTS, COUNTS, COUNTS, COUNTS).filter(
    lambda one: one[0] + one[1] > 4 and one[2] + one[3] > 4
)


def yes_or_no(hits: float, misses: float, false_alarms: float, rest: float, **options: object) -> (
    Detection
):  # fmt: skip
    counts = np.array([[rest, false_alarms], [misses, hits]], dtype=float)
    return detect(counts, rng=np.random.default_rng(1), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(("d_prime", "criterion"), [(0.0, 0.4), (1.0, 0.0), (2.5, -0.7)])
def test_known_distributions_have_their_numbers(d_prime: float, criterion: float) -> None:
    n = 1e5
    hit, false_alarm = special.ndtr(np.array([1, -1]) * d_prime / 2 - criterion)
    found = yes_or_no(hit * n, (1 - hit) * n, false_alarm * n, (1 - false_alarm) * n)
    assert found.values["d_prime"] == pytest.approx(d_prime, abs=0.002)
    assert found.values["criterion"] == pytest.approx(criterion, abs=0.002)


@pytest.mark.parametrize("slope", [0.7, 1.5])
def test_known_unequal_distributions_have_their_numbers(slope: float) -> None:
    shares, truth = _rated(1.5, 0.5, slope, 5)
    found = detect(1e5 * shares, 2, spreads="unequal", rng=np.random.default_rng(1))
    assert found.values == pytest.approx(truth, abs=0.005)


def test_a_published_rating_experiment() -> None:
    # Hanley and McNeil (1982), "The meaning and use of the area under a ROC curve", Radiology
    # 143, Table I: 58 normal and 51 abnormal CT images in five grades.
    counts = np.array([[33, 6, 6, 11, 2], [3, 2, 2, 11, 33]], dtype=float)
    grades = np.tile(np.arange(5.0), 2).repeat(counts.ravel().astype(int))
    area = auc(np.arange(109) >= 58, grades, 0.95)
    assert area.value == pytest.approx(0.893, abs=0.0005)  # the same, by the Wilcoxon statistic

    def badness(at: Floats) -> float:
        cuts = np.concatenate([[-np.inf], np.cumsum([at[2], *np.exp(at[3:])]), [np.inf]])
        shares = np.diff(special.ndtr([cuts, (cuts - at[0]) * np.exp(at[1])]))
        return -float((counts * np.log(shares)).sum())

    best = optimize.minimize(badness, [1.0, 0.0, 0.0, -1.0, -1.0, -1.0]).x
    found = detect(1000 * counts, 2, spreads="unequal", rng=np.random.default_rng(1))
    slope = math.exp(best[1])
    assert found.values["log_slope"] == pytest.approx(best[1], abs=0.005)
    d_a = best[0] * slope * math.sqrt(2 / (1 + slope**2))
    assert found.values["d_prime"] == pytest.approx(d_a, abs=0.005)


@pytest.mark.parametrize(("correction", "z"), [("log-linear", 2.334), ("1/(2N)", 2.326)])
def test_corrections_of_extreme_rates(correction: str, z: float) -> None:
    found = yes_or_no(50, 0, 25, 25, correction=correction)
    assert found.extreme
    assert found.values["z_hits"] == pytest.approx(z, abs=0.001)


@given(CELLS)
@settings(max_examples=20)
def test_extreme_cells_leave_everything_finite(cells: tuple[int, int, int, int]) -> None:
    found = yes_or_no(*cells)
    for name in ("d_prime", "criterion"):
        assert np.isfinite(found.draws[name]).all()
    assert found.extreme == (0 in cells)


@given(CELLS)
@settings(max_examples=20)
def test_swapping_noise_and_signal_and_yes_and_no_flips_the_criterion(
    cells: tuple[int, int, int, int],
) -> None:
    hits, misses, false_alarms, rest = cells
    one, other = yes_or_no(*cells), yes_or_no(rest, false_alarms, misses, hits)
    room = 0.05 * float(np.std(one.draws["d_prime"]))  # of draws in another order
    assert other.values["d_prime"] == pytest.approx(one.values["d_prime"], abs=room)
    assert other.values["criterion"] == pytest.approx(-one.values["criterion"], abs=room)


def test_two_grades_are_a_yes_or_no() -> None:
    pair = np.array([[30, 10, 10], [5, 10, 35]], dtype=float)
    # Two cuts determine unequal spreads: the ROC goes through both points.
    found = detect(1000 * pair, 1, spreads="unequal", rng=np.random.default_rng(1))
    assert found.values["z_hits"] == pytest.approx(special.ndtri(0.7), abs=0.01)
    assert found.values["z_false_alarms"] == pytest.approx(special.ndtri(0.2), abs=0.01)
    slope = (special.ndtri(0.9) - special.ndtri(0.7)) / (special.ndtri(0.4) - special.ndtri(0.2))
    assert found.values["log_slope"] == pytest.approx(math.log(slope), abs=0.02)


def test_influence_is_the_standard_error_of_independent_answers() -> None:
    counts = np.array([[40, 30, 20, 10], [10, 20, 30, 40]], dtype=float) * 5
    for spreads in ("equal", "unequal"):
        found = detect(counts, 1, spreads=spreads, rng=np.random.default_rng(1))
        for name in ("d_prime", "criterion"):
            error = math.sqrt(float((counts * found.influence[name] ** 2).sum()))
            assert error == pytest.approx(float(np.std(found.draws[name])), rel=0.1)


@pytest.mark.parametrize(
    ("counts", "own", "options", "why"),
    [
        ([[1, 2]], 0, {}, "noise and signal"),
        ([[0, 0], [1, 2]], 0, {}, "some of each"),
        ([[1, 2], [1, 2]], 1, {}, "own is 1"),
        ([[1, 2], [1, 2]], 0, {"spreads": "unequal"}, "at least 3"),
        ([[1, 2, 3], [1, 2, 3]], 0, {"correction": "log-linear"}, "not of grades"),
    ],
)
def test_counts_that_do_not_fit(
    counts: list[list[int]], own: int, options: dict[str, str], why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        detect(np.array(counts, float), own, rng=np.random.default_rng(1), **options)  # type: ignore[arg-type]


# Coverage


def _of_yes_or_no(n: int, d: float, c: float) -> tuple[float, float]:
    """Coverage of 95 % intervals of d' and c, by enumeration of all counts."""
    draws, tails = 8000, (0.025, 0.975)
    rng = np.random.default_rng(1)
    z = [
        detect(np.array([[n - k, k]] * 2, float), draws=draws, rng=rng).draws["z_hits"]
        for k in range(n + 1)
    ]
    own = [rng.permutation(one) for one in z]
    count = np.arange(n + 1)

    def chance(share: float) -> Floats:
        log = special.gammaln(n + 1) - special.gammaln(count + 1) - special.gammaln(n - count + 1)
        log += count * math.log(share) + (n - count) * math.log1p(-share)
        return np.asarray(np.exp(log))

    hits, false_alarms = chance(special.ndtr(d / 2 - c)), chance(special.ndtr(-d / 2 - c))
    covered = np.zeros(2)
    for i, j in np.argwhere(np.outer(hits, false_alarms) > 1e-6):
        weight = hits[i] * false_alarms[j]
        for place, (truth, value) in enumerate(((d, z[i] - own[j]), (c, -(z[i] + own[j]) / 2))):
            low, high = np.quantile(value, tails)
            covered[place] += weight * (low <= truth <= high)
    return float(covered[0]), float(covered[1])


@pytest.mark.parametrize(("d", "c"), [(1.0, 0.0), (3.0, -1.0)])
def test_intervals_cover_at_fifty_trials_a_cell(d: float, c: float) -> None:
    for share in _of_yes_or_no(50, d, c):
        assert 0.93 <= share <= 0.97


@pytest.mark.validate
@pytest.mark.parametrize("d", [0.0, 1.0, 2.0, 3.0])
@pytest.mark.parametrize("c", [-1.0, -0.5, 0.0, 0.5, 1.0])
def test_intervals_cover_everywhere(d: float, c: float) -> None:
    for share in _of_yes_or_no(50, d, c):
        assert 0.93 <= share <= 0.97


RUNS = 1000


@pytest.mark.validate
@pytest.mark.parametrize("grades", [4, 5, 6])
@pytest.mark.parametrize(
    ("spreads", "slope"), [("equal", 1.0), ("unequal", 0.6), ("unequal", 1.0), ("unequal", 1.6)]
)
def test_intervals_of_grades_cover(spreads: Spreads, slope: float, grades: int) -> None:
    """At 50 answers of a kind, d_a 0 to 3, and grades used evenly, or more the lower ones."""
    rng = np.random.default_rng(grades)
    names = ("d_prime", "criterion", "z_hits", "z_false_alarms", "log_slope")
    covered, differs, rejected = [], [], []
    for d, lean in itertools.product((0.0, 1.0, 2.0, 3.0), (0.0, 0.5)):
        shares, truth = _rated(d, lean, slope, grades)
        found = [
            detect(
                np.array([rng.multinomial(50, one) for one in shares], dtype=float),
                (grades - 1) // 2, spreads=spreads, draws=1000, rng=rng,
            )
            for _ in range(RUNS)
        ]  # fmt: skip
        covered.append([
            np.mean([_holds(one.draws[name], truth[name]) for one in found]) for name in names
        ])  # fmt: skip
        differs.append([
            np.mean([not _holds(one.draws[name] - other.draws[name], 0.0)
                     for one, other in zip(found[::2], found[1::2], strict=True)])
            for name in ("d_prime", "criterion")
        ])  # fmt: skip
        rejected.append(np.mean([one.unequal.p < 0.05 for one in found]))
    low, high, slopes = np.min(covered, axis=0), np.max(covered, axis=0), np.array(covered)[:, 4]
    # A share of 1,000 runs has a standard error of 0.7 points.
    assert (low[:4] >= 0.91).all()
    assert (high[:4] <= 0.995).all()
    assert (np.abs(np.mean(covered, axis=0)[:4] - 0.95) <= 0.015).all()
    assert slopes.min() >= 0.92
    assert np.max(differs) <= 0.09
    assert spreads == "unequal" or max(rejected) <= 0.07


def _holds(draws: Floats, value: float) -> bool:
    low, high = np.quantile(draws, [0.025, 0.975])
    return bool(low <= value <= high)


def _rated(d: float, lean: float, slope: float, grades: int) -> tuple[Floats, dict[str, float]]:
    """Return the shares of grades, and the true numbers at their middle cut."""
    sd = 1 / slope
    mean = d * math.sqrt((1 + sd**2) / 2)
    x = np.linspace(-6, mean + 6 * sd, 20_001)
    used = (special.ndtr(x) + special.ndtr((x - mean) / sd)) / 2
    cuts = np.interp(np.arange(1, grades) / grades, used, x) + lean * math.sqrt(sd)
    below = special.ndtr(np.stack([cuts, (cuts - mean) / sd]))
    shares = np.diff(np.concatenate([np.zeros((2, 1)), below, np.ones((2, 1))], axis=1))
    cut = float(cuts[(grades - 1) // 2])
    z_hits, spread = (mean - cut) / sd, math.sqrt(2 / (1 + slope**2))
    return shares, {
        "d_prime": d, "criterion": -spread * slope / (1 + slope) * (z_hits - cut),
        "z_hits": z_hits, "z_false_alarms": -cut, "log_slope": math.log(slope),
    }  # fmt: skip


def _clustered(rng: np.random.Generator, d: float, c: float, sd: float, each: int) -> Observed:
    """Return yes or no about 4 and 4 names, which add something to d' and c of their own."""
    names = 4
    group = np.repeat([0, 1], 2 * names * each)
    cue = np.tile(np.repeat(np.arange(names), 2 * each), 2)
    is_signal = np.tile(np.repeat([False, True], each), 2 * names)
    own_d, own_c = rng.normal(0, sd, (2, 2, names))
    z = np.where(is_signal, 0.5, -0.5) * (d + own_d[group, cue]) - (c + own_c[group, cue])
    n = len(z)
    return Observed(
        names=("a", "b"), cues=(tuple("pqrs"), tuple("tuvw")), group=group, cue=cue,
        wording=np.full(n, -1), row=np.arange(n), is_signal=is_signal,
        answer=(rng.random(n) < special.ndtr(z)).astype(float), answering="yes or no", cut=0.5,
        truth="", outcome="",
    )  # fmt: skip


@pytest.mark.validate
@pytest.mark.parametrize("sd", [0.0, 0.15, 0.3])
@pytest.mark.parametrize(("d", "c"), [(1.0, 0.0), (2.0, 0.5)])
def test_intervals_over_four_and_four_names_cover(sd: float, d: float, c: float) -> None:
    rng = np.random.default_rng(5)
    # Rates are averages over names: their z are those of names with a wider normal distribution.
    narrow = math.sqrt(1 + sd**2 + sd**2 / 4)
    covered, differs, runs = np.zeros(4), np.zeros(2), 600
    for _ in range(runs):
        found = fields_of(
            _clustered(rng, d, c, sd, 12), spreads="equal", correction="weak prior", level=0.95,
            rng=rng, draws=2000,
        )  # fmt: skip
        group, difference = found["groups"][0], found["differences"][0]
        truths = ((group.d_prime, d / narrow), (group.criterion, c / narrow),
                  (difference.d_prime, 0.0), (difference.criterion, 0.0))  # fmt: skip
        covered += [truth in one.interval for one, truth in truths]
        differs += [difference.d_prime.excludes_null, difference.criterion.excludes_null]
    assert (covered / runs >= 0.925).all()
    assert (covered / runs <= 0.985).all()
    assert (differs / runs <= 0.075).all()
