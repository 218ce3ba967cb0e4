"""Tables of docs/guide/replication.md on the JND of Liang and Acuna (2020), Fig. 3b.

What it would take for a hairdresser to be blurred and a lawyer sharp, and which correlation of JND
and the SD of the proportion chance alone gives. Measured values of the bundled ensemble are the
truth of the simulations.
"""

from __future__ import annotations

import lzma
import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import biaslab as bl
from biaslab.probes.occupations import OccupationsResult
from biaslab.stats.correlation import correlate
from markdown_tables import minus, table

Sections = dict[str, Callable[[], str]]
Floats = NDArray[np.float64]
DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
CORPUS = DATA / "corpora" / "enwiki-2015-sample.txt.xz"
BLURRED, SHARP = "hairdresser", "lawyer"
REPLICATES = (8, 32, 128)
RUNS = 400
#: The paper's number of words, and its correlation of JND and SD of the proportion.
THEIR_N, THEIR_R = 29, 0.401
DRAWS = 20_000
QUARTILE = 0.67449
"""JND of a normal curve of SD 1."""
POWER = 1.96 + 0.84
"""Standard errors that an effect needs to be clear at 95 % in 80 % of runs."""


def bundled() -> Sections:
    """Sections that rest on the bundled subject alone."""
    return {"sharp and blurred": sharp_and_blurred, "correlations by chance": by_chance}


def with_corpus() -> Sections:
    """Sections that need the sample of Wikipedia."""
    return {"JND and frequency": frequency}


def present() -> bool:
    """Whether the corpus is there."""
    return CORPUS.is_file()


@cache
def measured() -> OccupationsResult:
    """The occupations of the bundled ensemble under eight pairs."""
    return bl.occupations(bl.load("wiki-bootstraps"))


def sharp_and_blurred() -> str:
    """How often simulated runs put the blurred word above the sharp one, and clearly."""
    asked = measured().contrasts[0]
    places = [asked.index(word) for word in (BLURRED, SHARP)]
    pse, jnd = asked.by_pair.pse[places], asked.by_pair.jnd[places]
    centre, between = pse.mean(axis=1), float(np.median(asked.by_pair.pse.std(axis=1, ddof=1)))
    rng = np.random.default_rng(0)
    rows = []
    for replicates in REPLICATES:
        single, mean, pooled = np.empty((RUNS, len(asked.pairs))), np.empty(RUNS), np.empty(RUNS)
        for run in range(RUNS):
            truth = centre[:, None] + between * rng.standard_normal(pse.shape)
            drawn = truth + jnd / QUARTILE * rng.standard_normal((replicates, *pse.shape))
            own = drawn.std(axis=0, ddof=1)
            single[run] = np.log(own[0] / own[1])
            mean[run] = single[run].mean()
            spread = (own**2).mean(axis=1) + drawn.mean(axis=0).var(axis=1, ddof=1)
            pooled[run] = np.log(spread[0] / spread[1]) / 2
        cells = []
        for values, error in (
            (single, (replicates - 1) ** -0.5), (mean, mean.std()), (pooled, pooled.std())
        ):  # fmt: skip
            cells += [_share(values > 0, 0), _share(values > 1.96 * error, 0)]
        rows.append([str(replicates), *cells])
    heads = [
        f"{how}: {what}"
        for how in ("one pair", "mean of eight pairs", "pooled over eight pairs")
        for what in ("above", "clearly")
    ]
    ratio = np.exp(np.log(jnd[0] / jnd[1]).mean())
    of_pooled = np.sqrt(between**2 + ((jnd / QUARTILE) ** 2).mean(axis=1))
    needed = (POWER / np.log(of_pooled[0] / of_pooled[1])) ** 2 + 1
    lead = (
        f"The JND of *{BLURRED}* is above that of *{SHARP}* under {int((jnd[0] > jnd[1]).sum())} of"
        f" {len(asked.pairs)} pairs, {ratio:.2f} times as high on average; pooled,"
        f" {asked.pooled.jnd[places[0]] / asked.pooled.jnd[places[1]]:.2f} times. If the pairs of"
        f" both words lie as far apart as those of the median word, the pooled ratio is"
        f" {of_pooled[0] / of_pooled[1]:.2f}, and about {round(needed, -2):,.0f} pairs show it in"
        " 80 % of runs."
    )
    return lead + "\n\n" + table(["replicates", *heads], rows)


