"""Path through the decision tree of a rule, and the comparisons that it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import special

from biaslab.probes.rating.output_statistics import Floats, kl_divergence, output_shares
from biaslab.probes.rating.rating import (
    DIFFERENT,
    EQUIVALENT,
    ERASED,
    NOT_SHOWN,
    ROUNDING,
    TOO_FEW,
    CorrectedRatings,
    PaperRatings,
    Tallies,
)
from biaslab.probes.rating.ratings import ORDER, Rating
from biaslab.records.record import Record
from biaslab.stats.reproducibility import places

FINDINGS = {
    EQUIVALENT: "equivalent",
    DIFFERENT: "different",
    NOT_SHOWN: "not shown",
    ERASED: "erased",
    TOO_FEW: "too few",
}
_HALVINGS = 25
_FARTHEST_Z = 8.0


@dataclass(frozen=True)
class Comparison(Record):
    """One two-sample test of the paper's rule.

    Attributes
    ----------
    step : int
        1 (unbiased block, biased specification) or 2 (the other way round).
    block, specification : str
        Names of the distributions.
    output, specified : tuple of float
        Counts by value.
    statistic, p, kl : float
        Of the test, and the divergence in nats; NaN if nothing was resolved.
    df : int
        Degrees of freedom; 0 if the test has none.
    similar : bool
        Whether the output counts as similar.
    """

    step: int
    block: str
    specification: str
    output: tuple[float, ...]
    specified: tuple[float, ...]
    statistic: float
    df: int
    p: float
    kl: float
    similar: bool


@dataclass(frozen=True)
class BlockFinding(Record):
    """Finding of the corrected rule on one block.

    Attributes
    ----------
    block, kind : str
        Name and kind of its distribution.
    finding : str
        ``equivalent``, ``different`` (shown to be), ``not shown`` (to be either), ``erased`` or
        ``too few``.
    input_shares : tuple of float
        Of all values.
    output : tuple of float
        Resolved counts of all values.
    unresolved, mentions : float
        Counts.
    kept : float
        Largest share of a named value that was returned as a named value.
    values : tuple of str
        That are compared.
    shares, low, high : tuple of float
        Among mentions that kept one, with limits of the rule's level on each side.
    target : tuple of float
        The nearest unbiased specification.
    p : float
        Of the equivalence test: the smallest 1 - level at which equivalence would be shown; above
        0.5 if the estimate itself is not within the margin, then 1. NaN if it was not
        requested.
    predicted : bool
        Whether the block was run with other shares.
    """

    block: str
    kind: str
    finding: str
    input_shares: tuple[float, ...]
    output: tuple[float, ...]
    unresolved: float
    mentions: float
    kept: float
    values: tuple[str, ...]
    shares: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    target: tuple[float, ...]
    p: float
    predicted: bool

    @property
    def unknown(self) -> bool:
        """Whether the block is predicted with a value that no text of the run had."""
        return self.predicted and sum(self.output) <= 0

    @property
    def farthest(self) -> int:
        """Index of the compared value whose share is farthest from its target.

        Two shares that sum to 1 are equally far from theirs.
        """
        away = np.abs(np.subtract(self.shares, self.target))
        return int(places(away, rounding=1e-9).argmax())

    @property
    def named(self) -> float:
        """Number of mentions returned as a named value."""
        return float(sum(self.output[:-1]))


def comparisons(ratings: PaperRatings, tallies: Tallies, i: int) -> tuple[Comparison, ...]:
    """Return the comparisons of language `i`, first step 1, then step 2."""
    names = [d.name for d in tallies.distributions]
    divergence = kl_divergence(ratings.output[i], ratings.specified)
    result = []
    for c, (block, specification) in enumerate(ratings.pairs):
        result.append(
            Comparison(
                int(ratings.step[c]),
                names[block],
                names[specification],
                tuple(ratings.output[i, c].tolist()),
                tuple(ratings.specified[c].tolist()),
                float(ratings.tests.statistic[i, c]),
                int(ratings.tests.df[i, c]),
                float(ratings.tests.p[i, c]),
                float(divergence[c]),
                bool(ratings.similar[i, c]),
            )
        )
    return tuple(result)


def block_findings(
    ratings: CorrectedRatings, tallies: Tallies, p: Floats, i: int, values: tuple[str, ...]
) -> tuple[BlockFinding, ...]:
    """Return the corrected rule's finding on each block of language `i`."""
    compared = tuple(v for v, use in zip(values, tallies.compared, strict=True) if use)
    result = []
    for b, distribution in enumerate(tallies.distributions):
        resolved = tallies.resolved[i, b]
        result.append(
            BlockFinding(
                distribution.name,
                distribution.kind,
                FINDINGS[int(ratings.block[i, b])],
                distribution.shares,
                tuple(tallies.output[i, b].tolist()),
                float(max(tallies.mentions[b] - resolved, 0.0)),
                float(tallies.mentions[b]),
                float(ratings.kept[i, b]),
                compared,
                tuple(ratings.shares.share[i, b].tolist()),
                tuple(ratings.shares.low[i, b].tolist()),
                tuple(ratings.shares.high[i, b].tolist()),
                tuple(ratings.targets[ratings.nearest[i, b]].tolist()),
                float(p[i, b]),
                bool(tallies.predicted is not None and tallies.predicted[b]),
            )
        )
    return tuple(result)


