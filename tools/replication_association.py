"""Tables and pictures of docs/guide/replication.md on cosine distances and their models.

The paper is "A Bayesian method of cosine-based word2vec bias estimation". Its distances are read
from files beside the repository; the bundled subject is measured with the same lists.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np

import biaslab as bl
from biaslab.probes.association import PAPER_ROWS, DistanceModelResult, DistanceTable
from biaslab.probes.association.distance_parameters import Contrast, Model
from biaslab.probes.association.lists import CONNECTIONS
from biaslab.probes.debias import Method
from biaslab.subjects.embedding.base import EmbeddingSubject
from markdown_tables import minus, table

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "association"
RELIGION = DATA / "bayes-religion-reddit.csv"
GENDER = DATA / "bayes-gender-google.csv"
PUBLISHED = DATA / "bayes-religion-reddit-published-coefficients.csv"
BUNDLED = "wiki-bootstraps"
LISTS = ("religion", "race", "gender")
DRAWS = 8000
STATES: tuple[Method | Literal[""], ...] = ("", "hard", "soft")

Sections = dict[str, Callable[[], str]]


def bundled() -> Sections:
    """Sections that need nothing but the package."""
    return {
        "simulation of WEAT": simulation,
        "contrasts on the bundled ensemble": lambda: contrasts(
            (name, _model(name, "", "crossed")) for name in LISTS
        ),
        "connections on the bundled ensemble": lambda: connections(
            (name, bl.association.distances(bl.load(BUNDLED), f"manzini-{name}")) for name in LISTS
        ),
        "protected words on the bundled ensemble": lambda: protected_words(
            _model("religion", "", "per-word")
        ),
        "debiasing of the bundled ensemble": debiasing,
    }


def authors() -> Sections:
    """Sections that need the authors' distances."""
    return {
        "coefficients on the authors' distances": coefficients,
        "contrasts on the authors' distances": lambda: contrasts(
            (name, _read(path, "crossed"))
            for name, path in (("religion, Reddit", RELIGION), ("gender, GoogleNews", GENDER))
        ),
        "connections on the authors' distances": lambda: connections(
            (name, DistanceTable.read_csv(path))
            for name, path in (("religion, Reddit", RELIGION), ("gender, GoogleNews", GENDER))
        ),
        "protected words on the authors' distances": lambda: protected_words(
            _read(RELIGION, "per-word")
        ),
    }


def present() -> bool:
    """Whether the authors' distances are there."""
    return all(path.is_file() for path in (RELIGION, GENDER, PUBLISHED))


def pictures() -> dict[str, str]:
    """Name of each picture and its SVG text."""
    return {"religion": _model("religion", "", "crossed").to_svg()}


@cache
def _subject(name: str, method: Method | Literal[""]) -> EmbeddingSubject:
    subject = bl.load(BUNDLED)
    return bl.debias(subject, f"manzini-{name}", method=method) if method else subject


@cache
def _model(name: str, method: Method | Literal[""], model: Model) -> DistanceModelResult:
    return bl.distance_model(
        _subject(name, method), f"manzini-{name}", model=model, draws=DRAWS, rng=0
    )


@cache
def _read(path: Path, model: Model) -> DistanceModelResult:
    return bl.distance_model(DistanceTable.read_csv(path), model=model, draws=DRAWS, rng=0)


def simulation() -> str:
    """The paper's table: what it printed once, and what many draws from the same truth say."""
    rows = []
    for means, sd, printed in PAPER_ROWS:
        ours = [
            bl.association.weat_simulation(
                means, sd, ddof=ddof, first_words=first_words, draws=100_000
            )
            for ddof, first_words in ((0, False), (1, False), (1, True))
        ]
        rows.append(
            [
                ", ".join(f"{m:g}" for m in means),
                f"{sd:g}",
                minus(f"{printed:.2f}"),
                *(
                    minus(f"{one.interval.low:.2f} to {one.interval.high:.2f}")
                    + (f", {100 * one.share_reaching(printed):.1f} %" if one is not ours[1] else "")
                    for one in ours
                ),
            ]
        )
    heads = ["means: X to A, X to B, Y to A, Y to B", "σ", "the paper's one draw"]
    heads += ["95 % with ddof 0, as far or farther", "95 % with ddof 1"]
    return table([*heads, "95 % as its program has it, as far or farther"], rows)


