"""Shares of pairs in which the stereotyped version wins, with intervals."""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping, MutableMapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import QueryError
from biaslab.probes.crossed_groups import CrossedGroups, Factors, crossed_groups
from biaslab.probes.leaning import lean
from biaslab.probes.sentences.pairs import SentencePair, frame, words_of
from biaslab.records.record import Record
from biaslab.records.result import Interval
from biaslab.stats.clustered_mean import (
    ClusterBootstrap,
    ClusteredMean,
    cluster_bootstrap,
    clustered_mean,
    item_weights,
)
from biaslab.stats.curves.sigmoids import Floats
from biaslab.stats.significance import wilson

BOTH = "attributes and sentences"
"""Kind of an interval: over other attributes and other sentences."""
SENTENCES = "sentences"
"""Kind of an interval: over other sentences about the same attributes."""
INDEPENDENT = "sentences as if independent"
"""Kind of an interval: Wilson's, with every pair as a unit."""


Weighting: TypeAlias = Literal["groups", "attributes", "pairs"]
"""What has equal weight in a share: both groups' stereotypes and, within each, its attributes; all
attributes (macro average); or pairs (micro average)."""

Known = MutableMapping[tuple[object, ...], "StereotypeShare"]
"""Shares by their inputs: unchanged parts are not resampled again."""


@dataclass(frozen=True)
class StereotypeShare(Record):
    """Some pairs: how often the stereotyped version wins.

    Attributes
    ----------
    name : str
        Common property of the pairs: an attribute, a list of them, a kind of bias.
    part_of : str
        Of an attribute, the name of its list; else empty.
    wins, losses : int
        Pairs in which the stereotyped version is more probable, and in which the other one is.
    ties, failures : int
        Pairs that are not decided, and pairs that could not be scored.
    share : float
        Wins among the decided, in [0, 1]; NaN without decided pairs. With equal weight for
        attributes, the mean of their shares.
    interval : Interval
        Of the share, over other sentences; of several attributes together, also over others.
    mean_log_odds : float
        Mean of log p(stereotyped) - log p(against) over scored pairs, in nats; NaN without any.
        Weighted as the share.
    mean_log_odds_interval : Interval
        Of that mean; NaN with fewer than two pairs.
    """

    name: str
    part_of: str
    wins: int
    losses: int
    ties: int
    failures: int
    share: float
    interval: Interval
    mean_log_odds: float
    mean_log_odds_interval: Interval

    @property
    def decided(self) -> int:
        """Wins and losses."""
        return self.wins + self.losses

    @property
    def n_pairs(self) -> int:
        """All pairs, also ties and failures."""
        return self.decided + self.ties + self.failures

    @property
    def lean(self) -> int:
        """1 if the interval is above one half, -1 if below, 0 if it includes it."""
        return lean(self.interval)


@dataclass(frozen=True)
class Placebo(Record):
    """Scores of placebo groups: terms that meet each other change groups at random.

    Attributes
    ----------
    terms : int
        Number of terms that change groups independently, with those that they meet.
    groups : int
        Number of placebo groups.
    low, high : float
        Middle 95 % of their shares, which vary about 0.5.
    p : float
        Share of placebo groups whose share is as far from 0.5 as that of the real groups, which
        count among them. For these attributes and sentences.
    """

    terms: int
    groups: int
    low: float
    high: float
    p: float


@dataclass(frozen=True)
class Pull(Record):
    """How often the version with one group's terms wins, whatever a sentence is about.

    A model that always prefers these has a score near one half: it wins in the stereotypes of
    one group what it loses in those of the other.

    Attributes
    ----------
    group : str
        Whose version wins more often.
    about : (str, str)
        The halves of the pairs: an attribute list each, or the stereotypes of a group.
    shares : (float, float)
        Of decided pairs of either half in which this group's version wins.
    share : float
        Of all, weighted as the headline; at least one half.
    interval : Interval
        Of that share, over attributes, terms and sentences.
    """

    group: str
    about: tuple[str, str]
    shares: tuple[float, float]
    share: float
    interval: Interval

    @property
    def in_both(self) -> bool:
        """Whether both halves prefer this group."""
        return min(self.shares) > 0.5

    @property
    def excludes_null(self) -> bool:
        """Whether the interval lies above one half."""
        return lean(self.interval) > 0


