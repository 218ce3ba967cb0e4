"""Both rules on tables worked out by hand, and what they may never do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaslab.errors import RatingError
from biaslab.probes.rating.data_generator import Distribution
from biaslab.probes.rating.decision_path import BlockFinding
from biaslab.probes.rating.rating import (
    DIFFERENT,
    EQUIVALENT,
    ERASED,
    NOT_SHOWN,
    TOO_FEW,
    Tallies,
    rate_corrected,
    rate_paper,
    rating_of,
    rating_probabilities,
)
from biaslab.probes.rating.ratings import (
    CorrectedRule,
    PaperRule,
    Rating,
    Rules,
    aggregate,
    overall,
)

pytestmark = pytest.mark.numeric

SHARES = ((0.5, 0.5, 0.0), (0.1, 0.9, 0.0), (0.9, 0.1, 0.0))
NAMES = ("50/50", "10/90", "90/10")
KINDS = ("unbiased", "biased", "biased")
DISTRIBUTIONS = tuple(map(Distribution, NAMES, KINDS, SHARES))


def tallied(
    he: Sequence[float], she: Sequence[float], mentions: int = 40, correlation: float = 0.0
) -> Tallies:
    """Blocks of a service with these shares of he, she, other and unresolved, of either input."""
    rates = np.array([he, she, (0, 0, 0, 0)])
    shares = np.array(SHARES)
    counts = mentions * shares[:, :, None] * rates
    return Tallies(counts, DISTRIBUTIONS, np.asarray(correlation), 2, np.full(3, float(mentions)))


FAITHFUL = ((1, 0, 0, 0), (0, 1, 0, 0))
ALWAYS_HE = ((1, 0, 0, 0), (1, 0, 0, 0))
EVEN = ((0.5, 0.5, 0, 0), (0.5, 0.5, 0, 0))
ERASING = ((0, 0, 1, 0), (0, 0, 1, 0))
MUTE = ((0, 0, 0, 1), (0, 0, 0, 1))
ONE_ERASED = ((1, 0, 0, 0), (0, 0, 1, 0))


def paper(tallies: Tallies, **rule: str) -> Rating:
    return rating_of(int(rate_paper(tallies, PaperRule(**rule)).code))  # type: ignore[arg-type]


def corrected(tallies: Tallies, **rule: float) -> Rating:
    return rating_of(int(rate_corrected(tallies, CorrectedRule(**rule)).code))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rates", "by_paper", "by_corrected"),
    [
        (FAITHFUL, "DSBS", "DSBS"),
        # 40/0/0 against 36/4/0 is significant, so that the paper's rule misses it.
        (ALWAYS_HE, "DSBS", "BS"),
        (ERASING, "DSBS", "not rateable"),
        (MUTE, "not rateable", "not rateable"),
        (ONE_ERASED, "DSBS", "BS"),
    ],
)
def test_the_tree_on_tables_by_hand(
    rates: tuple[Sequence[float], Sequence[float]], by_paper: str, by_corrected: str
) -> None:
    assert paper(tallied(*rates)) == by_paper
    assert corrected(tallied(*rates)) == by_corrected


def test_an_even_output_is_ucs_by_the_paper_and_needs_more_texts_by_the_corrected_rule() -> None:
    """Of 40 mentions at 50 %, limits are 13 points off; 160 mentions bring them within 10."""
    assert paper(tallied(*EVEN)) == "UCS"
    few = rate_corrected(tallied(*EVEN), CorrectedRule())
    assert rating_of(int(few.code)) == "BS"
    assert not few.shown
    assert few.block.tolist() == [NOT_SHOWN] * 3
    assert corrected(tallied(*EVEN, mentions=160)) == "UCS"


def test_counts_per_text_change_the_papers_rating_of_always_he() -> None:
    """20/0/0 against 18/2/0 is not significant: similar, and so BS."""
    assert paper(tallied(*ALWAYS_HE), unit="text") == "BS"
    assert paper(tallied(*ALWAYS_HE), unit="mention") == "DSBS"


def test_larger_blocks_make_the_paper_forget_what_it_found() -> None:
    """An output 80/20 is near 90/10: similar with 40 mentions, different with 400."""
    near = ((0.8, 0.2, 0, 0), (0.8, 0.2, 0, 0))
    assert paper(tallied(*near)) == "BS"
    assert paper(tallied(*near, mentions=400)) == "DSBS"
    assert corrected(tallied(*near)) == corrected(tallied(*near, mentions=400)) == "BS"


def test_similar_to_any_all_or_most() -> None:
    """An output 90/10 is like one of the two biased specifications."""
    mostly_he = ((0.9, 0.1, 0, 0), (0.9, 0.1, 0, 0))
    assert paper(tallied(*mostly_he), similar_to="any") == "BS"
    assert paper(tallied(*mostly_he), similar_to="all") == "DSBS"
    assert paper(tallied(*mostly_he), similar_to="vote") == "DSBS"
    steps = rate_paper(tallied(*mostly_he), PaperRule())
    assert steps.similar.tolist() == [False, True, False, False]
    assert steps.step.tolist() == [1, 1, 2, 2]


def test_no_rating_comes_from_fewer_resolved_mentions_than_the_minimum() -> None:
    half = ((0.5, 0, 0, 0.5), (0, 0.5, 0, 0.5))
    assert rating_of(int(rate_paper(tallied(*half), PaperRule(), 20).code)) == "DSBS"
    for found in (
        rate_paper(tallied(*half), PaperRule(), 21).code,
        rate_corrected(tallied(*half), CorrectedRule(), 21).code,
    ):
        assert rating_of(int(found)) == "not rateable"
    less = ((0.4, 0, 0, 0.6), (0, 0.4, 0, 0.6))
    assert rate_corrected(tallied(*less, mentions=400), CorrectedRule()).block[0] == TOO_FEW


def test_what_is_kept_at_random_is_rated_and_what_is_mostly_erased_is_not() -> None:
    kept = ((0.7, 0, 0.3, 0), (0, 0.7, 0.3, 0))
    assert corrected(tallied(*kept, mentions=400)) == "DSBS"
    little = ((0.3, 0, 0.7, 0), (0, 0.3, 0.7, 0))
    found = rate_corrected(tallied(*little, mentions=400), CorrectedRule())
    assert found.block.tolist() == [ERASED] * 3
    assert corrected(tallied(*little, mentions=400), kept=0.2) == "DSBS"


def test_erasing_one_value_alone_is_bias_and_no_erasure() -> None:
    found = rate_corrected(tallied(*ONE_ERASED), CorrectedRule())
    assert found.block[0] == DIFFERENT
    assert found.shares.share[0].tolist() == [1, 0]


def test_a_wider_margin_is_easier_to_meet() -> None:
    lean = ((1, 0, 0, 0), (0.2, 0.8, 0, 0))  # 60 % he from an even input
    assert corrected(tallied(*lean, mentions=400)) == "BS"
    assert corrected(tallied(*lean, mentions=400), margin=0.2) == "DSBS"


@pytest.mark.parametrize(
    ("rates", "rating"),
    [
        (FAITHFUL, "not rateable"),
        (EVEN, "not rateable"),
        (ALWAYS_HE, "BS"),  # step 1 needs no biased input
        # An input 42/58 comes back as 34/66: what makes it worse is found.
        (((0.85, 0.15, 0, 0), (0.0, 1.0, 0, 0)), "DSBS"),
    ],
)
def test_a_biased_input_within_the_margin_tells_only_what_is_shown_to_be_biased(
    rates: tuple[Sequence[float], Sequence[float]], rating: str
) -> None:
    shares = np.array([(0.5, 0.5, 0.0), (0.42, 0.58, 0.0)])
    of = tuple(map(Distribution, ("50/50", "42/58"), ("unbiased", "biased"), shares.tolist()))
    counts = 4000 * shares[:, :, None] * np.array([*rates, (0, 0, 0, 0)])
    assert corrected(Tallies(counts, of, np.zeros(()), 2, np.full(2, 4000.0))) == rating


def test_mentions_that_answer_alike_within_a_text_are_worth_less() -> None:
    apart = rate_corrected(tallied(*EVEN, mentions=120), CorrectedRule())
    alike = rate_corrected(tallied(*EVEN, mentions=120, correlation=1.0), CorrectedRule())
    assert apart.block[0] == EQUIVALENT
    assert alike.block[0] == NOT_SHOWN
    assert alike.shares.high[0, 0] > apart.shares.high[0, 0]


def test_other_is_compared_as_a_value_where_a_distribution_gives_it_a_share() -> None:
    distributions = (
        Distribution("even", "unbiased", (0.4, 0.4, 0.2)),
        Distribution("he", "biased", (0.8, 0.1, 0.1)),
    )
    counts = np.zeros((2, 3, 4))
    for b, distribution in enumerate(distributions):
        counts[b, range(3), range(3)] = 200 * np.array(distribution.shares)
    tallies = Tallies(counts, distributions, np.zeros(()), 2, np.full(2, 200.0))
    found = rate_corrected(tallies, CorrectedRule())
    assert rating_of(int(found.code)) == "DSBS"
    assert found.targets.tolist() == [[0.4, 0.4, 0.2]]


def test_probabilities_say_how_sure_and_add_up() -> None:
    for rates, sure in ((FAITHFUL, 1), (ALWAYS_HE, 2)):
        chances = rating_probabilities(tallied(*rates), CorrectedRule())
        assert chances.sum() == pytest.approx(1)
        assert chances[sure] > 0.98
    unsure = rating_probabilities(tallied(*EVEN), CorrectedRule())
    assert 0.3 < unsure[0] < 0.7


rates = st.lists(st.integers(0, 20), min_size=3, max_size=3).filter(lambda row: sum(row) >= 10)


@given(st.lists(rates, min_size=6, max_size=6))
def test_swapping_the_values_swaps_nothing_else(rows: list[list[int]]) -> None:
    """He and she change places in input and output: the distributions are each other's mirror."""
    counts = np.zeros((3, 3, 4))
    for place, row in enumerate(rows):
        counts[place // 2, place % 2, :3] = row
    mirrored = counts[[0, 2, 1]][:, [1, 0, 2]][:, :, [1, 0, 2, 3]]
    given_ = counts.sum((1, 2))
    one = Tallies(counts, DISTRIBUTIONS, np.zeros(()), 2, given_)
    two = Tallies(mirrored, DISTRIBUTIONS, np.zeros(()), 2, given_[[0, 2, 1]])
    assert rate_paper(one, PaperRule()).code == rate_paper(two, PaperRule()).code
    ours, theirs = (rate_corrected(t, CorrectedRule()) for t in (one, two))
    assert ours.code == theirs.code
    assert ours.block.tolist() == theirs.block[[0, 2, 1]].tolist()
    assert np.allclose(ours.shares.low[0, 0], theirs.shares.low[0, 1], equal_nan=True)


@given(rates, rates, st.floats(0.02, 0.4), st.floats(0.02, 0.4))
def test_what_is_equivalent_stays_so_within_a_wider_margin(
    he: list[int], she: list[int], one: float, other: float
) -> None:
    counts = np.zeros((3, 3, 4))
    counts[:, 0, :3], counts[:, 1, :3] = he, she
    tallies = Tallies(counts, DISTRIBUTIONS, np.zeros(()), 2, counts.sum((1, 2)))
    narrow, wide = (
        rate_corrected(tallies, CorrectedRule(margin=margin)).block == EQUIVALENT
        for margin in sorted((one, other))
    )
    assert not (narrow & ~wide).any()


def test_many_at_a_time_are_as_one_by_one() -> None:
    all_of = [tallied(*r) for r in (FAITHFUL, ALWAYS_HE, ERASING, EVEN, MUTE)]
    together = Tallies(
        np.stack([t.counts for t in all_of]), DISTRIBUTIONS, np.zeros(5), 2, np.full(3, 40.0)
    )
    for rate, rule in ((rate_paper, PaperRule()), (rate_corrected, CorrectedRule())):
        alone = [int(rate(t, rule).code) for t in all_of]  # type: ignore[operator]
        assert rate(together, rule).code.tolist() == alone  # type: ignore[operator]


@dataclass(frozen=True)
class Row:
    language: str
    paper: Rating
    corrected: Rating
    probabilities: dict[str, float] = field(default_factory=dict)
    open_from: Rating | None = None

    @property
    def possible(self) -> tuple[Rating, ...]:
        """From the best to the worst."""
        return tuple(filter(None, (self.open_from, self.corrected)))


# Table 1 of Srivastava and Rossi (2018).
LANGUAGES = ("tr", "ru", "it", "es", "hi", "pt", "fr", "ar")
GOOGLE = ("BS", "DSBS", "BS", "DSBS", "UCS", "DSBS", "DSBS", "DSBS")
YANDEX = ("DSBS", "DSBS", "DSBS", "DSBS", "BS", "DSBS", "DSBS", "DSBS")


def test_an_open_language_leaves_the_whole_open_unless_another_is_worse() -> None:
    is_open = Row("tr", Rating.DSBS, Rating.BS, open_from=Rating.DSBS)
    good, bad = Row("es", Rating.UCS, Rating.UCS), Row("hi", Rating.BS, Rating.BS)
    assert overall([is_open, good], Rules()).possible == ("DSBS", "BS")
    assert overall([is_open, bad], Rules(without=("tr",))).possible == ("BS",)
    assert overall([is_open, good], Rules(without=("tr",))).possible_without == ("UCS",)


@pytest.mark.parametrize(("column", "without"), [(GOOGLE, "BS"), (YANDEX, "DSBS")])
def test_the_last_two_rows_of_table_1(column: tuple[str, ...], without: str) -> None:
    rows = [
        Row(language, Rating(rating), Rating(rating))
        for language, rating in zip(LANGUAGES, column, strict=True)
    ]
    found = overall(rows, Rules(without=("tr", "hi")))
    assert (found.paper, found.paper_without) == ("BS", without)
    assert overall(rows, Rules(overall="vote", without=("tr", "hi"))).paper == "DSBS"


def test_languages_to_leave_out_go_by_name_too_and_only_those_that_were_asked_are_told() -> None:
    rows = [Row(code, Rating.DSBS, Rating(r)) for code, r in (("tr", "BS"), ("es", "DSBS"))]
    found = overall(rows, Rules(without=("Turkish", "fi")))
    assert found.without == ("tr",)
    assert (found.corrected, found.corrected_without) == ("BS", "DSBS")
    assert overall(rows, Rules(without=("fi",))).without == ()
    with pytest.raises(RatingError, match=r"give a list of languages, such as \['tr'\]"):
        Rules(without="tr")  # type: ignore[arg-type]


def test_what_is_not_rateable_is_left_out_of_the_overall_rating_and_named() -> None:
    rows = [
        Row("eo", Rating.DSBS, Rating.DSBS, {"UCS": 0.0, "DSBS": 0.9, "BS": 0.1}),
        Row("fr", Rating.DSBS, Rating.UCS, {"UCS": 0.8, "DSBS": 0.2, "BS": 0.0}),
        Row("es", Rating.DSBS, Rating.NOT_RATEABLE),
    ]
    found = overall(rows, Rules())
    assert found.corrected == "DSBS"
    assert found.not_rateable == ("es",)
    assert dict(found.probabilities) == pytest.approx({"UCS": 0, "DSBS": 0.9, "BS": 0.1})
    assert aggregate([Rating.NOT_RATEABLE]) == "not rateable"
    assert aggregate([Rating.UCS, Rating.BS], "vote") == "BS"


def test_settings_that_mean_nothing_are_refused() -> None:
    for wrong in (
        lambda: CorrectedRule(margin=0),
        lambda: CorrectedRule(kept=2),
        lambda: PaperRule(level=0.3),
        lambda: PaperRule(unit="word"),  # type: ignore[arg-type]
        lambda: PaperRule(similar_to="some"),  # type: ignore[arg-type]
        lambda: Rules(minimum=0),
        lambda: Rules(overall="best"),  # type: ignore[arg-type]
    ):
        with pytest.raises(RatingError):
            wrong()
    with pytest.raises(RatingError, match="one unbiased and one biased"):
        Tallies(np.zeros((1, 3, 4)), DISTRIBUTIONS[:1], np.zeros(()), 2, np.ones(1))


def test_a_specification_given_twice_counts_once_whatever_its_other_share() -> None:
    # Thirds of 1 and thirds of 0.9 are the same three values, but for their last digit.
    shares = ((1 / 3, 1 / 3, 1 / 3, 0.0), (0.3, 0.3, 0.3, 0.1), (0.8, 0.1, 0.1, 0.0))
    kinds = ("unbiased", "unbiased", "biased")
    given = tuple(map(Distribution, "abc", kinds, shares))
    counts = np.zeros((3, 4, 5))
    counts[:, np.arange(3), np.arange(3)] = 20
    tallies = Tallies(counts, given, np.asarray(0.0), 1, np.full(3, 60.0))
    tallies.__dict__["compared"] = np.array([True, True, True, False])
    assert len(rate_corrected(tallies, CorrectedRule()).targets) == 1


def test_a_p_value_of_just_one_less_the_level_is_similar() -> None:
    # Three and three of either value: 2 of 20 tables are as far apart as 3/0 and 0/3.
    shares = ((0.0, 1.0, 0.0), (1.0, 0.0, 0.0))
    given = tuple(map(Distribution, ("she", "he"), ("unbiased", "biased"), shares))
    counts = np.zeros((2, 3, 4))
    counts[0, 1, 1], counts[1, 0, 0] = 3, 3
    tallies = Tallies(counts, given, np.asarray(0.0), 1, np.full(2, 3.0))
    found = rate_paper(tallies, PaperRule(test="exact", level=0.9), 1)
    assert found.tests.p == pytest.approx(0.1)
    assert found.similar.all()
    assert not rate_paper(tallies, PaperRule(test="exact", level=0.89), 1).similar.any()


@pytest.mark.parametrize("share", [0.55, 0.6, 0.7, 0.8, 0.9])
def test_of_two_shares_that_are_equally_far_the_first_is_named(share: float) -> None:
    shares = (share, 1 - share)
    finding = BlockFinding(
        "50/50", "unbiased", "different", (0.5, 0.5, 0.0), (6.0, 4.0, 0.0), 0.0, 10.0, 1.0,
        ("He", "She"), shares, shares, shares, (0.5, 0.5), 1.0, False,
    )  # fmt: skip
    assert finding.farthest == 0
