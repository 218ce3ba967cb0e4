"""The posterior bench: default engine against stock Pyro NUTS, first picture, R-hat, memory.

The subject is the bundled classifier in 100 dimensions, the label "positive". ESS is the smallest
bulk ESS over all dimensions, the logit and |s|². The default engine makes 64 chains of 1,000 draws
after 300, and its rate is over all its seconds, warm-up included. Stock Pyro NUTS makes one chain
of 300 draws after 300 in the same process, with as many threads, and its rate is over the seconds
of the draws alone, in its favour; it is also given the prior's own coordinates, in which the prior
is N(0, I). The two take turns, three times, and rates are medians.

The first picture is the first call of the hook with draws, counted from the call of
`bl.sample_posterior`; R-hat is the largest of all quantities over the draws so far, as of each call
of the hook. Memory is what the peak of the process rises by, after torch, Pyro and the classifier
are in memory.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import biaslab as bl
from benchmarks import machine
from benchmarks.findings import Figure, Findings, judged, under
from benchmarks.timing import in_turns, milliseconds, seconds_of
from biaslab.probes.posterior import LiveDraws, PosteriorResult, diagnose
from biaslab.subjects.classifier.base import Classifier

NUTS = 300
ROUNDS = 3
TIMES, FIRST_S, RHAT_S, MEMORY_MB = 100, 1.0, 5.0, 300
MEGABYTE = 1e6


def measure() -> Findings:
    """Memory first, as a peak never falls; then rates in turns; then what a person waits for."""
    classifier = subject()
    sample(classifier, chains=2, draws=10, warmup=10)  # what is imported at the first call
    before = machine.peak_memory()
    sample(classifier)
    added = (machine.peak_memory() - before) / MEGABYTE
    figures = [
        *rates(classifier, "standard", "N(0, I), as in paper mode"),
        *rates(classifier, "stimuli", "the default prior"),
        *waits(classifier),
        Figure(
            "memory that 64 chains of 1,000 draws add",
            f"{added:.0f} MB",
            *judged(under(MEMORY_MB, "MB"), added),
        ),
        *diagnosing(classifier),
        on_gpu(),
    ]
    note = (
        f"NUTS runs {NUTS} draws instead of the paper's 10,000, and its rate is used; with"
        " warm-up counted in, as for the default engine, it would be about half as large."
    )
    return Findings(tuple(f for f in figures if f is not None), (note,))


def sample(classifier: Classifier, **options: Any) -> PosteriorResult:
    """One run on the label "positive"."""
    drawn: PosteriorResult = bl.sample_posterior(classifier, "positive", check=False, **options)
    return drawn


def rates(classifier: Classifier, prior: str, named: str) -> list[Figure]:
    """Smallest bulk ESS per second, by turns."""
    ours, theirs = [], []
    for i in range(ROUNDS):
        drawn = sample(classifier, prior=prior, rng=i)
        ours.append(drawn.diagnostics.smallest_bulk / drawn.seconds)
        begun: list[float] = []
        nuts = sample(
            classifier,
            prior=prior,
            engine="nuts",
            chains=1,
            draws=NUTS,
            warmup=NUTS,
            rng=i,
            hook=lambda live, to=begun: live.stage == "sampling" or to.append(live.seconds),
        )
        theirs.append(nuts.diagnostics.smallest_bulk / (nuts.seconds - begun[-1]))
    mine, reference = statistics.median(ours), statistics.median(theirs)
    return [
        Figure(
            f"smallest bulk ESS per second, {named}",
            f"{mine:,.0f} / s",
            f"{TIMES} times NUTS",
            mine >= TIMES * reference,
            f"stock Pyro NUTS {reference:.1f} / s",
            f"{mine / reference:,.0f}x as many",
        )
    ]


def waits(classifier: Classifier) -> list[Figure]:
    """Seconds from the call to the first picture, to R-hat < 1.01, and to the end."""
    first, agreed, whole, warm = [], [], [], []
    for i in range(ROUNDS):
        seen: list[tuple[float, LiveDraws]] = []
        start = time.perf_counter()
        drawn = sample(
            classifier, rng=i, hook=lambda live, to=seen: to.append((time.perf_counter(), live))
        )
        whole.append(time.perf_counter() - start)
        first.append(seen[0][0] - start)
        agreed.append(_agreement(drawn, seen) - start)
        warm.append(seconds_of(sample, classifier, rng=i, prior_width=1.2, start=drawn))
    one, two = statistics.median(first), statistics.median(agreed)
    return [
        Figure("first picture", milliseconds(one), *judged(under(FIRST_S, "s"), one)),
        Figure("R-hat below 1.01", f"{two:.2f} s", *judged(under(RHAT_S, "s"), two)),
        Figure(
            "the whole result, diagnostics and evidence included",
            f"{statistics.median(whole):.2f} s",
        ),
        Figure(
            "the same from a warm start, prior 1.2 times as wide",
            f"{statistics.median(warm):.2f} s",
        ),
    ]


def _agreement(drawn: PosteriorResult, seen: list[tuple[float, LiveDraws]]) -> float:
    """When the draws so far first had a largest R-hat below 1.01."""
    looks = [look for look in seen if look[1].done >= drawn.warmup_logit.shape[1] + 20]
    low, high = 0, len(looks)  # R-hat falls as draws come
    while low < high:
        middle = (low + high) // 2
        n = looks[middle][1].done - drawn.warmup_logit.shape[1]
        so_far = diagnose(drawn.draws[:, :n], drawn.logit[:, :n], drawn.square[:, :n])
        low, high = (low, middle) if so_far.largest_rhat < 1.01 else (middle + 1, high)
    return looks[low][0] if low < len(looks) else float("inf")


def diagnosing(classifier: Classifier) -> list[Figure]:
    """Diagnostics of all 102 quantities, beside arviz'."""
    drawn = sample(classifier)
    given = (drawn.draws, drawn.logit, drawn.square)
    took = in_turns(
        {"full": lambda: diagnose(*given), "quick": lambda: diagnose(*given, quick=True)}, 3
    )
    took["arviz"] = seconds_of(by_arviz, drawn)
    return [
        Figure(
            "R-hat, ESS, MCSE and autocorrelation of 102 quantities",
            milliseconds(took["full"]),
            reference=f"arviz {took['arviz']:.1f} s",
            ratio=f"{took['arviz'] / took['full']:.0f}x faster",
        ),
        Figure(
            "the same for a picture that is redrawn (dimensions without ranks)",
            milliseconds(took["quick"]),
        ),
    ]


