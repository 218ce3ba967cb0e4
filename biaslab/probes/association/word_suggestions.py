"""``bl.association.suggest_words`` and ``list_growth``: longer lists, chosen without the outcome.

A word is suggested for its closeness to a list. Words close to a list have much in common with it,
also what is tested: lists of random words, each grown by its own neighbours, would seem to differ.
Two rules prevent that. Closeness leaves out the direction between the lists of the other side, so
that the tested association has no part in it. And a neighbour is no new word of the category: it
counts together with the word that it stands next to, as one cluster. Only a word that somebody
else listed with these words, in another list of the catalogue, counts as a word of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import QueryError
from biaslab.probes.association.lists import (
    AssociationLists,
    Floats,
    SpecSource,
    Words,
    cosines,
    n_replicates,
    units,
)
from biaslab.probes.association.weat import check_two_lists
from biaslab.probes.association.word_draws import difference_over_words
from biaslab.records.calls import recorded, recorded_method
from biaslab.records.provenance import measured
from biaslab.records.result import Interval, Result
from biaslab.specs import entries
from biaslab.specs.checks import alike
from biaslab.stats.reproducibility import order
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.opening.needs import WORD_VECTORS, Named, opened

if TYPE_CHECKING:
    import pandas as pd

_Lists: TypeAlias = Mapping[str, tuple[str, ...]]
_SHARED = 3
"""Words that a list of the catalogue must share with a list to suggest its other ones."""


@dataclass(frozen=True, kw_only=True)
class WordSuggestions(Result):
    """Further words for a list, the closest first.

    Attributes
    ----------
    list_name : str
        Such as ``attributes.career``.
    list_words : tuple of str
        Its known words.
    words : tuple of str
        n suggested words.
    closeness : ndarray, shape (n,)
        Mean cosine to the list's words, without the direction between the lists of the other side.
    beside : tuple of str
        The word of the list that each stands next to, and with which it counts as one; empty for
        a word of its own.
    sources : tuple of str
        ``neighbour``, or lists of the catalogue that have it.
    """

    schema: ClassVar[str] = "word-suggestions/1"

    list_name: str
    list_words: tuple[str, ...]
    words: tuple[str, ...]
    closeness: Floats
    beside: tuple[str, ...]
    sources: tuple[str, ...]

    @recorded_method
    def accept(self, words: Sequence[str]) -> WordSuggestions:
        """Return the suggestions that are in a list of words, in their order.

        Raises
        ------
        QueryError
            When a word was not suggested.
        """
        if strange := [word for word in words if word not in self.words]:
            raise QueryError(f"Not suggested for {self.list_name!r}: {', '.join(strange)}.")
        return self._only([i for i, word in enumerate(self.words) if word in set(words)])

    @recorded_method
    def reject(self, words: Sequence[str]) -> WordSuggestions:
        """Return the suggestions without a list of words."""
        return self._only([i for i, word in enumerate(self.words) if word not in set(words)])

    def _only(self, places: list[int]) -> WordSuggestions:
        return replace(
            self,
            words=tuple(self.words[i] for i in places),
            closeness=self.closeness[places],
            beside=tuple(self.beside[i] for i in places),
            sources=tuple(self.sources[i] for i in places),
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per word: word, closeness, beside, source."""
        import pandas as pd

        columns = {"word": self.words, "closeness": self.closeness, "beside": self.beside}
        return pd.DataFrame(columns | {"source": self.sources})

    def raw_frame(self) -> pd.DataFrame:
        """The same as `to_frame`: every suggestion is an observation."""
        return self.to_frame()


