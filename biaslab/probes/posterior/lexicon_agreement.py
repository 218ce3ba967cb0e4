"""``bl.posterior.lexicon``: whether positive words lie closer to a posterior.

After Liang and Acuna (2020), section 5.2.
"""

from __future__ import annotations

import importlib.util
import os
import re
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from biaslab.arguments import instance
from biaslab.errors import MissingExtraError, QueryError
from biaslab.files.given import read_given
from biaslab.files.tables import lines_of
from biaslab.probes.posterior.reading import Centre, Distance, Floats, Posterior
from biaslab.probes.posterior.word_distances import WordDistances
from biaslab.probes.posterior.word_distances import distances as posterior_distances
from biaslab.records.calls import recorded, recorded_classmethod
from biaslab.records.provenance import measured
from biaslab.records.record import Record
from biaslab.records.result import Dropped, Interval, Result
from biaslab.stats.correlation import Method, correlate

if TYPE_CHECKING:
    import pandas as pd

WORDS = "words"
"""Kind of an interval: over other words of this kind."""
_HOW = "Pass a Lexicon or the path of one, or leave it out to use VADER's."
HU_LIU = ("positive-words.txt", "negative-words.txt")
FEWEST = 4
FEWEST_LEFT_OUT = 30
"""Known words from which on the intervals are by the jackknife; of fewer they are Fisher's."""
_JOINTS = re.compile("[-' ]")
"""Characters allowed between the letters of a word or phrase."""


@dataclass(frozen=True)
class Lexicon(Record):
    """Words with their polarity.

    Attributes
    ----------
    name : str
        Name and number of words, as shown.
    terms : tuple of str
        n words, each once.
    polarity : ndarray, shape (n,)
        Above 0 for positive words, below for negative ones; not 0. 1 and -1 if the source
        gives no strength.
    source : str
        Source and licence.
    dropped : tuple of Dropped
        Entries of the source that are not in it, and why.
    """

    name: str
    terms: tuple[str, ...]
    polarity: Floats
    source: str = ""
    dropped: tuple[Dropped, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.terms) != len(self.polarity) or len(set(self.terms)) != len(self.terms):
            raise QueryError("A lexicon must have each word once, with one polarity.")
        if not (np.isfinite(self.polarity).all() and (self.polarity != 0).all()):
            raise QueryError(
                "A polarity must be a finite number other than 0: leave out neutral words."
            )

    def __len__(self) -> int:
        return len(self.terms)

    @cached_property
    def graded(self) -> bool:
        """Whether words differ in strength."""
        return len(np.unique(np.abs(self.polarity))) > 1

    @classmethod
    @recorded_classmethod
    def read(
        cls,
        path: str | os.PathLike[str],
        negative: str | os.PathLike[str] | None = None,
        *,
        name: str = "Hu and Liu",
    ) -> Lexicon:
        """Read the opinion lexicon of Hu and Liu (2004), or lists of the same form.

        Parameters
        ----------
        path : path
            The folder with ``positive-words.txt`` and ``negative-words.txt``; or the first file.
        negative : path, optional
            The second file, if `path` is a file.
        name : str
            Shown to the person.

        Returns
        -------
        Lexicon
            Polarity 1 and -1. A word in both files is dropped.

        Raises
        ------
        QueryError
            When a file is missing, cannot be read or has no words.

        Notes
        -----
        One word a line, in UTF-8 or else Latin-1; empty lines and those that begin with ``;`` are
        passed over.
        """
        files = _files(Path(path), None if negative is None else Path(negative))
        lists = [_words(file) for file in files]
        both = set(lists[0]) & set(lists[1])
        values = dict.fromkeys(lists[0], 1.0) | dict.fromkeys(lists[1], -1.0)
        unambiguous = {word: v for word, v in values.items() if word not in both}
        dropped = tuple(Dropped(w, "lexicon", "both positive and negative") for w in sorted(both))
        return cls(
            name,
            tuple(unambiguous),
            np.array(list(unambiguous.values())),
            "Hu and Liu 2004 (KDD), doi:10.1145/1014052.1014073, from the user's files",
            dropped,
        )

    @classmethod
    @recorded_classmethod
    def vader(cls) -> Lexicon:
        """Return the lexicon of VADER (Hutto and Gilbert 2014), rated from -4 to 4.

        It comes from the ``vaderSentiment`` package; nothing is downloaded.
        Emoticons and other entries that are not words are dropped.

        Raises
        ------
        MissingExtraError
            When the package is not installed.
        """
        package = importlib.util.find_spec("vaderSentiment")
        if package is None or not package.submodule_search_locations:
            raise MissingExtraError(
                "The default lexicon needs vaderSentiment: pip install 'biaslab[bayes]'. Or "
                "give lexicon=<folder with positive-words.txt and negative-words.txt>."
            )
        # Read as a file: importing the package imports requests too.
        file = Path(next(iter(package.submodule_search_locations))) / "vader_lexicon.txt"
        values: dict[str, float] = {}
        dropped = []
        for line in lines_of(file.read_text(encoding="utf-8")):
            term, _, rest = line.partition("\t")
            if not rest:
                continue
            value = float(rest.partition("\t")[0])
            if not _JOINTS.sub("", term).isalpha():
                dropped.append(Dropped(term, "lexicon", "not a word"))
            elif value == 0:
                dropped.append(Dropped(term, "lexicon", "rated neutral"))
            elif term in values:
                dropped.append(Dropped(term, "lexicon", "given twice"))
            else:
                values[term] = value
        return cls(
            "VADER",
            tuple(values),
            np.array(list(values.values())),
            "Hutto and Gilbert 2014 (ICWSM), package vaderSentiment, MIT licence",
            tuple(dropped),
        )