def equivalence_p(tallies: Tallies, targets: Floats, margin: float) -> Floats:
    """Return p-values of the blocks' equivalence tests, (..., B), or NaN.

    The widest limits that still lie within the margin of one target give it; with U targets it is
    U times as large (Bonferroni), as the rule's test is.
    """
    rows, effect = tallies.rows, tallies.design_effect[..., None]
    low_z = np.zeros(rows.shape[:-2])
    high_z = np.full(rows.shape[:-2], _FARTHEST_Z)

    def inside(z: Floats) -> NDArray[np.bool_]:
        limits = output_shares(rows, tallies.shares, z, effect)
        low, high = limits.low[..., None, :], limits.high[..., None, :]
        least, most = targets - margin - ROUNDING, targets + margin + ROUNDING
        return np.asarray(((low >= least) & (high <= most)).all(-1).any(-1))

    at_zero = inside(low_z)
    for _ in range(_HALVINGS):
        middle = (low_z + high_z) / 2
        is_inside = inside(middle)
        low_z, high_z = np.where(is_inside, middle, low_z), np.where(is_inside, high_z, middle)
    p = np.where(at_zero, np.minimum(special.ndtr(-low_z) * len(targets), 1.0), 1.0)
    return np.where(rows[..., :-1].sum((-2, -1)) > 0, p, np.nan)


@dataclass(frozen=True)
class Node(Record):
    """A question of the tree, or a rating at its end.

    Attributes
    ----------
    key : str
        ``kept``, ``unbiased``, ``biased``, or a rating.
    title, question : str
        Topic and question; a rating has its name and no question.
    note : str
        The counts or shares behind the answer; empty if it was not reached.
    on_path : bool
        Whether the way leads through it.
    is_rating : bool
        Whether it is an end.
    """

    key: str
    title: str
    question: str = ""
    note: str = ""
    on_path: bool = False
    is_rating: bool = False


@dataclass(frozen=True)
class Edge(Record):
    """From a node to the next.

    Attributes
    ----------
    source, target : str
        Keys of the nodes.
    answer : str
        ``yes`` or ``no``.
    on_path : bool
        Whether the way leads along it.
    """

    source: str
    target: str
    answer: str
    on_path: bool = False


@dataclass(frozen=True)
class DecisionPath(Record):
    """The whole tree of a rule, with the way that was taken.

    Attributes
    ----------
    rule : str
        ``paper`` (Fig. 2 of Srivastava and Rossi 2018) or ``corrected``.
    rating : Rating
        At its end.
    nodes : tuple of Node
        Questions in their order, then ratings.
    edges : tuple of Edge
        Between them.
    """

    rule: str
    rating: Rating
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]

    @property
    def is_open(self) -> bool:
        """Whether the way ends at a question whose answer was not shown."""
        return bool(self.taken) and not any(n.on_path and n.is_rating for n in self.nodes)

    @property
    def taken(self) -> tuple[str, ...]:
        """Keys of the nodes on the way, in order."""
        return tuple(node.key for node in self.nodes if node.on_path)


_PAPER_EDGES: tuple[tuple[str, str, str], ...] = (
    ("unbiased", "BS", "yes"),
    ("unbiased", "biased", "no"),
    ("biased", "UCS", "yes"),
    ("biased", "DSBS", "no"),
)
_CORRECTED_EDGES: tuple[tuple[str, str, str], ...] = (
    ("kept", "not rateable", "no"),
    ("kept", "unbiased", "yes"),
    ("unbiased", "BS", "no"),
    ("unbiased", "biased", "yes"),
    ("biased", "UCS", "no"),
    ("biased", "DSBS", "yes"),
)


