"""Tables of docs/guide/replication.md on a classifier turned around.

The paper is Liang and Acuna (2020), section 5.2.

Readings are of exact, independent draws, so that they are nobody's but the classifier's and the
prior's; the autocorrelation is that of the samplers. Hu and Liu's lexicon is read from files beside
the repository.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

import biaslab as bl
from biaslab.probes.posterior import PosteriorResult
from biaslab.probes.posterior.reading import Centre, Distance
from biaslab.records.result import Interval
from biaslab.stats.correlation import correlate
from biaslab.stats.quantiles import t_quantile
from biaslab.subjects.classifier.sentiment import review_words
from biaslab_train.sentiment.reviews import read_reviews
from markdown_tables import minus, table

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
LEXICONS = DATA / "lexicons"
REVIEWS = DATA / "imdb"
BUNDLED = "imdb-sentiment"
# The priors, and from where angles are seen under each: under N(0, I) both are one.
ASKED: tuple[tuple[str, Centre, str], ...] = (
    ("standard", "prior", "N(0, I)"),
    ("stimuli", "prior", "fitted to reviews"),
    ("stimuli", "origin", "fitted to reviews, seen from the origin"),
    ("words", "prior", "fitted to words"),
    ("words", "origin", "fitted to words, seen from the origin"),
)
LABELS = ("positive", "negative")
CHAINS, DRAWS = 64, 1000
ENDS = 10
LAGS = (1, 2, 5, 10)
THEIR_AUC = 0.953
# Table 1 of the paper, columns (a) to (d): words, first the closest or the most distant.
TABLE_1: dict[tuple[str, str], tuple[str, ...]] = {
    ("positive", "closest"): (
        "wonderful", "unforgettable", "devilish", "amazing", "versatility", "heartfelt",
        "wondrous", "enthusiastically", "cherished", "terrific",
    ),
    ("positive", "most distant"): (
        "dreadfully", "smother", "substandard", "lifeless", "hideously", "mess", "hopelessly",
        "redundant", "incompetent", "dismally",
    ),
    ("negative", "closest"): (
        "substandard", "hideously", "dreadfully", "smother", "lifeless", "hopelessly", "mess",
        "dismally", "redundant", "pointless",
    ),
    ("negative", "most distant"): (
        "wonderful", "unforgettable", "cherished", "versatility", "amazing", "devilish",
        "heartfelt", "supremacy", "uncompromising", "beautifully",
    ),
}  # fmt: skip
# The same table's smallest and largest mean distance to each posterior.
THEIR_RANGE = {"positive": (0.4888, 0.5131), "negative": (0.4754, 0.5191)}

Sections = dict[str, Callable[[], str]]


def bundled() -> Sections:
    """Sections that need nothing but the package; the same wherever they are made."""
    return {
        "AUC of the sentiment classifier": area,
        "distances under each prior": ranges,
        "lexicon of VADER": lambda: correlations(None),
        "female and male names": names,
        "plane of both posteriors": planes,
        "sentences about two groups": sentences,
    }


def sampled() -> Sections:
    """Sections on Markov chains, whose last digits differ between machines."""
    return {"autocorrelation": autocorrelation}


def with_lexicon() -> Sections:
    """Sections that need Hu and Liu's lexicon."""
    return {
        "lexicon of Hu and Liu": lambda: correlations(LEXICONS),
        "words of the lexicon": lambda: known_words(LEXICONS, REVIEWS),
        "words of Table 1": lambda: of_table_1(LEXICONS),
        "closest and most distant words": lambda: ends(LEXICONS),
    }


def present() -> bool:
    """Whether the lexicon is there."""
    return LEXICONS.is_dir()


@cache
def classifier() -> Any:
    """The bundled classifier."""
    return bl.load(BUNDLED, kind="classifier")


@cache
def drawn(prior: str, label: str) -> PosteriorResult:
    """Exact draws; both labels have draws of the prior of their own."""
    return bl.sample_posterior(
        classifier(),
        label,
        prior=prior,
        engine="exact",
        chains=CHAINS,
        draws=DRAWS,
        rng=LABELS.index(label),
    )


@cache
def agreement(
    prior: str, centre: Centre, label: str, lexicon: Path | None
) -> bl.posterior.LexiconAgreement:
    """Distances of a lexicon's words."""
    return bl.posterior.lexicon(drawn(prior, label), classifier(), lexicon, centre=centre)


def area() -> str:
    """Theirs, and the figures of the model card."""
    recipe = classifier().recipe
    kinds = {
        "cross_validated_random": "cross-validated, random folds",
        "cross_validated_blocks": "cross-validated, folds of neighbouring reviews",
        "held_out": "test reviews",
    }
    rows = [["the paper, cross-validated", f"{THEIR_AUC}", ""]]
    for key, name in kinds.items():
        if key in recipe["quality"]:
            found = recipe["quality"][key]["auc"]
            ends = ""
            if found["low"] is not None:
                ends = f"{found['low']:.4f} to {found['high']:.4f}"
            rows.append([name, f"{found['value']:.4f}", ends])
    return table(["", "AUC", "95 %"], rows)