def by_arviz(drawn: PosteriorResult) -> float:
    """The same numbers by arviz, without autocorrelations."""
    import arviz as az

    every = np.concatenate([drawn.logit[..., None], drawn.square[..., None], drawn.draws], axis=2)
    data = az.convert_to_dataset({"s": every})
    estimators: tuple[Callable[[], Any], ...] = (
        lambda: az.rhat(data),
        lambda: az.ess(data, method="bulk"),
        lambda: az.ess(data, method="tail", prob=(0.05, 0.95)),
        lambda: az.mcse(data),
    )
    return float(sum(float(of().s.sum()) for of in estimators))


def subject(device: str = "cpu") -> Classifier:
    """The bundled classifier."""
    classifier = bl.load("imdb-sentiment", kind="classifier", device=device)
    assert isinstance(classifier, Classifier)
    return classifier


def on_gpu() -> Figure | None:
    """The same on a CUDA device, where there is one."""
    import torch

    if not torch.cuda.is_available():
        return None
    classifier = subject("cuda")
    runs = [sample(classifier, rng=i) for i in range(ROUNDS + 1)][1:]  # one waits for the device
    rate = statistics.median(drawn.diagnostics.smallest_bulk / drawn.seconds for drawn in runs)
    return Figure(f"smallest bulk ESS per second on {machine.gpu()}", f"{rate:,.0f} / s")
