"""Result of `drawn_people`: shares of groups among the people that a painter draws."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import QueryError
from biaslab.images import ImageRecord
from biaslab.records.record import Record
from biaslab.records.result import Interval, Result
from biaslab.stats.curves.sigmoids import Floats

if TYPE_CHECKING:
    import pandas as pd

CANNOT_SAY = "cannot say"
PICTURES = "pictures"
"""Name of a painter that is not known."""
LEAST_SEPARATION = 0.1
"""Lower limit of a rater's separation below which no corrected share is reported."""


@dataclass(frozen=True)
class RaterErrors(Record):
    """How a rater answers about pictures of known people.

    Attributes
    ----------
    word : str
        Of these pictures; empty for those of all words together.
    counts : ndarray of int64, shape (k, J)
        Calibration pictures by group and answer.
    separation : float
        How much the answers about two groups differ, of the two that differ least (total variation;
        Youden's index for two answers): 1 tells all apart, 0 guesses; NaN if a group has no
        picture.
    interval : Interval
        Of it, over other calibration pictures.
    """

    word: str
    counts: NDArray[np.int64]
    separation: float
    interval: Interval

    @property
    def rates(self) -> Floats:
        """Share of each answer among the pictures of each group, shape (k, J); NaN without any."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.counts / self.counts.sum(axis=1, keepdims=True))

    @property
    def tells_apart(self) -> bool:
        """Whether shares can be corrected for these errors."""
        return self.interval.low >= LEAST_SEPARATION


@dataclass(frozen=True)
class GroupShare(Record):
    """Share of a group among the pictures of a word.

    Attributes
    ----------
    word, group : str
    n_images : int
    raw : float
        Among the pictures about which the rater decided; NaN without any.
    raw_interval : Interval
        Wilson's, as if the rater made no errors and pictures were independent.
    share : float
        Corrected for the rater's errors; NaN if they are unknown or the rater hardly tells the
        groups apart.
    interval : Interval
        Of the corrected share, over other pictures and other calibration pictures.
    outside : float
        Share in the outside table; NaN if it has none.
    """

    word: str
    group: str
    n_images: int
    raw: float
    raw_interval: Interval
    share: float
    interval: Interval
    outside: float

    def lean(self, reference: float) -> int:
        """1 if the interval lies above a reference, -1 below it, 0 otherwise."""
        return int(self.interval.low > reference) - int(self.interval.high < reference)


@dataclass(frozen=True)
class ShareContrast(Record):
    """A group's corrected share under a word, less that under the baseline.

    Attributes
    ----------
    word, baseline, group : str
    difference : float
    interval : Interval
    p, p_adjusted : float
        Of the likelihood-ratio test of equal shares; and by Holm (1979), over all contrasts.
    """

    word: str
    baseline: str
    group: str
    difference: float
    interval: Interval
    p: float
    p_adjusted: float


@dataclass(frozen=True)
class Placebo(Record):
    """A half of the calibration pictures, corrected by the other half as if nobody knew them.

    Attributes
    ----------
    word, group : str
    known : float
        Share of the group in that half.
    share : float
    interval : Interval
    """

    word: str
    group: str
    known: float
    share: float
    interval: Interval

    @property
    def includes(self) -> bool:
        """Whether the interval includes the known share."""
        return self.interval.low - 1e-4 <= self.known <= self.interval.high + 1e-4


@dataclass(frozen=True, kw_only=True)
class DrawnPeople(Result):
    """Whom a painter draws: shares of groups by word, with the rater's errors taken out.

    Attributes
    ----------
    painter, rater : str
    groups, words : tuple of str
    answers : tuple of str
        The groups, and ``cannot say`` if the rater ever said so.
    shares : tuple of GroupShare
        By word; of two groups the first alone.
    contrasts : tuple of ShareContrast
        Of each word with the baseline.
    errors : tuple of RaterErrors
        Of each word, or of all together; empty without calibration.
    placebo : tuple of Placebo
        For each of `errors`.
    alike : float
        p-value of equal errors for all words, which correction by one calibration set assumes; NaN
        if it cannot be tested.
    outside_name : str
        Title of the outside table.
    clusters : int
        Degrees of freedom of the variance between wordings, or other clusters.
    inflation : float
        Factor of the pictures' variance for them.
    images : tuple of ImageRecord
        The n pictures that were rated, those of the calibration set last.
    word_of : ndarray of int64, shape (n,)
        Place in `words`; -1 for calibration pictures of other words.
    label : ndarray of int64, shape (n,)
        Place in `groups` where the group is known; -1 elsewhere.
    answer : ndarray of int64, shape (n,)
        Place in `answers`.
    is_drawn : ndarray of bool, shape (n,)
        False for pictures that only calibrate.
    probabilities : ndarray, shape (n, k)
        The rater's, of the groups; NaN for labels by hand.
    level : float
        Of all intervals.
    notes : tuple of str
    """

    schema: ClassVar[str] = "drawn-people/1"

    painter: str
    rater: str
    groups: tuple[str, ...]
    words: tuple[str, ...]
    answers: tuple[str, ...]
    shares: tuple[GroupShare, ...]
    contrasts: tuple[ShareContrast, ...]
    errors: tuple[RaterErrors, ...]
    placebo: tuple[Placebo, ...]
    alike: float
    outside_name: str
    clusters: int
    inflation: float
    images: tuple[ImageRecord, ...]
    word_of: NDArray[np.int64]
    label: NDArray[np.int64]
    answer: NDArray[np.int64]
    is_drawn: NDArray[np.bool_]
    probabilities: Floats
    level: float = 0.95
    notes: tuple[str, ...] = ()

    @property
    def parity(self) -> float:
        """Share of each group if all were drawn alike often."""
        return 1 / len(self.groups)

    @property
    def is_corrected(self) -> bool:
        """Whether any share is corrected."""
        return any(math.isfinite(one.share) for one in self.shares)

    def share(self, word: str, group: str = "") -> GroupShare:
        """Return a word's share of a group, by default of the first.

        Raises `QueryError` if there is none.
        """
        for one in self.shares:
            if one.word == word and one.group == (group or self.groups[0]):
                return one
        known = ", ".join(dict.fromkeys(f"{one.word} ({one.group})" for one in self.shares))
        raise QueryError(f"There is no share of {group or self.groups[0]} for {word!r}: {known}.")

    def to_frame(self) -> pd.DataFrame:
        """Return one row per word and group.

        Columns: word, group, images, answered_share, corrected_share, outside_share,
        share_difference (from the baseline), the ends of these as ``_low`` and ``_high``, p,
        p_adjusted.
        """
        import pandas as pd

        of = {(one.word, one.group): one for one in self.contrasts}
        rows: list[dict[str, object]] = []
        for one in self.shares:
            row: dict[str, object] = {
                "word": one.word, "group": one.group, "images": one.n_images,
                "answered_share": one.raw, **_ends("answered_share", one.raw_interval),
                "corrected_share": one.share, **_ends("corrected_share", one.interval),
                "outside_share": one.outside,
            }  # fmt: skip
            if other := of.get((one.word, one.group)):
                row |= {
                    "share_difference": other.difference,
                    **_ends("share_difference", other.interval),
                    "p": other.p, "p_adjusted": other.p_adjusted,
                }  # fmt: skip
            rows.append(row)
        return pd.DataFrame(rows)

    def raw_frame(self) -> pd.DataFrame:
        """Return one row per rated picture.

        Columns: hash, term, word, source, prompt, file, drawn, label, answer, and each group's
        probability as ``p: group``.
        """
        import pandas as pd

        words, labels = (*self.words, ""), (*self.groups, "")
        return pd.DataFrame(
            {
                "hash": [image.hash for image in self.images],
                "term": [image.term for image in self.images],
                "word": [words[at] for at in self.word_of],
                "source": [image.source for image in self.images],
                "prompt": [str(image.provenance.get("prompt", "")) for image in self.images],
                "file": [str(image.provenance.get("file", "")) for image in self.images],
                "drawn": self.is_drawn,
                "label": [labels[at] for at in self.label],
                "answer": [self.answers[at] for at in self.answer],
                **{f"p: {g}": self.probabilities[:, i] for i, g in enumerate(self.groups)},
            }
        )


def _ends(name: str, interval: Interval) -> dict[str, float]:
    return {f"{name}_low": interval.low, f"{name}_high": interval.high}
