"""The rating of two services in a row from the ratings of both.

Srivastava and Rossi (2018), section 5 and Table 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from biaslab.errors import RatingError
from biaslab.probes.rating.ratings import ORDER, Rating
from biaslab.records.record import Record

if TYPE_CHECKING:
    from biaslab.probes.rating.result import RatingResult

CompositionRule = Literal["paper", "definition"]

_U, _D, _B = Rating.UCS, Rating.DSBS, Rating.BS

#: Table 2 of the paper: (first, second) to the composite; None requires a new test.
TABLE_2: dict[tuple[Rating, Rating], Rating | None] = {
    (_B, _B): None, (_B, _U): _U, (_B, _D): _B,
    (_U, _B): _B, (_U, _U): _U, (_U, _D): _D,
    (_D, _B): _B, (_D, _U): _U, (_D, _D): _D,
}  # fmt: skip

#: Composites by the definitions of section 3.1.
BY_DEFINITION: dict[tuple[Rating, Rating], Rating | None] = {**TABLE_2, (_U, _D): _U}

_REASONS = {
    (_B, _B): "two biased services may add up, or cancel each other: test the composite anew",
    (_B, _U): "the second makes up for the bias of the first",
    (_B, _D): "the second follows what the first has biased",
    (_U, _B): "the second is biased whatever it is given",
    (_U, _U): "the second makes up for any bias, and none is left by the first",
    (_U, _D): "the first leaves nothing biased for the second to follow",
    (_D, _B): "the second is biased even where the first follows an unbiased input",
    (_D, _U): "the second makes up for what the first follows",
    (_D, _D): "both follow the input",
}
_TABLE_SAYS = (
    "Table 2 of the paper says DSBS; by its definitions a service that compensates, followed by "
    "one that follows its input, gives an unbiased output for every input: UCS"
)


@dataclass(frozen=True)
class Composition(Record):
    """The predicted rating of two services in a row.

    Attributes
    ----------
    first, second : Rating
        Of the two services.
    rule : {"paper", "definition"}
        Table 2 as printed, or the consequence of the paper's definitions.
    rating : Rating or None
        Predicted; None if the composite requires a new test.
    differs : bool
        Whether the two rules differ here.
    reason : str
        Why, in plain words.
    """

    first: Rating
    second: Rating
    rule: CompositionRule
    rating: Rating | None
    differs: bool
    reason: str

    @property
    def must_be_tested(self) -> bool:
        """Whether the rules imply nothing, so that the composite has to be rated itself."""
        return self.rating is None

    def __str__(self) -> str:
        return "must be tested anew" if self.rating is None else str(self.rating)

    def __repr__(self) -> str:
        return f"<Composition: {self.first} then {self.second}, {self}. {self.reason}>"


@dataclass(frozen=True)
class Prediction(Record):
    """A prediction with the measured rating.

    Attributes
    ----------
    predicted : Composition
        From the parts.
    measured : Rating
        Of the composite itself.
    agrees : bool or None
        None without a prediction.
    """

    predicted: Composition
    measured: Rating
    agrees: bool | None


def compose(
    first: str | RatingResult, second: str | RatingResult, rule: CompositionRule = "paper"
) -> Composition:
    """Predict the rating of two services in a row.

    Parameters
    ----------
    first, second : str or RatingResult
        Ratings (``"UCS"``, ``"DSBS"``, ``"BS"``), or results: their overall corrected rating,
        unless it is open.
    rule : {"paper", "definition"}
        Table 2 of Srivastava and Rossi (2018), or the consequence of their definitions; the two
        differ for UCS * DSBS.

    Raises
    ------
    RatingError
        If one of them is no rating, or the rule is unknown.

    Examples
    --------
    >>> print(compose("DSBS", "UCS"))
    UCS
    >>> print(compose("BS", "BS"))
    must be tested anew
    """
    a, b = _rating(first), _rating(second)
    if rule not in ("paper", "definition"):
        raise RatingError(f"No rule {rule!r}: choose 'paper' or 'definition'.")
    if a not in ORDER or b not in ORDER:
        which = "first" if a not in ORDER else "second"
        reason = f"the {which} service has no clear rating, so nothing follows: test the composite"
        return Composition(a, b, rule, None, False, reason)
    table = TABLE_2 if rule == "paper" else BY_DEFINITION
    differs = TABLE_2[a, b] != BY_DEFINITION[a, b]
    reason = _TABLE_SAYS if differs and rule == "paper" else _REASONS[a, b]
    return Composition(a, b, rule, table[a, b], differs, reason)


def compose_chain(
    ratings: Sequence[str | RatingResult], rule: CompositionRule = "paper"
) -> Rating | None:
    """Predict the rating of two or more services in a row.

    Two biased services may have any rating together; the prediction goes on from each of them, so
    that a compensating service behind both still gives UCS.

    Parameters
    ----------
    ratings : sequence of str or RatingResult
        In the order of the calls, as of `compose`.
    rule : {"paper", "definition"}
        As of `compose`.

    Returns
    -------
    Rating or None
        None if several ratings are possible, or a service has no clear one.

    Raises
    ------
    RatingError
        If there are fewer than two, one of them is no rating, or the rule is unknown.

    Examples
    --------
    >>> print(compose_chain(["BS", "BS", "UCS"]))
    UCS
    """
    rated = [_rating(one) for one in ratings]
    if len(rated) < 2:
        raise RatingError("A chain has at least two services.")
    if not set(rated) <= set(ORDER):
        return None
    possible = {rated[0]}
    for following in rated[1:]:
        reached = {compose(one, following, rule).rating for one in possible}
        possible = {one for one in reached if one} if None not in reached else set(ORDER)
    return possible.pop() if len(possible) == 1 else None


def composition_table(rule: CompositionRule = "paper") -> tuple[Composition, ...]:
    """Return all nine compositions of UCS, DSBS and BS, row by row."""
    return tuple(compose(a, b, rule) for a in ORDER for b in ORDER)


def predicted_against_measured(
    first: str | RatingResult,
    second: str | RatingResult,
    measured: str | RatingResult,
    rule: CompositionRule = "paper",
) -> Prediction:
    """Compare the prediction for a composite with its measured rating."""
    predicted, observed = compose(first, second, rule), _rating(measured)
    agrees = None if predicted.rating is None else predicted.rating == observed
    return Prediction(predicted, observed, agrees)


def _rating(measured: str | RatingResult) -> Rating:
    if isinstance(measured, str):
        try:
            return Rating(measured)
        except ValueError:
            raise RatingError(
                f"{measured!r} is not a rating: choose from {', '.join(ORDER)} and 'not rateable'."
            ) from None
    overall = measured.overall
    return overall.corrected if len(overall.possible) == 1 else Rating.NOT_RATEABLE
