"""Results of recorded answers: what each model did in each case, and what was never asked."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from biaslab.answers.recorded import FileSummary
from biaslab.records.kinds import part_of
from biaslab.records.record import Record
from biaslab.records.result import Interval, Result
from biaslab.stats.significance import reaches

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]


@dataclass(frozen=True)
class NeverAsked(Record):
    """What the recorded answers cannot show, because it was never asked; and why it matters."""

    what: str
    why: str


@dataclass(frozen=True)
class Sentence(Record):
    """A sentence for print, or one that the answers do not bear out.

    Attributes
    ----------
    text : str
    number : float
        Of the result, that the sentence rests on or fails at: a p-value, a share, a difference.
    why : str
        What that number says.
    may_print : bool
    """

    text: str
    number: float
    why: str
    may_print: bool


@dataclass(frozen=True, kw_only=True)
class OpinionResult(Result, ABC):
    """Base of results of recorded answers.

    Attributes
    ----------
    source : str
        Name of the file.
    level : float
        Of the intervals, and 1 less the level of the tests.
    case_name : str
        What a case is, such as ``job``; empty where all answers are of one.
    set_aside : tuple of (str, int)
        Answers that are not used: the reason and their number.
    never_asked : tuple of NeverAsked
    file : FileSummary or None
        How the file was read; None in results of older versions.
    """

    source: str
    level: float
    case_name: str
    set_aside: tuple[tuple[str, int], ...]
    never_asked: tuple[NeverAsked, ...]
    file: FileSummary | None = None

    def sentences(self) -> tuple[Sentence, ...]:
        """Three sentences that these answers bear out, and three that they do not."""
        words = part_of(self, "sentences")
        return () if words is None else tuple(words(self))


@dataclass(frozen=True)
class Share(Record):
    """How often one group, or several together, came first.

    Attributes
    ----------
    name : str
    count : int
        Of all choices, as recorded.
    share : float
        Of all choices, had every group stood at each place of the prompt equally often.
    interval : Interval
    even : float
        The share, if all candidates came first equally often.
    """

    name: str
    count: int
    share: float
    interval: Interval
    even: float

    @property
    def side(self) -> int:
        """1 if the interval lies above the even share, -1 if below, 0 if it includes it."""
        return int(self.interval.low > self.even) - int(self.interval.high < self.even)


@dataclass(frozen=True)
class Split(Record):
    """Choices among the groups, or among sets of them such as women and men.

    Attributes
    ----------
    name : str
        ``groups``, or the names of the sets.
    shares : tuple of Share
    p : float
        Of chi-square, by runs of a ranker that ignores groups and likes the same places.
    p_adjusted : float
        Adjusted by Holm for all models and cases.
    ratio : float
        Lowest over highest rate of coming first when listed.
    fair_ratio : Interval
        Where the ratio lies in runs of the ranker that ignores groups.
    fair_median : float
    below : float
        Share of these runs with a ratio below four fifths.
    edges, heights : ndarray
        Histogram of the ratio in these runs.
    """

    name: str
    shares: tuple[Share, ...]
    p: float
    p_adjusted: float
    ratio: float
    fair_ratio: Interval
    fair_median: float
    below: float
    edges: Floats
    heights: Floats

    @property
    def differs(self) -> bool:
        """Whether the adjusted test rejects that groups are ignored."""
        return bool(reaches(self.p_adjusted, self.fair_ratio.level))

    @property
    def is_undecided(self) -> bool:
        """Whether the test rejects by itself, but not with the others."""
        return bool(reaches(self.p, self.fair_ratio.level)) and not self.differs


@dataclass(frozen=True)
class ChoiceCell(Record):
    """The choices of one model in one case.

    Attributes
    ----------
    model, case : str
    n : int
        Choices.
    splits : tuple of Split
        The groups, then sets of them.
    by_place : ndarray of int
        How often the candidate at each place of the prompt came first.
    """

    model: str
    case: str
    n: int
    splits: tuple[Split, ...]
    by_place: Whole

    @property
    def groups(self) -> Split:
        """All groups."""
        return self.splits[0]

    @property
    def first_place(self) -> float:
        """Share of choices of the candidate listed first."""
        return float(self.by_place[0] / self.n)


@dataclass(frozen=True, kw_only=True)
class ChoicesResult(OpinionResult):
    """Choices among candidates of several groups: rankings, selections.

    Attributes
    ----------
    groups : tuple of str
    cells : tuple of ChoiceCell
        One for each model and case.
    runs : int
        Runs of a ranker that ignores groups, behind each test.
    over : str
        What the intervals are over: ``names`` and prompts, or ``prompts``.
    names_each : int
        Fewest names of a group; 0 where names are not recorded.
    changed_by_misspelt : int or None
        Cells whose test comes out otherwise if misspelt names count as the candidates who seem to
        be meant; None where no name is misspelt.
    cell, row, place, group : ndarray of int, shape (n,)
        Of each used answer: its cell, its number in the file, and the place in the prompt and the
        group that came first.
    """

    schema: ClassVar[str] = "choices/1"
    groups: tuple[str, ...]
    cells: tuple[ChoiceCell, ...]
    runs: int
    over: str
    names_each: int
    changed_by_misspelt: int | None
    cell: Whole
    row: Whole
    place: Whole
    group: Whole

    def to_frame(self) -> pd.DataFrame:
        """Return one row per model, case, split and group."""
        import pandas as pd

        return pd.DataFrame(
            {
                "model": cell.model, "case": cell.case, "split": split.name, "group": one.name,
                "first": one.count, "n": cell.n, "first_share": one.share,
                "first_share_low": one.interval.low, "first_share_high": one.interval.high,
                "even_share": one.even, "p": split.p,
                "p_adjusted": split.p_adjusted, "ratio": split.ratio,
                "fair_ratio_low": split.fair_ratio.low, "fair_ratio_high": split.fair_ratio.high,
            }
            for cell in self.cells
            for split in cell.splits
            for one in split.shares
        )  # fmt: skip

    def raw_frame(self) -> pd.DataFrame:
        """Return one row per used answer: its number in the file, model, case, group and place."""
        import pandas as pd

        return pd.DataFrame(
            {
                "row": self.row,
                "model": [self.cells[i].model for i in self.cell],
                "case": [self.cells[i].case for i in self.cell],
                "group": [self.groups[i] for i in self.group],
                "place": self.place + 1,
            }
        )


@dataclass(frozen=True)
class GroupMean(Record):
    """Rate of yes, or mean number, of one group.

    Attributes
    ----------
    name : str
    n : int
        Answers.
    mean : float
    interval : Interval
    """

    name: str
    n: int
    mean: float
    interval: Interval


@dataclass(frozen=True)
class Difference(Record):
    """How much more a group gets than the reference group.

    Attributes
    ----------
    name, reference : str
    difference : float
        Of rates or means.
    interval : Interval
    p : float
        Of Student's t.
    p_adjusted : float
        Adjusted by Holm for all differences of the result.
    ratio : float
        Rate of the group over that of the reference; NaN for numbers.
    ratio_interval : Interval
        NaN where it is too wide to be printed: its ends differ by more than a factor of two.
    alike : Interval
        Interval of level 1 - 2 (1 - `level`), by which equivalence is tested.
    """

    name: str
    reference: str
    difference: float
    interval: Interval
    p: float
    p_adjusted: float
    ratio: float
    ratio_interval: Interval
    alike: Interval

    @property
    def differs(self) -> bool:
        """Whether the adjusted test rejects that there is no difference."""
        return bool(reaches(self.p_adjusted, self.interval.level))

    def is_within(self, margin: float) -> bool:
        """Whether two one-sided tests reject a difference of the margin or more."""
        return bool(self.alike.low > -margin and self.alike.high < margin)


@dataclass(frozen=True)
class RateCell(Record):
    """The answers of one model in one case, by group."""

    model: str
    case: str
    n: int
    groups: tuple[GroupMean, ...]
    differences: tuple[Difference, ...]


@dataclass(frozen=True, kw_only=True)
class RatesResult(OpinionResult):
    """Yes or no, or numbers, by group.

    Attributes
    ----------
    are_rates : bool
        Whether answers are yes or no; otherwise numbers.
    margin : float
        Differences up to this count as treated alike, in the unit of the answers.
    over : str
        What the intervals are over: the column of the clusters, or ``answers``.
    cells : tuple of RateCell
    cell, row : ndarray of int, shape (n,)
        Of each used answer: its cell, and its number in the file.
    group : tuple of str, of length n
    value : ndarray, shape (n,)
    """

    schema: ClassVar[str] = "rates/1"
    are_rates: bool
    margin: float
    over: str
    cells: tuple[RateCell, ...]
    cell: Whole
    row: Whole
    group: tuple[str, ...]
    value: Floats

    def to_frame(self) -> pd.DataFrame:
        """Return one row per model, case and group, with its difference from the reference."""
        import pandas as pd

        rows = []
        for cell in self.cells:
            beside = {one.name: one for one in cell.differences}
            for group in cell.groups:
                row = {
                    "model": cell.model, "case": cell.case, "group": group.name, "n": group.n,
                    "mean": group.mean, "low": group.interval.low, "high": group.interval.high,
                }  # fmt: skip
                if one := beside.get(group.name):
                    row |= {
                        "reference": one.reference, "difference": one.difference,
                        "difference_low": one.interval.low, "difference_high": one.interval.high,
                        "p": one.p, "p_adjusted": one.p_adjusted,
                        "alike": one.is_within(self.margin), "ratio": one.ratio,
                        "ratio_low": one.ratio_interval.low, "ratio_high": one.ratio_interval.high,
                    }  # fmt: skip
                rows.append(row)
        return pd.DataFrame(rows)

    def raw_frame(self) -> pd.DataFrame:
        """Return one row per used answer: its number in the file, model, case, group and value."""
        import pandas as pd

        return pd.DataFrame(
            {
                "row": self.row,
                "model": [self.cells[i].model for i in self.cell],
                "case": [self.cells[i].case for i in self.cell],
                "group": list(self.group),
                "value": self.value,
            }
        )


@dataclass(frozen=True)
class PairsCell(Record):
    """Association scores of one model in one test.

    Attributes
    ----------
    model, case : str
    n : int
        Answers that can be scored.
    mean : float
    interval : Interval
    p, p_adjusted : float
        Of Student's t against 0; adjusted by Holm for all cells.
    """

    model: str
    case: str
    n: int
    mean: float
    interval: Interval
    p: float
    p_adjusted: float

    @property
    def differs(self) -> bool:
        """Whether the adjusted test rejects that there is no association."""
        return bool(reaches(self.p_adjusted, self.interval.level))


@dataclass(frozen=True, kw_only=True)
class WordPairsResult(OpinionResult):
    """Association of words with groups, from answers of lines ``word - group``.

    Attributes
    ----------
    cells : tuple of PairsCell
    over : str
        What the intervals are over: the column of the clusters, or ``answers``.
    smoothing : float
        Added to both denominators of the score.
    row : ndarray of int, shape (n,)
        Number in the file of each answer that can be scored.
    cell : ndarray of int, shape (n,)
    counts : ndarray of int, shape (n, 4)
        Pairs with the first group's and the second group's name: first group with words of the
        first list, with words of the second; second group with each of them.
    score : ndarray, shape (n,)
        From -1 to 1: above 0 the first group has the words of the first list.
    """

    schema: ClassVar[str] = "word-pairs/1"
    cells: tuple[PairsCell, ...]
    over: str
    smoothing: float
    row: Whole
    cell: Whole
    counts: Whole
    score: Floats

    def to_frame(self) -> pd.DataFrame:
        """Return one row per model and test."""
        import pandas as pd

        return pd.DataFrame(
            {
                "model": one.model, "case": one.case, "n": one.n, "mean": one.mean,
                "low": one.interval.low, "high": one.interval.high, "p": one.p,
                "p_adjusted": one.p_adjusted,
            }
            for one in self.cells
        )  # fmt: skip

    def raw_frame(self) -> pd.DataFrame:
        """Return one row per scored answer: its number in the file, model, test, pairs, score."""
        import pandas as pd

        names = ("first_with_first", "first_with_second", "second_with_first", "second_with_second")
        return pd.DataFrame(
            {
                "row": self.row,
                "model": [self.cells[i].model for i in self.cell],
                "case": [self.cells[i].case for i in self.cell],
                **dict(zip(names, self.counts.T, strict=True)),
                "score": self.score,
            }
        )