@dataclass(frozen=True, kw_only=True)
class LexiconAgreement(Result):
    """Correlations of words' distance to one posterior with their polarity.

    A negative one says that positive words lie closer.

    Attributes
    ----------
    label : str
        Of the posterior p(s | label).
    lexicon, source : str
        Name and source of the lexicon.
    distances : WordDistances
        Of the n known words; the dropped words are in this result.
    polarity : ndarray, shape (n,)
        Of these words, as in the lexicon.
    point_biserial : float
        Pearson's correlation of distance and the sign of the polarity (1, -1): the paper's.
    point_biserial_interval : Interval
        Over words.
    point_biserial_p : float
        Two-sided, by Student's t.
    pearson, pearson_interval, pearson_p
        With the polarity itself; the same as above if words have no strength.
    spearman, spearman_interval, spearman_p
        Of ranks.
    """

    schema: ClassVar[str] = "posterior-lexicon/1"

    label: str
    lexicon: str
    source: str
    distances: WordDistances
    polarity: Floats
    point_biserial: float
    point_biserial_interval: Interval
    point_biserial_p: float
    pearson: float
    pearson_interval: Interval
    pearson_p: float
    spearman: float
    spearman_interval: Interval
    spearman_p: float

    @property
    def n(self) -> int:
        """Known words."""
        return len(self.polarity)

    @property
    def means(self) -> tuple[float, float]:
        """Mean distance of the positive and of the negative words."""
        positive = self.polarity > 0
        return float(self.distances.mean[positive].mean()), float(
            self.distances.mean[~positive].mean()
        )

    @cached_property
    def _signs(self) -> dict[str, str]:
        names = np.where(self.polarity > 0, "positive", "negative").tolist()
        return dict(zip(self.distances.terms, names, strict=True))

    def sign(self, term: str) -> str:
        """Return a word's sign in the lexicon, ``positive`` or ``negative``.

        Raises
        ------
        KeyError
            When the word is not in the result.
        """
        return self._signs[term]

    @property
    def closer(self) -> str:
        """Closer group of words, ``positive`` or ``negative``; empty if unclear."""
        interval = self.point_biserial_interval
        if not np.isfinite([interval.low, interval.high]).all() or 0 in interval:
            return ""
        return "positive" if self.point_biserial < 0 else "negative"

    def to_frame(self) -> pd.DataFrame:
        """Return one row per word, closest first: as of WordDistances, with its polarity."""
        frame = self.distances.to_frame()
        frame.insert(2, "polarity", self.polarity[self.distances.order])
        return frame

    def raw_frame(self) -> pd.DataFrame:
        """One row per word, as the lexicon lists them: term, polarity, distance."""
        import pandas as pd

        words = self.distances
        return pd.DataFrame(
            {"term": words.terms, "polarity": self.polarity, "distance": words.mean}
        )

    def correlations(self) -> pd.DataFrame:
        """Return one row per correlation: measure, n, r, words_low, words_high, p."""
        import pandas as pd

        rows = []
        for name in ("point_biserial", "pearson", "spearman"):
            interval: Interval = getattr(self, f"{name}_interval")
            rows.append(
                {
                    "measure": name,
                    "n": self.n,
                    "r": getattr(self, name),
                    "words_low": interval.low,
                    "words_high": interval.high,
                    "p": getattr(self, f"{name}_p"),
                }
            )
        return pd.DataFrame(rows)


