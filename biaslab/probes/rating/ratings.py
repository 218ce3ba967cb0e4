"""Ratings, the settings of the rules that give them, and their aggregation over languages.

Srivastava and Rossi (2018), Table 1 and section 4.4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal, Protocol

from biaslab.asking.languages import language_code
from biaslab.errors import RatingError
from biaslab.probes.rating.attributes import Attribute
from biaslab.probes.rating.output_statistics import TESTS, Test
from biaslab.records.record import Record


class Rating(StrEnum):
    """How a service treats a distribution; each equals its short name.

    Srivastava and Rossi (2018), section 3.1.
    """

    UCS = "UCS"
    DSBS = "DSBS"
    BS = "BS"
    NOT_RATEABLE = "not rateable"

    @property
    def full_name(self) -> str:
        """The name in full."""
        return _TITLES[self]

    @property
    def meaning(self) -> str:
        """Meaning of the rating for the service, in a few words."""
        return _MEANINGS[self]


_TITLES = {
    Rating.UCS: "unbiased compensated system",
    Rating.DSBS: "data-sensitive biased system",
    Rating.BS: "biased system",
    Rating.NOT_RATEABLE: "not rateable",
}
_MEANINGS = {
    Rating.UCS: "its output is unbiased whatever the input",
    Rating.DSBS: "it follows the input: unbiased stays unbiased, biased stays biased",
    Rating.BS: "its output is biased although the input is not",
    Rating.NOT_RATEABLE: "its output does not carry the attribute, or too little of it was read",
}

#: From the best to the worst (the paper, section 4.4), without not rateable.
ORDER = (Rating.UCS, Rating.DSBS, Rating.BS)


def worst(ratings: list[Rating]) -> Rating:
    """Return the worst rating; not rateable if there is none."""
    rated = [rating for rating in ratings if rating in ORDER]
    return max(rated, key=ORDER.index) if rated else Rating.NOT_RATEABLE


def voted(ratings: list[Rating]) -> Rating:
    """Return the most frequent rating, and the worse one of a tie."""
    rated = [rating for rating in ratings if rating in ORDER]
    if not rated:
        return Rating.NOT_RATEABLE
    return max(ORDER, key=lambda rating: (rated.count(rating), ORDER.index(rating)))


OPEN = "open"
"""In place of a rating where neither bias nor its absence was shown."""


def stamp(possible: Sequence[Rating]) -> str:
    """Return the text that stands for a rating: its short name, or which are open.

    >>> stamp([Rating.DSBS, Rating.BS])
    'open (DSBS or BS)'
    """
    if len(possible) == 1:
        return str(possible[0])
    return f"{OPEN} ({', '.join(possible[:-1])} or {possible[-1]})"


Unit = Literal["mention", "text"]
SimilarTo = Literal["any", "all", "vote"]
Overall = Literal["worst", "vote"]


def _check_level(level: float) -> None:
    if not 0.5 < level < 1:
        raise RatingError(f"level={level}: choose one above 0.5 and below 1, such as 0.95.")


def _check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise RatingError(f"{name}={value!r}: choose one of {', '.join(map(repr, choices))}.")


@dataclass(frozen=True)
class PaperRule(Record):
    """The rule of Srivastava and Rossi (2018).

    Outputs that are not significantly different are called similar.

    Attributes
    ----------
    test : str
        Of `biaslab.probes.rating.output_statistics.TESTS`; the paper used chi-squared.
    level : float
        Two samples are similar if p is at least 1 - level.
    unit : {"mention", "text"}
        Unit of counts: a block of 20 texts with two mentions each is 40 mentions, or 20 texts
        with the shares of the mentions. The paper says block size; the rating changes with it.
    similar_to : {"any", "all", "vote"}
        How many of a step's comparisons make the step similar: one (the paper's worst case), each,
        or more than half.
    """

    test: Test = "chi-squared"
    level: float = 0.95
    unit: Unit = "mention"
    similar_to: SimilarTo = "any"

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_level(self.level)
        _check_choice("test", self.test, TESTS)
        _check_choice("unit", self.unit, ("mention", "text"))
        _check_choice("similar_to", self.similar_to, ("any", "all", "vote"))


@dataclass(frozen=True)
class CorrectedRule(Record):
    """An output is unbiased if it is shown equivalent to an unbiased specification.

    Biased is what is shown to be different; where neither is shown, the rating is open.

    Attributes
    ----------
    margin : float
        Equivalent: the share of every value is nearer to the specified one than this.
    level : float
        Of each of the two one-sided tests; intervals shown have the level ``2 level - 1``.
    kept : float
        The attribute is erased if less than this share of every named value is returned as a
        named value.
    draws : int
        From the posterior, for the probabilities of the ratings.
    """

    margin: float = 0.1
    level: float = 0.95
    kept: float = 0.5
    draws: int = 2000

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_level(self.level)
        if not 0 < self.margin < 1:
            raise RatingError(
                f"margin={self.margin}: choose a share above 0 and below 1, such as 0.1."
            )
        if not 0 < self.kept <= 1:
            raise RatingError(f"kept={self.kept}: choose a share above 0, at most 1.")
        if self.draws < 1:
            raise RatingError("draws: at least one.")


@dataclass(frozen=True)
class Rules(Record):
    """Rules of rating: both rules, and their common settings.

    Attributes
    ----------
    paper : PaperRule
        The rule of Srivastava and Rossi (2018).
    corrected : CorrectedRule
        The default.
    minimum : int
        No rating comes from a block with fewer resolved mentions, nor from one of which less than
        half were resolved.
    overall : {"worst", "vote"}
        How the ratings of several languages make one.
    without : tuple of str
        Languages, by code or English name, that the second overall rating leaves out (the last row
        of the paper's Table 1).
    """

    paper: PaperRule = PaperRule()
    corrected: CorrectedRule = CorrectedRule()
    minimum: int = 20
    overall: Overall = "worst"
    without: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.minimum < 1:
            raise RatingError("minimum: use at least one resolved mention.")
        _check_choice("overall", self.overall, ("worst", "vote"))
        excluded: Any = self.without
        if isinstance(excluded, str):
            raise RatingError(
                f"without={excluded!r}: give a list of languages, such as [{excluded!r}]."
            )
        codes = tuple(dict.fromkeys(map(language_code, self.without)))
        object.__setattr__(self, "without", codes)

    def check(self, attribute: Attribute) -> None:
        """See that these rules make sense for an attribute.

        Raises
        ------
        RatingError
            If a test needs an order that the values do not have.
        """
        if self.paper.test == "Kolmogorov-Smirnov" and not attribute.ordered:
            raise RatingError(
                "The Kolmogorov-Smirnov test accumulates shares in the order of the values, but the"
                f" values of {attribute.name} have no order. Choose chi-squared, G or exact, or"
                " make an attribute with ordered=True."
            )


class Rated(Protocol):
    """Interface of a language's ratings."""

    @property
    def language(self) -> str:
        """Code of the language."""

    @property
    def paper(self) -> Rating:
        """By the paper's rule."""

    @property
    def corrected(self) -> Rating:
        """By the corrected rule."""

    @property
    def possible(self) -> tuple[Rating, ...]:
        """Ratings that the corrected rule leaves possible, from the best."""

    @property
    def probabilities(self) -> Mapping[str, float]:
        """P(UCS), P(DSBS), P(BS), or empty."""


@dataclass(frozen=True)
class OverallRating(Record):
    """Ratings over all languages; languages without a rating are left out.

    Attributes
    ----------
    by : {"worst", "vote"}
        The worst of them, or the most frequent (the worse of two that are equally frequent).
    paper, corrected : Rating
        By the two rules; `corrected` is the worst of the possible ones.
    without : tuple of str
        Languages of the design that the next two leave out.
    paper_without, corrected_without : Rating
        The same without those.
    not_rateable : tuple of str
        Languages through which the corrected rule cannot rate.
    probabilities : mapping of str to float
        Of the worst over the rateable languages, which are independent given the counts; empty
        under ``vote``, or if nothing is rateable.
    possible, possible_without : tuple of Rating
        Ratings that the corrected rule leaves possible, from the best; several are an open rating.
    """

    by: Overall
    paper: Rating
    corrected: Rating
    without: tuple[str, ...]
    paper_without: Rating
    corrected_without: Rating
    not_rateable: tuple[str, ...]
    probabilities: Mapping[str, float]
    possible: tuple[Rating, ...]
    possible_without: tuple[Rating, ...]


def aggregate(ratings: Sequence[Rating], by: Overall = "worst") -> Rating:
    """Make one rating of several, by the worst case or by vote.

    >>> aggregate([Rating.DSBS, Rating.UCS, Rating.BS])
    <Rating.BS: 'BS'>
    """
    return worst(list(ratings)) if by == "worst" else voted(list(ratings))


def overall(ratings: Sequence[Rated], rules: Rules) -> OverallRating:
    """Return the overall rating by both rules, with and without exclusions."""
    left = [rating for rating in ratings if rating.language not in rules.without]
    without = tuple(rating.language for rating in ratings if rating.language in rules.without)
    return OverallRating(
        rules.overall,
        aggregate([r.paper for r in ratings], rules.overall),
        aggregate([r.corrected for r in ratings], rules.overall),
        without,
        aggregate([r.paper for r in left], rules.overall),
        aggregate([r.corrected for r in left], rules.overall),
        tuple(r.language for r in ratings if r.corrected not in ORDER),
        _of_the_worst([r.probabilities for r in ratings if r.probabilities], rules.overall),
        _possible(ratings, rules.overall),
        _possible(left, rules.overall),
    )


def _possible(ratings: Sequence[Rated], by: Overall) -> tuple[Rating, ...]:
    """Return the overall ratings from all languages at their best to all at their worst."""
    each = [[one for one in rating.possible if one in ORDER] for rating in ratings]
    each = [possible for possible in each if possible]
    if not each:
        return (Rating.NOT_RATEABLE,)
    best, worst_of = (aggregate([one[end] for one in each], by) for end in (0, -1))
    between = ORDER[ORDER.index(best) : ORDER.index(worst_of) + 1]
    return tuple(one for one in between if any(one in possible for possible in each))


def _of_the_worst(chances: Sequence[Mapping[str, float]], by: Overall) -> dict[str, float]:
    if by != "worst" or not chances:
        return {}
    no_bs = all_ucs = 1.0
    for chance in chances:
        no_bs *= 1 - chance[str(Rating.BS)]
        all_ucs *= chance[str(Rating.UCS)]
    return {"UCS": all_ucs, "DSBS": max(no_bs - all_ucs, 0.0), "BS": 1 - no_bs}