@recorded
def suggest_words(
    subject: EmbeddingSubject | Named,
    spec: SpecSource,
    list_name: str,
    *,
    groups: Sequence[str] | None = None,
    attributes: Words | Sequence[str] | None = None,
    limit: int = 20,
    vocabulary: int = 50_000,
) -> WordSuggestions:
    """Suggest further words for a list, without regard to the association that is tested.

    Candidates are the subject's words, and words of predefined lists that share at least
    three words with this one. They are ranked by their mean cosine to the list's words, after the
    direction between the lists of the other side is taken out of all vectors. Words nearer to
    another list of the same side are left out.

    Parameters
    ----------
    subject : EmbeddingSubject, or name of one
        Of an ensemble the mean over replicates counts.
    spec : Spec, AssociationLists, name or path of a spec
    list_name : str
        Such as ``groups.female`` or ``attributes.career``.
    groups, attributes
        As of `biaslab.weat`.
    limit : int
        Words to suggest, at least 1.
    vocabulary : int
        How many of the subject's words are candidates, from the first; word vectors usually come
        by frequency.

    Returns
    -------
    WordSuggestions
        Read them, `reject` words that do not belong to the category, and see with
        `biaslab.association.list_growth` what the rest changes.

    Raises
    ------
    QueryError
        When there is no such list.
    """
    subject = opened(subject, WORD_VECTORS, "bl.association.suggest_words")
    requested = AssociationLists.of(spec, groups=groups, attributes=attributes, controls={})
    if limit < 1 or vocabulary < 1:
        raise ValueError(f"limit is {limit}, vocabulary {vocabulary}: use at least 1 of each.")
    if list_name not in requested.named:
        names = ", ".join(map(repr, requested.named))
        raise QueryError(f"There is no list {list_name!r}. Choose one of: {names}.")
    parameters = {"list": list_name, "limit": limit, "vocabulary": vocabulary}
    with measured(
        probe="suggest_words",
        subject=subject,
        spec_hash=requested.content_hash,
        parameters=parameters,
    ) as run:
        known = requested.known_to(subject)
        listed = {alike(word) for words in requested.named.values() for word in words}
        of_catalogue = {
            word: source
            for word, source in _of_catalogue(requested.named[list_name]).items()
            if word in subject
        }
        own = [w for w in subject._words_by_row[:vocabulary] if w.isalpha() and len(w) > 1]
        candidates: dict[str, str] = {}
        for word in chain(of_catalogue, own):
            if alike(word) not in listed:
                listed.add(alike(word))
                candidates[word] = of_catalogue.get(word, "")
        words = list(subject.resolve(list(candidates), suggest=False).known)
        to_list, to_rivals = _closeness(subject, known, list_name, words)
        close = to_list.mean(axis=1)
        fits = (close[:, None] > to_rivals).all(axis=1)
        chosen = [i for i in order(close, descending=True).tolist() if fits[i]][:limit]
    list_words = known.named[list_name]
    sources = tuple(candidates[words[i]] for i in chosen)
    return WordSuggestions(
        list_name=list_name,
        list_words=list_words,
        words=tuple(words[i] for i in chosen),
        closeness=close[chosen],
        beside=tuple(
            "" if source else list_words[int(to_list[i].argmax())]
            for i, source in zip(chosen, sources, strict=True)
        ),
        sources=tuple(source or "neighbour" for source in sources),
        dropped=known.dropped,
        provenance=run.provenance,
    )


def _of_catalogue(words: Sequence[str]) -> dict[str, str]:
    """Return words that lists of the catalogue have beside some of these, with the lists."""
    own = {alike(word) for word in words}
    found: dict[str, list[str]] = {}
    predefined = [entry.spec for entry in entries() if entry.where == "predefined"]
    for spec in filter(None, predefined):
        for name, others in (*spec.groups.items(), *spec.attributes.items()):
            if len(own & {alike(word) for word in others}) >= _SHARED:
                for word in others:
                    if alike(word) not in own:
                        found.setdefault(word, []).append(f"{spec.name}: {name}")
    return {word: ", ".join(lists) for word, lists in found.items()}


def _closeness(
    subject: EmbeddingSubject, lists: AssociationLists, list_name: str, words: Sequence[str]
) -> tuple[Floats, Floats]:
    """Return mean cosines to each word of a list, (n, l), and to the mean of each rival, (n, r)."""
    side = list_name.partition(".")[0]
    other = lists.attributes if side == "groups" else lists.groups
    means = np.stack([units(subject.vectors(own)).mean(axis=1) for own in other.values()], axis=2)
    between = means if len(other) == 1 else means[..., :-1] - means[..., -1:]
    tested = np.linalg.qr(between)[0]
    own_side = {name: own for name, own in lists.named.items() if name.startswith(side)}

    def blind(own: Sequence[str]) -> Floats:
        vectors = units(subject.vectors(own))
        return units(vectors - (vectors @ tested) @ tested.transpose(0, 2, 1)).transpose(0, 2, 1)

    seeds = blind(lists.named[list_name])
    del own_side[list_name]
    rivals = [blind(own).mean(axis=2, keepdims=True) for own in own_side.values()]
    onto = np.concatenate([seeds, *rivals, tested], axis=2)
    close = subject.project(words, onto).astype(np.float64)
    n, k = seeds.shape[2], tested.shape[2]
    rest = np.sqrt(np.maximum(1 - (close[..., close.shape[2] - k :] ** 2).sum(axis=2), 1e-12))
    close = (close[..., : close.shape[2] - k] / rest[..., None]).mean(axis=0)
    return close[:, :n], close[:, n:]