def _ways() -> tuple[Floats, list[str], Floats]:
    """The SD of the proportion, names of ways to take a JND, and those JNDs, (ways, words)."""
    result = measured()
    found = result.agreement("jnd")
    places = [result.words.index(word) for word in found.words]
    asked = result.contrasts[0]
    own = asked.by_pair.jnd[places]
    names = ["pooled", "mean of the pairs' own", *(" / ".join(pair) for pair in asked.pairs)]
    return found.x, names, np.stack([asked.pooled.jnd[places], own.mean(axis=1), *own.T])


def by_chance() -> str:
    """Correlations of 29 of our words, as measured and with the outside numbers shuffled."""
    x, names, ways = _ways()
    rng = np.random.default_rng(0)
    drawn = np.stack([rng.permutation(len(x))[:THEIR_N] for _ in range(DRAWS)])
    as_measured = np.stack([_r(x[drawn], way[drawn]) for way in ways])
    shuffled = np.stack([_r(x[rng.permuted(drawn, axis=1)], way[drawn]) for way in ways[:2]])
    same = rng.permuted(drawn, axis=1)
    any_way = np.stack([_r(x[same], way[drawn]) for way in ways])
    rows = []
    for i, name in enumerate(names[:2]):
        low, high = np.quantile(as_measured[i], (0.025, 0.975))
        rows.append(
            [
                name,
                minus(f"{low:.2f} to {high:.2f}"),
                _share(as_measured[i] >= THEIR_R),
                _share(np.abs(shuffled[i]) >= THEIR_R),
            ]
        )
    low, high = np.quantile(as_measured[2:], (0.025, 0.975))
    best = as_measured.max(axis=0)
    rows.append(
        [
            f"any of the {len(ways)} ways, with the eight single pairs",
            minus(f"{low:.2f} to {high:.2f}"),
            _share(best >= THEIR_R),
            _share(np.abs(any_way).max(axis=0) >= THEIR_R),
        ]
    )
    heads = [
        "JND",
        f"r of {THEIR_N} of our {len(x)} words",
        f"{THEIR_R} or more",
        f"without any relation, {THEIR_R} or more in size",
    ]
    return table(heads, rows)


def frequency() -> str:
    """How the JND of single pairs and the SD of the proportion go with a word's frequency."""
    result = measured()
    counts: Counter[str] = Counter()
    wanted = set(result.words)
    with lzma.open(CORPUS, "rt", encoding="utf-8") as lines:
        for line in lines:
            counts.update(w for w in re.findall("[a-z]+", line.lower()) if w in wanted)
    often = np.log([counts[word] for word in result.words])
    asked = result.contrasts[0]
    own = np.log(asked.by_pair.jnd).mean(axis=1)
    x, _, _ = _ways()
    with_number = [result.words.index(word) for word in result.agreement("jnd").words]
    pairs = (
        ("log JND, mean of the pairs' own", often, own),
        ("log JND, pooled", often, np.log(asked.pooled.jnd)),
        ("√(p(1 − p))", often[with_number], x),
    )
    rows = []
    for name, one, two in pairs:
        found = correlate(one, two)
        slope = np.polyfit(one, two, 1)[0]
        low, high = found.interval.tolist()
        rows.append(
            [name, minus(f"{found.r:.2f} ({low:.2f} to {high:.2f})"), minus(f"{slope:.2f}")]
        )
    lead = (
        f"*{BLURRED}* occurs {counts[BLURRED]} times in the sample, *{SHARP}* {counts[SHARP]:,}"
        " times."
    )
    return lead + "\n\n" + table(["against the log of a word's count", "r", "slope"], rows)


def _r(x: Floats, y: Floats) -> Floats:
    x = x - x.mean(axis=-1, keepdims=True)
    y = y - y.mean(axis=-1, keepdims=True)
    return np.asarray((x * y).sum(axis=-1) / np.sqrt((x**2).sum(axis=-1) * (y**2).sum(axis=-1)))


def _share(mask: NDArray[np.bool_], digits: int = 1) -> str:
    return f"{100 * mask.mean():.{digits}f} %"