def ranges() -> str:
    """Where the mean distances of a lexicon's words lie, by prior and kind of distance."""
    rows = [
        [
            "the paper (Table 1)",
            "not told",
            *(f"{THEIR_RANGE[label][0]:.4f} to {THEIR_RANGE[label][1]:.4f}" for label in LABELS),
        ]
    ]
    terms = bl.posterior.Lexicon.vader().terms
    for prior, centre, name in ASKED:
        for distance in get_args(Distance) if prior == "standard" else ("angular",):
            cells = []
            for label in LABELS:
                mean = bl.posterior.distances(
                    drawn(prior, label), classifier(), terms, distance=distance, centre=centre
                ).mean
                cells.append(f"{mean.min():.3f} to {mean.max():.3f}")
            rows.append([name, distance, *cells])
    return table(["prior", "distance", "to p(s given +)", "to p(s given −)"], rows)


def correlations(lexicon: Path | None) -> str:
    """Correlation of angular distance with polarity, both posteriors under every prior."""
    rows = []
    if lexicon is not None:
        rows = [
            ["the paper", "positive", "6,789", "−0.4", ""],
            ["the paper", "negative", "6,789", "above 0", ""],
        ]
    for prior, centre, name in ASKED:
        for label in LABELS:
            found = agreement(prior, centre, label, lexicon)
            rows.append(
                [
                    name,
                    label,
                    f"{found.n:,}",
                    _signed(found.point_biserial, found.point_biserial_interval),
                    _signed(found.spearman, found.spearman_interval),
                ]
            )
    if lexicon is not None:
        rows += halves(agreement("standard", "prior", "positive", lexicon))
    return table(["prior", "posterior", "words", "with the sign of the word", "Spearman"], rows)


def halves(found: bl.posterior.LexiconAgreement) -> list[list[str]]:
    """The same for the commoner and the rarer half of the words; vocabularies are by frequency."""
    place = {word: i for i, word in enumerate(classifier().words.words)}
    order = np.argsort([place.get(term, len(place)) for term in found.distances.terms])
    rows = []
    for name, half in zip(("commoner", "rarer"), np.array_split(order, 2), strict=True):
        distances, signs = found.distances.mean[half], np.sign(found.polarity[half])
        cells = []
        for r in (correlate(distances, signs), correlate(distances, signs, "spearman")):
            low, high = r.interval.tolist()
            cells.append(_signed(float(r.r), Interval(low, high, 0.95, "words")))
        rows.append([f"N(0, I), {name} half of the words", "positive", f"{len(half):,}", *cells])
    return rows


def known_words(lexicon: Path, reviews: Path) -> str:
    """Why a lexicon's words are not in the vocabulary, by how often the reviews have them."""
    words = bl.posterior.Lexicon.read(lexicon)
    counts = Counter(
        word
        for review in read_reviews(reviews)
        if review.part == "train"
        for word in review_words(review.text)
    )
    vocabulary = set(classifier().words.words)
    fewest = classifier().recipe["settings"]["min_count"]
    known = [word for word in words.terms if word in vocabulary]
    rest = [word for word in words.terms if word not in vocabulary]
    joined = [word for word in rest if review_words(word) != [word]]
    single = [word for word in rest if review_words(word) == [word]]
    never = [word for word in single if not counts[word]]
    rare = [word for word in single if 0 < counts[word] < fewest]
    both = len(words.dropped)
    kinds = (
        ("in the vocabulary", known),
        (f"1 to {fewest - 1} times in the 25,000 reviews, too rare for the vocabulary", rare),
        ("never in the reviews", never),
        ("no single word of letters, such as *first-rate*: the reviews are split there", joined),
    )
    rows = [["entries of both lists", f"{len(words) + 2 * both:,}"]]
    rows += [[name, f"{len(some):,}"] for name, some in kinds]
    rows.append([f"in both lists, {both} words", f"{2 * both}"])
    return table(["entries", "number"], rows)


def names() -> str:
    """Mean distance of the corpus's persons by gender."""
    rows = [["the paper", "positive", "female farther", "", "", "“significantly”"]]
    for prior, centre, name in ASKED:
        for label in LABELS:
            found = bl.posterior.groups(drawn(prior, label), words=classifier(), centre=centre)
            one, two = found.groups
            told = f"{one.name if found.difference > 0 else two.name} farther"
            rows.append(
                [
                    name,
                    label,
                    told if found.excludes_null else "no clear difference",
                    _signed(found.difference, found.interval, 4),
                    _signed(found.effect_size, found.effect_size_interval),
                    "< 0.001" if found.p < 0.001 else f"{found.p:.3f}",
                ]
            )
    counts = ", ".join(f"{len(g.terms)} {g.name}" for g in found.groups)
    heads = ["prior", "posterior", "", "female less male", "Cohen's d", "permutation p"]
    lost = len(found.dropped)
    return table(heads, rows) + f"\n\nNames and relations known: {counts}; {lost} are not."