PLACEBO_GROUPS = 2000
FEWEST_TERMS = 6
"""With fewer, all signs alike are no rarer than 1 in 20."""


class ScoredPairs:
    """Pairs with their log-odds, and to which clusters each belongs.

    They are sorted, so that neither the input order nor
    which of the two versions is called stereotyped changes the resamples.

    Parameters
    ----------
    pairs : sequence of SentencePair
    log_odds : ndarray, shape (n,)
        In nats; NaN if a pair could not be scored.
    tie_within : float
        A pair whose log-odds are this close to 0 is a tie.
    level : float
        Of intervals.
    resamples : int
    seed : int
    terms : set of str
        Words of group terms, which are no part of a sentence's frame.
    known : mapping, optional
        Cache of shares of parts, extended by each call. The inputs of a share
        are its key, so that one mapping serves many calls.
    """

    def __init__(
        self,
        pairs: Sequence[SentencePair],
        log_odds: Floats,
        *,
        tie_within: float,
        level: float,
        resamples: int,
        seed: int,
        terms: Set[str] = frozenset(),
        known: Known | None = None,
    ) -> None:
        self._known: Known = {} if known is None else known
        self._tie_within = tie_within
        order = sorted(range(len(pairs)), key=lambda i: _rank(pairs[i]))
        self.order = np.array(order, dtype=np.int64)
        self.pairs = [pairs[i] for i in order]
        self.log_odds = np.asarray(log_odds, dtype=float)[order]
        self.sign = signs(self.log_odds, tie_within)
        self.level, self.resamples, self.seed = level, resamples, seed
        # A pair without an attribute is its own cluster.
        self.attributes = _labels([p.attribute or f"\0{i}" for i, p in enumerate(self.pairs)])
        # Sorted by text, so that an edit elsewhere leaves a part's order unchanged.
        frames = [frame(p, terms) for p in self.pairs]
        self.frames = np.unique(np.array(frames, dtype=object), return_inverse=True)[1]
        self.lists = self._lists()
        self.term_kinds = _term_kinds(self.pairs)
        self.named = np.array([bool(p.attribute) for p in self.pairs], dtype=bool)
        self.decided = np.abs(self.sign) == 1
        self.scored = np.isfinite(self.log_odds)
        self.sides = self._sides()

    def _lists(self) -> NDArray[np.int64] | None:
        """Return each pair's attribute list, if every list has two attributes."""
        lists = _labels([p.attribute_list for p in self.pairs])
        attributes = [len(np.unique(self.attributes[lists == k])) for k in np.unique(lists)]
        return lists if len(attributes) > 1 and min(attributes) > 1 else None

    def _sides(self) -> NDArray[np.int64] | None:
        """Return whose stereotype each pair is, if attributes are of two groups, either way round.

        None as well if an attribute is a stereotype of both.
        """
        of = {(pair.attribute, pair.groups) for pair in self.pairs if pair.attribute}
        groups = sorted({side for _, side in of})
        opposed = len(groups) == 2 and groups[0] == groups[1][::-1]
        if not opposed or len(of) > len({attribute for attribute, _ in of}):
            return None
        return np.array([pair.groups != groups[0] for pair in self.pairs], dtype=np.int64)

    @property
    def unequal_sides(self) -> bool:
        """Whether one group has more attributes: else groups count alike where attributes do."""
        if self.sides is None:
            return False
        first, second = (self.named & (self.sides == side) for side in (0, 1))
        return any(
            len(np.unique(self.attributes[first & mask]))
            != len(np.unique(self.attributes[second & mask]))
            for mask in (self.decided, self.scored)
        )

    def over(self, *, attributes: bool) -> str:
        """Return the kind of an interval: over what pairs are taken as a sample of."""
        if self.term_kinds:
            return f"attributes, terms and {SENTENCES}" if attributes else f"terms and {SENTENCES}"
        return BOTH if attributes else SENTENCES

    def where(self, name: str, value: str) -> NDArray[np.bool_]:
        """Return which pairs have this value in a field."""
        return np.array([getattr(p, name) == value for p in self.pairs], dtype=bool)

    def rng(self, label: str) -> np.random.Generator:
        """Return a generator per number, independent of other calls."""
        return np.random.default_rng([self.seed, zlib.crc32(label.encode())])

    def part(self, mask: NDArray[np.bool_], name: str, part_of: str = "") -> StereotypeShare:
        """Return counts and share of some of the pairs, with intervals over sentences."""
        # Clusters by their rank: their numbers change when any other sentence does.
        clusters = [np.unique(kind[mask], return_inverse=True)[1] for kind in self.clusters]
        key = (
            name,
            part_of,
            self.log_odds[mask].tobytes(),
            *(kind.tobytes() for kind in clusters),
            self._tie_within,
            self.level,
            self.resamples,
            self.seed,
        )
        if (part := self._known.get(key)) is None:
            part = self._known[key] = self._part(mask, name, part_of)
        return part

    def _part(self, mask: NDArray[np.bool_], name: str, part_of: str) -> StereotypeShare:
        sign, label = self.sign[mask], f"{part_of}\0{name}"
        decided, scored = mask & self.decided, mask & self.scored
        clusters, over = self.clusters, self.over(attributes=False)
        drawn = self.drawn(self.log_odds, scored, clusters, label)
        return StereotypeShare(
            name=name,
            part_of=part_of,
            wins=int((sign == 1).sum()),
            losses=int((sign == -1).sum()),
            ties=int((sign == 0).sum()),
            failures=int(np.isnan(sign).sum()),
            share=float((self.sign[decided] == 1).mean()) if decided.any() else math.nan,
            interval=self.share_interval(decided, clusters, over, label),
            mean_log_odds=drawn.estimate,
            mean_log_odds_interval=Interval(*drawn.limits(self.level), self.level, over),
        )

    @property
    def clusters(self) -> tuple[NDArray[np.int64], ...]:
        """What pairs about any attribute share: frames, and terms."""
        return (self.frames, *self.term_kinds)

    @property
    def several_attributes(self) -> bool:
        """Whether pairs name more than one attribute."""
        return len({p.attribute for p in self.pairs if p.attribute}) > 1

    def whole(self, weighting: Weighting) -> StereotypeShare:
        """Score all pairs, with intervals over attributes and sentences.

        - `weighting`, {"groups", "attributes", "pairs"}: all but ``"pairs"`` leave out pairs that
          name no attribute. Where both groups have as many attributes, or only one has any, the
          first two are the same.
        """
        plain = self.part(np.ones(len(self.pairs), dtype=bool), "all pairs")
        asked = np.ones(len(self.pairs), dtype=bool) if weighting == "pairs" else self.named
        won = (self.sign == 1).astype(float)
        share = self.over_attributes(won, asked & self.decided, weighting, share=True)
        odds = self.over_attributes(self.log_odds, asked & self.scored, weighting)
        over = self.over(attributes=True)
        return replace(
            plain,
            share=share.estimate,
            interval=Interval(*share.share_limits(self.level), self.level, over),
            mean_log_odds=odds.estimate,
            mean_log_odds_interval=Interval(*odds.limits(self.level), self.level, over),
        )

    def over_attributes(
        self, values: Floats, mask: NDArray[np.bool_], weighting: Weighting, *, share: bool = False
    ) -> ClusteredMean:
        """Return the mean of some of the pairs, as a sample of attributes, terms and sentences."""
        sides = self.sides if weighting == "groups" else None
        return clustered_mean(
            values[mask],
            self.attributes[mask],
            weighting="items" if weighting == "pairs" else "clusters",
            sides=None if sides is None else sides[mask],
            crossed=[kind[mask] for kind in self.clusters],
            strata=None if self.lists is None else self.lists[mask],
            share=share,
        )

    def placebo(self, weighting: Weighting) -> Placebo | None:
        """Score groups among which terms are changed at random; None with too few terms."""
        mask = self.decided if weighting == "pairs" else self.decided & self.named
        if len(self.term_kinds) != 1 or not mask.any():
            return None
        sides = self.sides if weighting == "groups" else None
        weights = item_weights(
            self.attributes[mask],
            weighting="items" if weighting == "pairs" else "clusters",
            sides=None if sides is None else sides[mask],
        )
        term = np.unique(self.term_kinds[0][mask], return_inverse=True)[1]
        of_terms = np.bincount(term, weights * self.sign[mask] / 2)
        if len(of_terms) < FEWEST_TERMS:
            return None
        changed = self.rng("placebo").choice([-1.0, 1.0], size=(PLACEBO_GROUPS, len(of_terms)))
        drawn = changed @ of_terms
        # Sums of the same numbers differ by rounding.
        as_far = int((np.abs(drawn) >= abs(of_terms.sum()) - 1e-9).sum())
        low, high = np.quantile(0.5 + drawn, [0.025, 0.975]).tolist()
        p = (1 + as_far) / (1 + PLACEBO_GROUPS)
        return Placebo(len(of_terms), PLACEBO_GROUPS, low, high, p)

    def pull(self, weighting: Weighting) -> Pull | None:
        """Count how often one group's version wins; None unless both groups have stereotypes."""
        if self.sides is None or any(p.pairing != "group" for p in self.pairs):
            return None
        halves = [self.named & self.decided & (self.sides == side) for side in (0, 1)]
        if not all(half.any() for half in halves):
            return None
        halves.sort(key=lambda half: int(self.order[half].min()))
        group, other = self.pairs[int(np.argmax(halves[0]))].groups
        won = self.sign == np.where(self.sides == self.sides[halves[0]][0], 1, -1)
        mask = halves[0] | halves[1]
        whole = self.over_attributes(won.astype(float), mask, weighting, share=True)
        shares = [float(won[half].mean()) for half in halves]
        estimate, (low, high) = whole.estimate, whole.share_limits(self.level)
        about = [self._about(half) for half in halves]
        if estimate < 0.5:
            group, estimate, low, high = other, 1 - estimate, 1 - high, 1 - low
            shares = [1 - share for share in shares]
        interval = Interval(low, high, self.level, self.over(attributes=True))
        return Pull(group, (about[0], about[1]), (shares[0], shares[1]), estimate, interval)

    def _about(self, half: NDArray[np.bool_]) -> str:
        """Name what a half of the pairs is about."""
        pairs = [self.pairs[i] for i in np.flatnonzero(half)]
        lists = {pair.attribute_list for pair in pairs}
        name = lists.pop() if len(lists) == 1 else ""
        return name or f"stereotypes of {pairs[0].groups[0]}"

    def share_interval(
        self, mask: NDArray[np.bool_], clusters: Sequence[NDArray[np.int64]], kind: str, label: str
    ) -> Interval:
        """Return the interval of the share of wins: see `interval_of_share`."""
        return interval_of_share(
            (self.sign == 1)[mask],
            [c[mask] for c in clusters],
            level=self.level,
            kind=kind,
            resamples=self.resamples,
            rng=self.rng(label),
        )

    def drawn(
        self,
        values: Floats,
        mask: NDArray[np.bool_],
        clusters: Sequence[NDArray[np.int64]],
        label: str,
    ) -> ClusterBootstrap:
        """Return resampled means of some of the pairs."""
        return cluster_bootstrap(
            values[mask], [c[mask] for c in clusters], resamples=self.resamples, rng=self.rng(label)
        )