@dataclass(frozen=True, kw_only=True)
class ListGrowth(Result):
    """WEAT's difference of means as accepted words are added one after another.

    Attributes
    ----------
    lists : mapping of str to tuple of str
        Known words of each list before.
    words, into : tuple of str
        K accepted words, in order, and their lists.
    own : ndarray of bool, shape (K,)
        Whether a word counts as one of its own; others count with the word they stand next to.
    estimate, low, high : ndarray, shape (K + 1,)
        With none, one ... all of them: the difference and the ends of its interval.
    level : float
    kind : str
        Of the interval.
    """

    schema: ClassVar[str] = "list-growth/1"

    lists: _Lists
    words: tuple[str, ...]
    into: tuple[str, ...]
    own: NDArray[np.bool_]
    estimate: Floats
    low: Floats
    high: Floats
    level: float
    kind: str

    @property
    def interval(self) -> Interval:
        """Of the difference with all words."""
        return Interval(float(self.low[-1]), float(self.high[-1]), self.level, self.kind)

    @property
    def clear(self) -> NDArray[np.bool_]:
        """Whether the interval excludes 0, shape (K + 1,)."""
        return (self.low > 0) | (self.high < 0)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per step: added, word, list, own, estimate, low, high."""
        import pandas as pd

        return pd.DataFrame(
            {
                "added": np.arange(len(self.words) + 1),
                "word": ("", *self.words),
                "list": ("", *self.into),
                "own": (True, *self.own.tolist()),
                "estimate": self.estimate,
                "low": self.low,
                "high": self.high,
            }
        )

    def raw_frame(self) -> pd.DataFrame:
        """The same as `to_frame`."""
        return self.to_frame()


@recorded
def list_growth(
    subject: EmbeddingSubject | Named,
    spec: SpecSource,
    suggestions: WordSuggestions | Sequence[WordSuggestions],
    *,
    groups: Sequence[str] | None = None,
    attributes: Words | Sequence[str] | None = None,
    level: float = 0.95,
    resamples: int = 2000,
    replicates: int | None = None,
    rng: int | np.random.Generator = 0,
) -> ListGrowth:
    """Measure WEAT's difference again with each accepted word: a saturation curve.

    A neighbour and the word of the list that it stands next to are one cluster, whose mean cosine
    counts; a word of the catalogue counts by itself. Words of several lists are added in turn.

    Parameters
    ----------
    subject, spec, groups, attributes, level, resamples, replicates, rng
        As of `biaslab.weat`.
    suggestions : WordSuggestions, or sequence of them
        Accepted words of one list each.

    Returns
    -------
    ListGrowth

    Raises
    ------
    QueryError
        As of `biaslab.weat`, and when suggestions are for other lists.
    """
    subject = opened(subject, WORD_VECTORS, "bl.association.list_growth")
    requested = AssociationLists.of(spec, groups=groups, attributes=attributes, controls={})
    check_two_lists(requested, level, resamples)
    accepted = [suggestions] if isinstance(suggestions, WordSuggestions) else list(suggestions)
    with measured(
        probe="list_growth",
        subject=subject,
        spec_hash=requested.content_hash,
        seed=rng,
        parameters={"level": level, "resamples": resamples, "replicates": replicates},
    ) as run:
        known = requested.known_to(subject)
        for one in accepted:
            if known.named.get(one.list_name) != one.list_words:
                raise QueryError(
                    f"The suggestions for {one.list_name!r} were made for other words than this"
                    " list has. Make them again with bl.association.suggest_words."
                )
        added = [
            (one.list_name, word, beside)
            for turn in range(max(len(one.words) for one in accepted))
            for one in accepted
            for word, beside in zip(
                one.words[turn : turn + 1], one.beside[turn : turn + 1], strict=True
            )
        ]
        seed = int(np.random.default_rng(rng).integers(2**63))
        sides, words = [], []
        for side in ("groups", "attributes"):
            lists = {name: own for name, own in known.named.items() if name.startswith(side)}
            mine = [(name, word) for name, word, _ in added if name in lists]
            sides.append(lists)
            words.append([w for own in lists.values() for w in own] + [w for _, w in mine])
        table = cosines(subject, words[0], words[1], n_replicates(subject, replicates))
        found = []
        for k in range(len(added) + 1):
            (by_rows, rows), (by_columns, columns) = (
                _cluster_means(lists, added[:k], len(own))
                for lists, own in zip(sides, words, strict=True)
            )
            value, interval = difference_over_words(
                by_rows @ table @ by_columns.T, rows, (columns[0], columns[1]), level, resamples,
                np.random.default_rng(seed),  # so that steps differ by their words alone
            )  # fmt: skip
            found.append((value, interval.low, interval.high))
    estimate, low, high = np.array(found).T
    return ListGrowth(
        lists=known.named,
        words=tuple(word for _, word, _ in added),
        into=tuple(name for name, _, _ in added),
        own=np.array([not beside for *_, beside in added], dtype=bool),
        estimate=estimate,
        low=low,
        high=high,
        level=level,
        kind=interval.kind,
        dropped=known.dropped,
        provenance=run.provenance,
    )


def _cluster_means(
    lists: _Lists, added: Sequence[tuple[str, str, str]], width: int
) -> tuple[Floats, list[int]]:
    """Return the weights of a side's words in each cluster, (clusters, width), and list lengths.

    Words of the lists come first, then those that are added: (list, word, word beside it).
    """
    clusters: list[list[int]] = []
    sizes, start = [], 0
    mine = [one for one in added if one[0] in lists]
    first = sum(map(len, lists.values()))
    for name, words in lists.items():
        members = {word: [start + i] for i, word in enumerate(words)}
        for j, (into, word, beside) in enumerate(mine, start=first):
            if into == name:
                members.setdefault(beside or word, []).append(j)
        clusters += members.values()
        sizes.append(len(members))
        start += len(words)
    weights = np.zeros((len(clusters), width))
    for row, places in zip(weights, clusters, strict=True):
        row[places] = 1 / len(places)
    return weights, sizes
