"""Result of a trace: passages of a corpus, and how far each pulls a word's PSE."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from biaslab.records.record import Record
from biaslab.records.result import Interval, Result

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Passage(Record):
    """A passage: a line of the corpus in which the word or a rare cue stands.

    Attributes
    ----------
    line : int
        Its number in the corpus, from 1; lines without any word are not counted.
    block : int
        The block of the bootstrap that it belongs to, from 1.
    occurrences : int
        How often the word stands in it; 0 if only a cue does.
    pull : float
        Predicted: the PSE minus the PSE without the passage, mean over cue pairs, in units of
        alpha. Above 0 it pulls toward cue 1.
    over_corpora : Interval
        Of the pull in one more resampled corpus.
    text : str
        Words around the word or the cue, in lower case and without punctuation.
    """

    line: int
    block: int
    occurrences: int
    pull: float
    over_corpora: Interval
    text: str


@dataclass(frozen=True)
class TogetherOut(Record):
    """Passages that pull the same way, left out together.

    Attributes
    ----------
    passages : int
        How many.
    pull : float
        Predicted: the PSE minus the PSE without them, mean over cue pairs.
    over_corpora : Interval
        Of the pull in one more resampled corpus.
    """

    passages: int
    pull: float
    over_corpora: Interval


@dataclass(frozen=True)
class LeftOut(Record):
    """What was really left out: counts, associations and decomposition were made anew.

    Attributes
    ----------
    what : {"passages", "blocks"}
    toward : {1, 2}
        The cue that they pull toward.
    count : int
        How many were left out, together.
    predicted, measured : ndarray, shape (K,)
        PSE minus the PSE without them, under each cue pair.
    """

    what: Literal["passages", "blocks"]
    toward: Literal[1, 2]
    count: int
    predicted: Floats
    measured: Floats


@dataclass(frozen=True, kw_only=True)
class TraceResult(Result):
    """Which passages pull the PSE of a word toward which cue.

    A *pull* is a PSE minus the PSE without a passage, in units of alpha (the share of cue 2):
    above 0 the passage pulls toward cue 1. It is predicted from the counts, in dimensions that stay
    as they are; `checks` compare it with corpora from which something was really left out.

    Attributes
    ----------
    word : str
    pairs : tuple of (str, str)
        The K cue pairs (cue 1, cue 2).
    pse : float
        Of the subject, pooled over pairs and replicates.
    pse_interval : Interval or None
        Corpus interval of the PSE; None for one embedding and one pair.
    whole : ndarray, shape (K,)
        PSE in one embedding of the whole corpus, which is what is traced.
    toward_1, toward_2 : tuple of Passage
        Passages that pull most toward cue 1 and toward cue 2, the strongest first.
    together_1, together_2 : TogetherOut
        The same passages, left out together.
    checks : tuple of LeftOut
        Empty if nothing was really left out.
    lines : ndarray, shape (n,)
        All passages with the word or a rare cue, by number of their line.
    blocks, occurrences : ndarray, shape (n,)
        Their blocks, and how often the word stands in each.
    pulls : ndarray, shape (n, K)
        Their pulls.
    block_pulls : ndarray, shape (blocks, K)
        Pulls of whole blocks, in which cues stand without the word too.
    replicates : int
        Resampled corpora behind the intervals of pulls.
    """

    schema: ClassVar[str] = "trace/1"
    word: str
    pairs: tuple[tuple[str, str], ...]
    pse: float
    pse_interval: Interval | None
    whole: Floats
    toward_1: tuple[Passage, ...]
    toward_2: tuple[Passage, ...]
    together_1: TogetherOut
    together_2: TogetherOut
    checks: tuple[LeftOut, ...]
    lines: NDArray[np.int64]
    blocks: NDArray[np.int64]
    occurrences: NDArray[np.int64]
    pulls: NDArray[np.float32]
    block_pulls: NDArray[np.float32]
    replicates: int

    @property
    def level(self) -> float:
        """Level of all intervals."""
        return self.together_1.over_corpora.level

    def to_frame(self) -> pd.DataFrame:
        """Return the strongest passages: one row each, toward cue 1 first."""
        import pandas as pd

        columns = [
            "toward", "line", "block", "occurrences", "pull", "pull_low", "pull_high", "text",
        ]  # fmt: skip
        sides = zip(self.pairs[0], (self.toward_1, self.toward_2), strict=True)
        rows = [
            (
                cue, passage.line, passage.block, passage.occurrences, passage.pull,
                passage.over_corpora.low, passage.over_corpora.high, passage.text,
            )
            for cue, passages in sides
            for passage in passages
        ]  # fmt: skip
        return pd.DataFrame(rows, columns=columns)

    def raw_frame(self) -> pd.DataFrame:
        """One row per passage (with the word or a rare cue) and cue pair: its pull."""
        import pandas as pd

        n, k = self.pulls.shape
        first, second = zip(*self.pairs, strict=True)
        return pd.DataFrame(
            {
                "line": np.repeat(self.lines, k),
                "block": np.repeat(self.blocks, k),
                "occurrences": np.repeat(self.occurrences, k),
                "cue_1": np.tile(first, n),
                "cue_2": np.tile(second, n),
                "pull": self.pulls.ravel(),
            }
        )

    def blocks_frame(self) -> pd.DataFrame:
        """One row per block and cue pair: its pull."""
        import pandas as pd

        n, k = self.block_pulls.shape
        first, second = zip(*self.pairs, strict=True)
        return pd.DataFrame(
            {
                "block": np.repeat(np.arange(1, n + 1), k),
                "cue_1": np.tile(first, n),
                "cue_2": np.tile(second, n),
                "pull": self.block_pulls.ravel(),
            }
        )