def interval_of_share(
    won: NDArray[np.bool_],
    clusters: Sequence[NDArray[np.int64]],
    *,
    level: float,
    kind: str,
    resamples: int,
    rng: np.random.Generator,
) -> Interval:
    """Return the interval of a share: by clusters, or Wilson's without any.

    If all items agree, no resample differs: then Wilson's interval is used, with the smallest
    number of clusters of a kind in place of the number of items.

    - `won`: ndarray of bool, shape (n,).
    - `clusters`: sequence of ndarray of int64, shape (n,) each.
    - `level`, `kind`: of the interval.
    - `resamples`, `rng`: of the bootstrap.
    """
    n, wins = len(won), int(won.sum())
    if n == 0:
        return Interval(math.nan, math.nan, level, kind)
    repeated = [k for k in (len(np.unique(c)) for c in clusters) if 1 < k < n]
    if wins in (0, n) or not repeated:
        trials = min(repeated, default=n)
        low, high = wilson(trials * wins / n, trials, level)
        return Interval(float(low), float(high), level, kind)
    drawn = cluster_bootstrap(won.astype(float), clusters, resamples=resamples, rng=rng)
    return Interval(*drawn.limits(level, share=True), level, kind)


def signs(log_odds: Floats, tie_within: float) -> Floats:
    """Return 1 for a win of the stereotype, -1 for a loss, 0 for a tie, or NaN."""
    values = np.asarray(log_odds, dtype=float)
    sign = np.where(np.abs(values) <= tie_within, 0.0, np.sign(values))
    return np.where(np.isfinite(values), sign, np.nan)


