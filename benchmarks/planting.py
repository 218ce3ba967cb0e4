"""Three strengths of planting come out in order.

portrait-clip was trained three times, alike but for how strongly its bias was planted: 0 (not at
all), 0.5, and 1 (the bundled model). Each is asked about the same 800 fresh portraits (8 terms) for
its score, and about morphs of the same 100 pairs of portraits in four occupations for the point of
subjective equality (PSE). The reference is what a model answers that learned the plant without
error. Intervals are 95 %, over images within terms and over portraits. BIASLAB_BENCH_PLANTED names
a folder with ``clip_0`` and ``clip_0.5``, as ``biaslab train portrait-clip --strength`` writes
them; without it they are trained in the scratch folder, about 10 minutes each.
"""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np

import biaslab as bl
from benchmarks.findings import Figure, Findings
from benchmarks.portrait_answers import SPECS, scratch
from biaslab.images import ImageSet, default_images
from biaslab.images.drawn import drawable
from biaslab.portraits import WOMAN
from biaslab.portraits.sampling import CENTRES, SPREAD
from biaslab.records.result import Interval
from biaslab.subjects import VisionLanguageModel, load
from biaslab_train.portrait_clip.plant import Plant, read_plant
from biaslab_train.portrait_clip.quality import planted_equality

STRENGTHS = (0.0, 0.5, 1.0)
PER_TERM, PAIRS, SEED = 100, 100, 77
OCCUPATIONS = ("secretary", "nurse", "carpenter", "electrician")
_POINTS = 41
NOTE = (
    "In order: each figure beyond the one before, and the intervals of the weakest and the"
    " strongest apart. The control's lists are planted on nobody at any strength."
)


def measure() -> Findings:
    """All three models."""
    import torch

    torch.set_num_threads(1)
    plants = [read_plant().scaled(strength) for strength in STRENGTHS]
    models = [planted(strength) for strength in STRENGTHS]
    figures = [scores(name, models, plants) for name in SPECS]
    figures += equalities(models, plants)
    return Findings(tuple(figures), (NOTE,))


def planted(strength: float) -> VisionLanguageModel:
    """The model of this strength: bundled, from a folder, or trained now."""
    if strength == 1:
        return load("portrait-clip", kind="vlm", device="cpu")
    given = os.environ.get("BIASLAB_BENCH_PLANTED")
    folder = Path(given) if given else scratch()
    target = folder / f"clip_{strength:g}"
    if not (target / "model.safetensors").exists():
        command = [sys.executable, "-m", "biaslab.cli", "train", "portrait-clip", "--resume"]
        command += ["--strength", f"{strength:g}", "--output", str(target)]
        subprocess.run(command, check=True, stdout=sys.stderr)
    return load(str(target), kind="vlm", device="cpu")


def scores(name: str, models: list[VisionLanguageModel], plants: list[Plant]) -> Figure:
    """The score of a spec, by strength."""
    spec = bl.specs.get(name)
    pictures: ImageSet = default_images(spec, per_term=PER_TERM, seed=SEED, size=64)
    results = [bl.image_association(vlm, spec, pictures, keep=False) for vlm in models]
    values = [one.score for one in results]
    intervals = [one.interval for one in results]
    concept = plants[0].concepts[SPECS.index(name)].name
    truth = [_planted_score(plant, concept, results[0].images) for plant in plants]
    control = name == SPECS[1]
    return Figure(
        f"score, {'control' if control else 'planted'}: {_strengths()}",
        _shown(values, intervals),
        "within 1 of 50" if control else "in order",
        max(abs(v - 0.5) for v in values) < 0.01 if control else in_order(values, intervals),
        " / ".join(f"{100 * t:.1f}" for t in truth),
    )


def equalities(models: list[VisionLanguageModel], plants: list[Plant]) -> list[Figure]:
    """The point of subjective equality of each occupation, by strength."""
    results = [bl.two_afc(vlm, OCCUPATIONS, ("woman", "man"), observers=PAIRS) for vlm in models]
    tables = [result.to_frame().set_index("item").to_dict("index") for result in results]
    out = []
    for occupation in OCCUPATIONS:
        rows = [table[occupation] for table in tables]
        values = [float(row["pse"]) for row in rows]
        intervals = [
            Interval(float(row["pse_low"]), float(row["pse_high"]), 0.95, "portraits")
            for row in rows
        ]
        truth = [planted_equality(plant, occupation) for plant in plants]
        out.append(
            Figure(
                f"PSE of {occupation}, % man: {_strengths()}",
                _shown(values, intervals),
                "in order",
                in_order(values, intervals, falling=truth[-1] < truth[0]),
                " / ".join(f"{100 * t:.1f}" for t in truth),
            )
        )
    return out


def in_order(values: list[float], intervals: list[Interval], *, falling: bool = False) -> bool:
    """Whether values go one way, and the intervals of the first and the last are apart."""
    sign = -1 if falling else 1
    goes = all(sign * (b - a) > 0 for a, b in pairwise(values))
    first, last = (intervals[-1], intervals[0]) if falling else (intervals[0], intervals[-1])
    return goes and first.high < last.low


def _planted_score(plant: Plant, concept: str, images: tuple[bl.images.ImageRecord, ...]) -> float:
    """What a model answers that learned the plant and sees each portrait's appearance."""
    words = plant.concept(concept)
    nodes, weights = np.polynomial.hermite_e.hermegauss(_POINTS)
    answers = {}
    for term in {image.term for image in images}:
        what = drawable(term)
        if what is None or what.group is None:
            raise ValueError(f"{term!r} names no group.")
        seen = CENTRES[what.group] + SPREAD * nodes
        first = [plant.answer(words, float(a), what.occupation) for a in seen]
        mean = float(weights @ np.array(first) / weights.sum())
        answers[term] = mean if what.group == WOMAN else 1 - mean
    return float(np.mean([answers[image.term] for image in images]))


def _strengths() -> str:
    return " / ".join(f"{s:g}" for s in STRENGTHS)


def _shown(values: list[float], intervals: list[Interval]) -> str:
    return " / ".join(
        f"{100 * v:.1f} ({100 * i.low:.1f}–{100 * i.high:.1f})"
        for v, i in zip(values, intervals, strict=True)
    )