@recorded
def lexicon(
    posterior: Posterior,
    words: object,
    lexicon: Lexicon | str | os.PathLike[str] | None = None,
    *,
    distance: Distance = "angular",
    centre: Centre = "prior",
    level: float = 0.95,
) -> LexiconAgreement:
    """Correlate words' distance to the draws of p(s | label) with their polarity.

    Parameters
    ----------
    posterior : PosteriorResult
        Draws of p(s | label).
    words : Classifier or EmbeddingSubject
        Source of word vectors.
    lexicon : Lexicon or path, optional
        A folder with Hu and Liu's two files, as in the paper; by default `Lexicon.vader`, which
        needs no file.
    distance, centre : str
        As of `biaslab.posterior.distances`.
    level : float
        Of the intervals, in (0, 1).

    Returns
    -------
    LexiconAgreement
        Liang and Acuna (2020), section 5.2: -0.4 (n = 6,789) for the positive posterior, and above
        0 for the negative one. Words that the embedding does not know are in ``dropped``, after
        words excluded by the lexicon itself.

    Raises
    ------
    QueryError
        When the lexicon cannot be read, or fewer than 4 of its words, or none of one sign, are
        known.
    MissingExtraError
        When no lexicon is given and vaderSentiment is not installed.

    Notes
    -----
    The intervals are over words, by a jackknife, or of fewer than 30 words Fisher's
    (`biaslab.stats.correlation`): the Monte Carlo error of each distance is part of the words'
    spread.
    """
    if lexicon is None:
        chosen = Lexicon.vader()
    else:
        known = instance(lexicon, (Lexicon, str, os.PathLike), "lexicon", _HOW)
        chosen = known if isinstance(known, Lexicon) else Lexicon.read(known)
    parameters = {
        "lexicon": chosen.name,
        "lexicon_words": len(chosen),
        "distance": distance,
        "centre": centre,
        "level": level,
    }
    with measured(
        probe="posterior_lexicon", subject=getattr(words, "words", words), parameters=parameters
    ) as run:
        distances = posterior_distances(
            posterior, words, chosen.terms, distance=distance, centre=centre, level=level
        )
        of = dict(zip(chosen.terms, chosen.polarity.tolist(), strict=True))
        polarity = np.array([of[term] for term in distances.terms])
        signs = np.sign(polarity)
        if len(signs) < FEWEST or abs(signs.sum()) == len(signs):
            raise QueryError(
                f"{len(signs)} words of {chosen.name} are known, {int((signs > 0).sum())} of them"
                f" positive. A correlation needs at least {FEWEST}, of both signs. Use a lexicon"
                " in the language of the embedding.",
                distances.dropped,
            )
        # For few words in perfect separation the jackknife has no spread, or only rounding.
        method: Method = "jackknife" if len(signs) >= FEWEST_LEFT_OUT else "fisher"
        kinds = {
            "point_biserial": correlate(distances.mean, signs, level=level, method=method),
            "pearson": correlate(distances.mean, polarity, level=level, method=method),
            "spearman": correlate(distances.mean, polarity, "spearman", level=level, method=method),
        }
    numbers: dict[str, Any] = {}
    for name, list_kind in kinds.items():
        low, high = list_kind.interval.tolist()
        numbers |= {
            name: float(list_kind.r),
            f"{name}_p": float(list_kind.p),
            f"{name}_interval": Interval(low, high, level, WORDS),
        }
    return LexiconAgreement(
        label=posterior.label,
        lexicon=chosen.name,
        source=chosen.source,
        distances=replace(distances, dropped=()),  # listed once, below
        polarity=polarity,
        dropped=(*chosen.dropped, *distances.dropped),
        provenance=run.provenance,
        **numbers,
    )


def _files(path: Path, negative: Path | None) -> tuple[Path, Path]:
    files = (path / HU_LIU[0], path / HU_LIU[1]) if path.is_dir() else (path, negative)
    positive_file, negative_file = files
    if negative_file is None:
        raise QueryError(
            f"{path} is a single file, and the words of the other sign are missing. Give the folder"
            f" with {HU_LIU[0]} and {HU_LIU[1]}, or both files: Lexicon.read('positive-words.txt',"
            " 'negative-words.txt')."
        )
    for file in (positive_file, negative_file):
        if not file.is_file():
            raise QueryError(
                f"There is no file {file}. Give the folder with {HU_LIU[0]} and {HU_LIU[1]} of "
                "Hu and Liu's opinion lexicon."
            )
    return positive_file, negative_file


def _words(file: Path) -> list[str]:
    try:
        data = read_given(file)
    except OSError as error:
        raise QueryError(f"{file} cannot be read: {error.strerror or error}.") from error
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    lines = (line.strip() for line in lines_of(text))
    words = list(dict.fromkeys(line for line in lines if line and not line.startswith(";")))
    if not words:
        raise QueryError(f"{file} contains no words. Write one per line.")
    return words