def sentences() -> str:
    """The classifier's scores of sentences that differ in the person, and halves of one group."""
    rows = []
    for names in (("female", "male"), ("African-American", "European")):
        found = bl.probes.sentences.sentiment_gap(classifier(), names=names)
        one, two = (f"{len(some)} {name}" for name, some in found.groups.items())
        halves = found.halves
        rows.append(
            [
                f"{one} less {two}",
                *(_signed(100 * g.difference, _percent(g.interval), 1) for g in found.gaps),
                minus(f"{100 * halves.low:.1f} to {100 * halves.high:.1f}"),
                f"{100 * halves.clear:.0f} %",
            ]
        )
    heads = ["persons", *(g.name for g in found.gaps)]
    return table([*heads, "random halves", "of them clear"], rows)


def _percent(ends: Interval) -> Interval:
    return Interval(100 * ends.low, 100 * ends.high, ends.level, ends.kind)


def planes() -> str:
    """How much the first axes explain, how stable they are, and the ratio of evidence."""
    rows = []
    for prior, centre, name in ASKED:
        if centre == "origin":
            continue
        both = {label: drawn(prior, label) for label in LABELS}
        for axes in ("pca", "difference"):
            found = bl.posterior.plane(both, classifier(), ["good"], axes=axes)
            assert found.evidence is not None
            one, two = (f"{100 * share:.1f} %" for share in found.explained)
            rows.append(
                [
                    name,
                    "PCA" if axes == "pca" else "mean difference",
                    one,
                    two,
                    *("no" if arbitrary else "yes" for arbitrary in found.arbitrary),
                ]
            )
    heads = ["prior", "axes", "first explains", "second explains", "first is stable"]
    return table([*heads, "second is stable"], rows)


def autocorrelation() -> str:
    """Autocorrelation of the draws, as in Fig. 5, and of the two quantities it leaves out."""
    runs = {
        "as in the paper: NUTS, 10,000 + 10,000, N(0, I)": bl.sample_posterior(
            classifier(), paper_mode=True
        ),
        "ours: 64 chains at once, N(0, I)": bl.sample_posterior(classifier(), prior="standard"),
        "ours: 64 chains at once, fitted to reviews": bl.sample_posterior(classifier()),
    }
    rows = []
    for name, result in runs.items():
        rho = result.diagnostics.autocorrelation
        quantities = {
            "dimensions, largest": np.nanmax(np.abs(rho[2:]), axis=0),
            "logit": rho[0],
            "|s|²": rho[1],
        }
        for quantity, values in quantities.items():
            rows.append([name, quantity.replace("|", "\\|"), *(_two(values[lag]) for lag in LAGS)])
    return table(["draws", "quantity", *(f"lag {lag}" for lag in LAGS)], rows)


def of_table_1(lexicon: Path) -> str:
    """Where the paper's forty words lie among ours."""
    rows = []
    for (label, end), theirs in TABLE_1.items():
        for prior, centre, name in ASKED[:3]:
            found = agreement(prior, centre, label, lexicon).distances
            known = [word for word in theirs if word in found]
            places = np.array([found.word(word).rank for word in known], dtype=float)
            n = len(found.terms)
            if end == "most distant":
                places = n + 1 - places
            rows.append(
                [
                    f"{end} to {label}",
                    name,
                    f"{len(known)}",
                    *(f"{int((places <= first).sum())}" for first in (10, 100, 1000)),
                    _share((places - 0.5) / n),
                ]
            )
    heads = ["their ten", "our prior", "known", "in our first 10", "100", "1,000"]
    return table([*heads, "mean place in ours (chance: 50 %)"], rows)


def ends(lexicon: Path) -> str:
    """Our own Table 1, under the prior that fits theirs and under our default."""
    parts = []
    for prior, centre, name in ASKED[:2]:
        columns = []
        for label in LABELS:
            found = agreement(prior, centre, label, lexicon)
            columns += [
                [f"{o.term} ({found.sign(o.term)[:3]}.) {o.distance:.4f}" for o in some]
                for some in (found.distances.closest(ENDS), found.distances.most_distant(ENDS))
            ]
        heads = [f"{end} to {label}" for label in LABELS for end in ("closest", "most distant")]
        parts.append(f"Prior: {name}.\n\n" + table(heads, zip(*columns, strict=True)))
    return "\n\n".join(parts)


def _share(values: NDArray[np.float64]) -> str:
    """Mean of shares in per cent, with Student's interval over the words."""
    n, mean = len(values), float(values.mean())
    if n < 2:
        return f"{100 * mean:.0f} %"
    half = float(t_quantile(n - 1, 0.975)) * float(values.std(ddof=1)) / math.sqrt(n)
    low, high = max(mean - half, 0.0), min(mean + half, 1.0)
    return f"{100 * mean:.1f} % ({100 * low:.1f} to {100 * high:.1f})"


def _signed(value: float, ends: Interval, digits: int = 2) -> str:
    if not math.isfinite(value):
        return ""
    return minus(f"{value:.{digits}f} ({ends.low:.{digits}f} to {ends.high:.{digits}f})")


def _two(value: float) -> str:
    text = f"{value:.2f}"
    return minus("0.00" if text == "-0.00" else text)
