"""Ratings of services whose rating is known.

Texts of the design of Srivastava and Rossi (2018), with blocks 50/50, 10/90 and 90/10 and two
mentions a text, are written, answered by a simulated service, read and rated by both rules. The
first figure is the time of 1,000 experiments with 60 texts through each of eight languages, with
all probabilities. Then, for each service, the block size that the power curve recommends (400
experiments a size), and how often 1,000 other experiments at that size give the true rating by the
corrected rule. Last, how often the paper's rule gives the true rating, by block size and by what is
counted.
"""

from __future__ import annotations

import time

import biaslab as bl
from benchmarks.findings import Figure, Findings
from biaslab.probes.rating import PaperRule, RatingDesign, Rules, power_curve, simulate
from biaslab.probes.rating.named_services import SimulatedService

NOTE = (
    "The paper's rule calls always-he DSBS, since 40/0/0 is significantly different from 36/4/0, "
    "and an erased attribute too, since 0/0/40 is different from everything."
)
LANGUAGES, EXPERIMENTS = 8, 1000
SIZES = (10, 15, 20, 30, 40, 60, 80, 120)
PAPER_SIZES = (10, 20, 80)
OBSERVERS = (
    ("faithful", 0.0),
    ("noisy", 0.1),
    ("always-he", 0.0),
    ("always-he", 0.1),
    ("compensating", 0.0),
    ("compensating", 0.1),
    ("erasing", 0.0),
)


def measure() -> Findings:
    """Simulate every observer."""
    design = RatingDesign.make()
    figures = [_speed(design)]
    services = [bl.observers.service(name, noise=noise) for name, noise in OBSERVERS]
    figures += [_recommended(service, design) for service in services]
    figures += [_paper(service, design) for service in services]
    return Findings(tuple(figures), (NOTE,))


def _speed(design: RatingDesign) -> Figure:
    """Each language draws texts of its own, so that eight of them are eight times as many."""
    start = time.perf_counter()
    found = simulate(
        bl.observers.service("noisy"), design, LANGUAGES * EXPERIMENTS, probabilities=True
    )
    seconds = time.perf_counter() - start
    return Figure(
        f"{LANGUAGES} languages x 60 texts x {EXPERIMENTS:,} experiments, noisy observer",
        f"{seconds:.1f} s ({len(found.corrected) * 60 / seconds:,.0f} texts per second)",
        "under 60 s",
        seconds < 60,
    )


def _recommended(service: SimulatedService, design: RatingDesign) -> Figure:
    curve = power_curve(service, design, sizes=SIZES, experiments=400)
    what = f"{service.name}, truly {service.rating}: corrected rule"
    if curve.recommended is None:
        return Figure(what, f"no size up to {SIZES[-1]} texts does", "at least 95 %", False)
    fresh = simulate(service, design.with_texts(curve.recommended), EXPERIMENTS, rng=99)
    share = 100 * fresh.share(service.rating)
    told = f"{share:.1f} % right with blocks of {curve.recommended} texts"
    return Figure(what, told, "at least 95 %", share >= 95)


def _paper(service: SimulatedService, design: RatingDesign) -> Figure:
    told = []
    for size in PAPER_SIZES:
        shares = []
        for unit in ("mention", "text"):
            rules = Rules(paper=PaperRule(unit=unit), minimum=10)
            found = simulate(service, design.with_texts(size), 200, rules=rules, rng=7)
            shares.append(f"{100 * found.share(service.rating, 'paper'):.0f}")
        told.append(f"{' and '.join(shares)} % with {size}")
    return Figure(
        f"{service.name}, truly {service.rating}: paper's rule, per mention and per text",
        f"right in {', '.join(told)} texts",
    )