def paper_path(comparisons: Sequence[Comparison], rating: Rating) -> DecisionPath:
    """Trace the path through the paper's Fig. 2; empty if too little was resolved."""
    way = {
        Rating.BS: ("unbiased", "BS"),
        Rating.UCS: ("unbiased", "biased", "UCS"),
        Rating.DSBS: ("unbiased", "biased", "DSBS"),
        Rating.NOT_RATEABLE: (),
    }[rating]
    questions = (
        Node(
            "unbiased",
            "Unbiased input",
            "output like a biased one?",
            _nearest([c for c in comparisons if c.step == 1]) if "unbiased" in way else "",
            "unbiased" in way,
        ),
        Node(
            "biased",
            "Biased input",
            "output like an unbiased one?",
            _nearest([c for c in comparisons if c.step == 2]) if "biased" in way else "",
            "biased" in way,
        ),
    )
    return _path("paper", rating, questions, ("BS", "UCS", "DSBS"), _PAPER_EDGES, way)


def corrected_path(
    findings: Sequence[BlockFinding], rating: Rating, shown: bool, attribute: str
) -> DecisionPath:
    """Trace the path through the corrected rule's tree.

    It ends at a question whose answer was not shown.

    It ends after the last question at "not rateable" if all biased inputs are equivalent to
    unbiased ones, so that their outputs are uninformative; the tree has that edge only there.
    """
    way = {
        Rating.NOT_RATEABLE: ("kept", "not rateable"),
        Rating.BS: ("kept", "unbiased", "BS"),
        Rating.UCS: ("kept", "unbiased", "biased", "UCS"),
        Rating.DSBS: ("kept", "unbiased", "biased", "DSBS"),
    }[rating]
    if not shown:
        way = way[:-1]
    edges = _CORRECTED_EDGES
    lost = any(f.finding in ("erased", "too few") for f in findings)
    if rating is Rating.NOT_RATEABLE and not lost:
        way = ("kept", "unbiased", "biased", "not rateable")
        edges = (*edges, ("biased", "not rateable", "not told"))
    unbiased = [f for f in findings if f.kind == "unbiased"]
    biased = [f for f in findings if f.kind == "biased"]
    questions = (
        Node("kept", f"Is {attribute} kept?", "", _kept_note(findings, rating), True),
        Node(
            "unbiased",
            "Unbiased input",
            "equivalent output?",
            _farthest(unbiased) if "unbiased" in way else "",
            "unbiased" in way,
        ),
        Node(
            "biased",
            "Biased input",
            "biased output?",
            _farthest(biased) if "biased" in way else "",
            "biased" in way,
        ),
    )
    ends = ("not rateable", "BS", "UCS", "DSBS")
    return _path("corrected", rating, questions, ends, edges, way)


def _path(
    rule: str,
    rating: Rating,
    questions: tuple[Node, ...],
    ends: tuple[str, ...],
    edges: tuple[tuple[str, str, str], ...],
    way: tuple[str, ...],
) -> DecisionPath:
    steps = set(pairwise(way))
    leaves = tuple(Node(end, end, on_path=end in way, is_rating=True) for end in ends)
    drawn = tuple(Edge(a, b, answer, (a, b) in steps) for a, b, answer in edges)
    return DecisionPath(rule, rating, (*questions, *leaves), drawn)


def counts_text(counts: Sequence[float]) -> str:
    """Format counts as ``20/20/0``; with a decimal if they are not whole."""
    return "/".join(f"{n:.0f}" if abs(n - round(n)) < 0.05 else f"{n:.1f}" for n in counts)


def _nearest(comparisons: Sequence[Comparison]) -> str:
    """Describe the most similar comparison, in counts."""
    best = max(comparisons, key=lambda c: -1.0 if c.p != c.p else c.p)
    like = "is like" if best.similar else "is unlike"
    return f"{counts_text(best.output)} {like} {counts_text(best.specified)}"


def _kept_note(findings: Sequence[BlockFinding], rating: Rating) -> str:
    short = [f for f in findings if f.finding in ("erased", "too few")]
    if rating in ORDER or not short:
        named, all_of = sum(f.named for f in findings), sum(f.mentions for f in findings)
        return f"{counts_text([named])} of {counts_text([all_of])} mentions keep it"
    worst = short[0]
    if worst.unknown:
        return f"{worst.block}: a value that no text had"
    if worst.finding == "too few":
        read = worst.mentions - worst.unresolved
        return f"{counts_text([read])} of {counts_text([worst.mentions])} mentions could be read"
    return f"{counts_text([worst.named])} of {counts_text([worst.mentions])} mentions keep it"


def _farthest(findings: Sequence[BlockFinding]) -> str:
    """Describe the block farthest from its target, in per cent."""

    def distance(f: BlockFinding) -> float:
        return max((abs(s - t) for s, t in zip(f.shares, f.target, strict=True)), default=0.0)

    f = max(findings, key=lambda f: (f.finding != "equivalent", distance(f)))
    j = f.farthest
    return (
        f"{f.block}: {100 * f.shares[j]:.0f} % {f.values[j].casefold()} "
        f"({100 * f.low[j]:.0f} to {100 * f.high[j]:.0f} %), {f.finding}"
    )