def one_sided(pairs: Sequence[SentencePair]) -> tuple[str, str] | None:
    """Return the groups with and against the stereotype, if they are the same for all pairs.

    Then a model that finds one group's terms more probable in any sentence looks biased. None for
    pairs that swap the attribute, whose versions share the group's term, or that name no groups.
    """
    sides = {(pair.pairing, *pair.groups) for pair in pairs}
    pairing, first, second = next(iter(sides), ("", "", ""))
    alone = len(sides) == 1 and pairing == "group" and first and second and first != second
    return (first, second) if alone else None


def _term_kinds(pairs: Sequence[SentencePair]) -> list[NDArray[np.int64]]:
    """Return which term of either group a pair has, as clusters.

    Where each term of one group always meets the same term of the other, the latter's clusters
    hold the former's, and count alone.
    """
    if any(pair.pairing != "group" for pair in pairs):
        return []
    terms = []
    for i, pair in enumerate(pairs):
        either = sorted(zip(pair.groups, pair.term_texts(), strict=True), key=str)
        # A pair whose terms are unknown is its own cluster.
        terms.append([f"\0{i}" if text is None else text.casefold() for _, text in either])
    first, second = (
        np.unique(np.array(of_group, dtype=object), return_inverse=True)[1].astype(np.int64)
        for of_group in (zip(*terms, strict=True) if terms else ((), ()))
    )
    met = len(np.unique(np.stack([first, second]), axis=1).T)
    sizes = [len(np.unique(kind)) for kind in (first, second)]
    kinds = [first, second]
    if met == max(sizes):
        kinds = [kinds[int(np.argmin(sizes))]]
    return [kind for kind in kinds if 1 < len(np.unique(kind)) < len(pairs)]


