"""Make the runs that the home page shows before a person has any: ``python tools/first_runs.py``.

Each bench asks a bundled subject its first question. The findings, the small pictures and the
strip of portraits are written to widgets/biaslab_widgets/app/first_runs.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import biaslab as bl
from biaslab import portraits
from biaslab.reports.previews import thumbnail

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "widgets" / "biaslab_widgets" / "app" / "first_runs"
ITEM = "scientist"
FACES, FACE_PIXELS = 7, 112

FIRST: Mapping[str, tuple[Callable[[], Any], Callable[[Any], str]]] = {
    "psychometric": (
        lambda: bl.two_afc("wiki-bootstraps", ["nurse"], [("woman", "man")]),
        lambda r: f"nurse: {switch_of(r, r.pooled.corpus)}",
    ),
    "occupations": (
        lambda: bl.occupations("wiki-bootstraps"),
        lambda r: leans_of(r.headline.partition(".")[0]),
    ),
    "association": (
        lambda: bl.association.overview("wiki-bootstraps", "manzini-religion"),
        lambda r: difference_of(r.distance_model.contrast("none", "associated")),
    ),
    "posterior": (
        lambda: bl.sample_posterior("imdb-sentiment", "positive"),
        lambda r: f"{r.draws.shape[0] * r.draws.shape[1]:,} draws",
    ),
    "sentences": (
        lambda: bl.stereotype_score("wiki-mlm", "biastest-math-arts"),
        lambda r: f"{r.share:.0%} with the stereotype".replace("%", " %"),
    ),
    "images": (
        lambda: bl.two_afc("portrait-clip", [ITEM], [("female", "male")]),
        lambda r: f"{ITEM}: {switch_of(r, r.pooled.corpus)}",
    ),
    "rating": (
        lambda: bl.rate("simulated translator"),
        lambda r: f"{len(r.ratings)} languages rated",
    ),
    "decisions": (
        lambda: bl.decisions(bl.observers.decider(gap=2.0, lapse=0.03), method="fixed"),
        lambda r: gap_of(r, r.gap_interval()),
    ),
}
"""How each bench's run is made, and its finding in a few words."""


def leans_of(headline: str) -> str:
    """Such as "3 lean female, 3 male", which has room on a card."""
    first, second, _ = headline.split(", ")
    return f"{first.partition(' of ')[0]} lean {first.split()[-1]}, {second.replace(' lean', '')}"


def main(names: list[str]) -> int:
    """Make the named runs; all of them where none is named."""
    FOLDER.mkdir(exist_ok=True)
    for name in names or FIRST:
        make, shorten = FIRST[name]
        result = make()
        (FOLDER / f"{name}.svg").write_text(thumbnail(result) + "\n", encoding="utf-8")
        values = {"finding": shorten(result)}
        if name == "images":
            values["switch"] = [float(result.pooled.pse[0]), *result.pooled.corpus[0].tolist()]
        text = json.dumps(values, ensure_ascii=False, indent=1)
        (FOLDER / f"{name}.json").write_text(text + "\n", encoding="utf-8")
        print(f"{name}: {values['finding']}")
    strip().save(FOLDER / "portraits.webp", quality=80)
    return 0


def switch_of(result: bl.Result, interval: Any) -> str:
    """Where the answer of the only item switches, with its interval, in percent."""
    low, high = 100 * interval[0]
    return f"{100 * result.pooled.pse[0]:.0f} % {result.pairs[0][1]}, {low:.0f} to {high:.0f}"


def gap_of(result: Any, interval: Any) -> str:
    """The gap with its interval, in the case's unit."""
    unit = result.case.quality.unit
    return f"{result.gap:.1f} more {unit}, {interval.low:.1f} to {interval.high:.1f}"


def difference_of(contrast: Any) -> str:
    """A contrast of distances with its interval."""
    low, high = contrast.interval.low, contrast.interval.high
    return f"{contrast.mean:.2f} closer, {low:.2f} to {high:.2f}"


def strip() -> Image.Image:
    """Portraits from woman to man, side by side."""
    woman, man = portraits.sample_pair(ITEM, seed=1)
    faces = [
        portraits.pixels(portraits.morph(woman, man, alpha), FACE_PIXELS)
        for alpha in np.linspace(0, 1, FACES)
    ]
    return Image.fromarray(np.concatenate(faces, axis=1))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