def coefficients() -> str:
    """The paper's Fig. 5: absolute coefficients, theirs and ours, and what the data identify."""
    with PUBLISHED.open(encoding="utf-8", newline="") as file:
        theirs = {row["term"]: row for row in csv.DictReader(file)}
    model = _read(RELIGION, "pooled")
    rows = []
    for k, (name, mean, ends) in enumerate(model.coefficients, start=1):
        their = theirs[f"co[{k}]"]
        rows.append(
            [
                name,
                _with_ends(float(their["mean"]), float(their["5.5%"]), float(their["94.5%"])),
                _with_ends(mean, ends.low, ends.high),
            ]
        )
    for contrast in model.neighbouring:
        pair = [float(theirs[f"co[{CONNECTIONS.index(c) + 1}]"]["mean"]) for c in
                (contrast.of, contrast.minus)]  # fmt: skip
        ours = _with_ends(contrast.mean, contrast.interval.low, contrast.interval.high)
        rows.append([f"**{contrast.name}**", minus(f"{pair[0] - pair[1]:.3f}"), ours])
    return table(["coefficient, or contrast", "the paper", "ours"], rows)


def contrasts(found: Iterable[tuple[str, DistanceModelResult]]) -> str:
    """Contrasts of the pooled and the crossed model."""
    rows = []
    for name, model in found:
        crossed = {c.name: c for c in model.beside["crossed"]}
        for pooled in model.beside["pooled"]:
            if pooled.minus == "associated":
                beside = crossed[pooled.name]
                times = f"{beside.width / pooled.width:.1f}"
                rows.append([name, pooled.name, _told(pooled), _told(beside), times])
    heads = ["lists", "contrast", "pooled (the paper's)", "crossed", "crossed is wider, times"]
    return table(heads, rows)


def connections(found: Iterable[tuple[str, DistanceTable]]) -> str:
    """The paper's Fig. 1 in numbers: how near each kind of connection stands."""
    rows = []
    for name, distances in found:
        means = np.nanmean(distances.means(), axis=(0, 1))
        for k, connection in enumerate(CONNECTIONS):
            held = distances.distance[:, distances.connection == k]
            low, high = np.quantile(held, [0.055, 0.945])
            rows.append(
                [
                    name,
                    connection,
                    f"{distances.counts[connection]:,}",
                    f"{means[k]:.2f}",
                    f"{low:.2f} to {high:.2f}",
                    f"{100 * (held < 1).mean():.0f} %",
                ]
            )
    heads = [
        "lists",
        "connection",
        "distances",
        "mean of means",
        "89 % of the distances",
        "below 1",
    ]
    return table(heads, rows)


def protected_words(model: DistanceModelResult) -> str:
    """The paper's Fig. 6: each protected word by connection, in the model of separate means."""
    contrast, around = model.word_contrasts("different", "associated")
    rows = []
    for i, word in enumerate(model.words):
        cells = [
            _with_ends(model.means[i, k], model.intervals[i, k, 0], model.intervals[i, k, 1], 2)
            for k in range(len(CONNECTIONS))
        ]
        clear = around[i, 0] > 0 or around[i, 1] < 0
        told = _with_ends(contrast[i], around[i, 0], around[i, 1], 2)
        rows.append([word, *cells, f"**{told}**" if clear else told])
    return table(["word", *CONNECTIONS, "different − associated"], rows)


def debiasing() -> str:
    """What hard and soft debiasing move: distances, and the two contrasts."""
    rows = []
    for name in LISTS:
        before = bl.mac(_subject(name, ""), f"manzini-{name}", resamples=1)
        for method in STATES:
            means = bl.mac(_subject(name, method), f"manzini-{name}", resamples=1)
            model = _model(name, method, "crossed")
            gone = {
                k: v - before.by_connection_by_replicate[k]
                for k, v in means.by_connection_by_replicate.items()
            }
            nearer = f" ({(gone['none'] < 0).sum()} of {len(gone['none'])} nearer)"
            rows.append(
                [
                    name,
                    method or "before",
                    *(f"{means.by_connection[k]:.3f}" for k in CONNECTIONS[:3]),
                    f"{means.by_connection['none']:.3f}{nearer if method else ''}",
                    *(_told(model.contrast(of, "associated")) for of in ("different", "none")),
                ]
            )
    heads = ["lists", "", *CONNECTIONS, "different − associated", "none − associated"]
    return table(heads, rows)


def _told(contrast: Contrast) -> str:
    shown = _with_ends(contrast.mean, contrast.interval.low, contrast.interval.high)
    return f"**{shown}**" if contrast.excludes_null else shown


def _with_ends(value: float, low: float, high: float, digits: int = 3) -> str:
    """A mean and its interval; the ends with two digits, as drawn ends are no surer than that."""
    shown = [f"{value:.{digits}f}", f"{low:.2f}", f"{high:.2f}"]
    at_0 = [v.lstrip("-") if float(v) == 0 else v for v in shown]
    return minus("{} ({} to {})".format(*at_0))