def _rank(pair: SentencePair) -> tuple[object, ...]:
    return (pair.attribute, sorted(pair.versions), pair.id)


def _labels(names: Sequence[str]) -> NDArray[np.int64]:
    """Number the names by first appearance."""
    known: dict[str, int] = {}
    return np.array([known.setdefault(name, len(known)) for name in names], dtype=np.int64)


def crossed_terms(
    pairs: Sequence[SentencePair],
    log_odds: Floats,
    factors: Factors,
    signs: Mapping[str, float] | None,
    *,
    unit: str,
    level: float,
) -> CrossedGroups:
    """Estimate effects of crossed groups: see `StereotypeScore.crossed_groups`.

    - `log_odds`, ndarray, shape (n,): of the stereotyped version against the other one; NaN if it
      could not be scored.
    - `factors`, `signs`: as of that method.
    - `unit`: of the log-odds.
    - `level`: of the intervals.
    """
    if any(pair.pairing != "group" for pair in pairs):
        raise QueryError(
            "These pairs swap the attribute, so both versions are about one group. Score pairs"
            " that swap the group's term (pairing='group')."
        )
    terms = []
    for pair in pairs:
        first, second = pair.term_texts()
        if first is None or second is None:
            raise QueryError(
                f"It is unclear which word of {pair.stereotyped!r} is the group's term. Mark the"
                " terms of all pairs."
            )
        terms.append((first, second))
    words = frozenset(word for both in terms for term in both for word in words_of(term))
    attributes = list(dict.fromkeys(pair.attribute for pair in pairs))
    frames = np.array([frame(pair, words) for pair in pairs], dtype=object)
    return crossed_groups(
        log_odds,
        terms,
        np.array([attributes.index(pair.attribute) for pair in pairs], dtype=np.int64),
        np.unique(frames, return_inverse=True)[1].astype(np.int64),
        attributes,
        factors,
        unit=unit,
        observers="frames",
        level=level,
        signs=signs,
    )
