"""Make the runs that the home page shows before a person has any: ``python tools/first_runs.py``.

Each bench asks a bundled subject its first question. The findings, the small pictures and the
strip of portraits are written to widgets/biaslab_widgets/app/first_runs.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from PIL import Image

import biaslab as bl
from biaslab import portraits
from biaslab.reports.thumbnail import thumbnail

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "widgets" / "biaslab_widgets" / "app" / "first_runs"
ITEM = "scientist"
FACES, FACE_PIXELS = 7, 112

FIRST: Mapping[str, Callable[[], bl.Result]] = {
    "psychometric": lambda: bl.two_afc("wiki-bootstraps", ["nurse"], [("woman", "man")]),
    "occupations": lambda: bl.occupations("wiki-bootstraps"),
    "association": lambda: bl.association.overview("wiki-bootstraps", "manzini-religion"),
    "posterior": lambda: bl.sample_posterior("imdb-sentiment", "positive"),
    "sentences": lambda: bl.stereotype_score("wiki-mlm", "biastest-math-arts"),
    "images": lambda: bl.two_afc("portrait-clip", [ITEM], [("female", "male")]),
    "rating": lambda: bl.rate("simulated translator"),
}


def main(names: list[str]) -> int:
    """Make the named runs; all of them where none is named."""
    FOLDER.mkdir(exist_ok=True)
    for name in names or FIRST:
        result = FIRST[name]()
        (FOLDER / f"{name}.svg").write_text(thumbnail(result) + "\n", encoding="utf-8")
        text = json.dumps({"finding": result.headline}, ensure_ascii=False, indent=1)
        (FOLDER / f"{name}.json").write_text(text + "\n", encoding="utf-8")
        print(f"{name}: {result.headline}")
    strip().save(FOLDER / "portraits.webp", quality=80)
    return 0


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
