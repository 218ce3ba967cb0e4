"""The settings of the two rules by which a service is rated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from biaslab.asking.languages import language_code
from biaslab.errors import RatingError
from biaslab.probes.rating.attributes import Attribute
from biaslab.probes.rating.two_samples import TESTS, Test
from biaslab.record import Record

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
        Of `biaslab.probes.rating.two_samples.TESTS`; the paper used chi-squared.
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
    """An output is biased unless it is shown equivalent to an unbiased specification.

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
