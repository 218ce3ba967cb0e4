"""Print a representative result of each probe as JSON: what `tools/portability.py` compares.

Each is a flat list of numbers under a name that says of which kind they are.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import biaslab as bl
from biaslab.records.provenance import processor
from biaslab.records.result import Interval
from biaslab.stats.clustered_mean import cluster_bootstrap
from biaslab.stats.intervals import interval
from biaslab.stats.permutation import permutation_test
from biaslab.stats.psychometric import fit

Numbers = dict[str, list[float]]
WORDS = ["nurse", "engineer", "doctor", "teacher", "dancer", "lawyer"]


def main() -> int:
    """Compute and print all."""
    logging.disable(logging.WARNING)
    found: Numbers = {}
    for make in MAKERS:
        found |= dict(make())
    found = {name: [float(v) for v in values] for name, values in found.items()}
    json.dump({"processor": processor(), "numbers": found}, sys.stdout)
    return 0


def _ends(*intervals: Interval) -> list[float]:
    return [end for one in intervals for end in (one.low, one.high)]


def statistics() -> Iterator[tuple[str, list[float]]]:
    """Counts, p-values and intervals of numbers that are given."""
    rng = np.random.default_rng(1)
    won = (rng.random(120) < 0.6).astype(float)
    kinds = [np.arange(120) % 8, np.arange(120) // 10]
    found = cluster_bootstrap(won, kinds, resamples=500, rng=np.random.default_rng(2))
    yield "bootstrap of shares: totals", found.deviations.tolist()
    yield "bootstrap of shares: interval", list(found.limits(share=True))
    values = np.round(rng.standard_normal(14), 2)
    test = permutation_test(values, 7, alternative="two-sided")
    yield "permutation test: counts", [test.exceed, test.partitions]
    curve = fit(np.linspace(0, 1, 6), [0, 1, 4, 6, 9, 10], 10)
    yield "fitted curve: PSE and JND", [float(curve.pse()), float(curve.jnd())]
    drawn = interval(curve, "pse", "bootstrap", draws=199, seed=1)
    yield "fitted curve: bootstrap interval", [float(drawn.low), float(drawn.high)]


def embeddings() -> Iterator[tuple[str, list[float]]]:
    """Probes of the bundled word embeddings."""
    subject = bl.load("wiki-bootstraps")
    found = bl.two_afc(subject, WORDS, ("she", "he"))
    yield "two_afc: PSE", found.pse.tolist()
    yield "two_afc: JND and corpus interval", [*found.jnd.tolist(), *found.pooled.corpus.ravel()]
    yield "two_afc: leans", found.pooled.lean.tolist()
    weat = bl.weat(subject, "weat-6", resamples=500, replicates=4)
    yield "weat: splits", [*weat.test.fraction, *weat.exceed_by_replicate.tolist()]
    yield "weat: effect size", [weat.effect_size, *weat.effect_size_by_replicate.tolist()]
    yield "weat: intervals", _ends(*weat.effect_size_intervals)
    yield "mac", [bl.mac(subject, "manzini-religion", replicates=4).mac]
    fair = bl.debias(subject, "gender-pairs")
    yield "debiased: PSE", bl.two_afc(fair, WORDS, ("she", "he")).pse.tolist()
    model = bl.distance_model(subject, "manzini-religion", replicates=1, draws=2000)
    yield "distance model: contrasts", [c.mean for c in model.contrasts]
    yield "distance model: intervals", _ends(*(c.interval for c in model.contrasts))


def classifier() -> Iterator[tuple[str, list[float]]]:
    """Posteriors of the bundled classifier."""
    subject = bl.load("imdb-sentiment")
    p = subject.probability(["A moving film.", "Boredom."])
    yield "classifier: p(positive)", np.ravel(p).tolist()
    for engine, draws in (("exact", 200), ("vectorised", 200)):
        found = bl.sample_posterior(subject, engine=engine, draws=draws, chains=16, rng=1)  # type: ignore[call-overload]
        yield f"posterior, {engine}: means of draws", found.diagnostics.mean.tolist()


def language() -> Iterator[tuple[str, list[float]]]:
    """Sentences in the bundled language models."""
    for name, kind in (("wiki-mlm", "mlm"), ("wiki-clm", "clm")):
        model: Any = bl.load(name, kind=kind)
        found = bl.stereotype_score(model, "biastest-math-arts", keep=False, resamples=200)
        yield f"stereotype score, {kind}: log-odds", found.log_odds.tolist()
        overall = found.overall
        yield f"stereotype score, {kind}: wins and losses", [overall.wins, overall.losses]
        yield f"stereotype score, {kind}: interval", _ends(found.interval)
    decided = bl.decisions(bl.load("clerk-lm"), trials=144, keep=False)
    yield "decisions: probability of yes", decided.trials.yes.tolist()
    yield "decisions: gap and interval", [decided.gap, *_ends(decided.gap_interval())]


def images() -> Iterator[tuple[str, list[float]]]:
    """Drawn portraits in the bundled vision-language model."""
    spec = "images-experts-helpers"
    shown = bl.images.default_images(bl.specs.get(spec), per_term=3)
    found = bl.image_association(
        bl.load("portrait-clip"), spec, shown, keep=False, resamples=200, permutations=200
    )
    yield "image association: P of each image", found.first.tolist()
    yield "image association: score and interval", [found.score, *_ends(found.interval)]
    yield "image association: p", [found.p]


def services() -> Iterator[tuple[str, list[float]]]:
    """A simulated service."""
    found = bl.rate(bl.observers.service("noisy", noise=0.2, seed=1), keep=False)
    rating = found.ratings[0]
    yield "rating: probabilities", list(rating.probabilities.values())


MAKERS: tuple[Callable[[], Iterator[tuple[str, list[float]]]], ...] = (
    statistics,
    embeddings,
    classifier,
    language,
    images,
    services,
)

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home:
        os.environ["BIASLAB_HOME"] = home
        sys.exit(main())
