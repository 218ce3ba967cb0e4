"""Make the runs that the home page shows before a person has any: ``python tools/first_runs.py``.

Each bench asks a bundled subject its first question. The findings, the small pictures and the
strip of portraits are written to widgets/biaslab_widgets/app/first_runs.
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import biaslab as bl
import biaslab_widgets
from biaslab import portraits
from biaslab.probes.entries import ENTRIES
from biaslab.records.kinds import Entry, part_of
from biaslab.reports.previews import thumbnail

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "widgets" / "biaslab_widgets" / "app" / "first_runs"
ITEM = "scientist"
FACES, FACE_PIXELS = 7, 112


def main(names: list[str]) -> int:
    """Make the named runs; all of them where none is named."""
    FOLDER.mkdir(exist_ok=True)
    for entry in ENTRIES:
        if not entry.first_run or entry.name not in (names or [entry.name]):
            continue
        result, inputs = first_run(entry)
        if inputs:
            document = {"inputs": inputs, "result": result.to_dict()}
            text = json.dumps(document, ensure_ascii=False, allow_nan=False)
            packed = gzip.compress(text.encode(), mtime=0)
            (FOLDER / f"{entry.name}.run.json.gz").write_bytes(packed)
        picture = thumbnail(result) + "\n"
        (FOLDER / f"{entry.name}.svg").write_text(picture, encoding="utf-8")
        values = {"finding": part_of(result, "brief")(result)}
        if entry.name == "images":
            values["switch"] = [float(result.pooled.pse[0]), *result.pooled.corpus[0].tolist()]
        text = json.dumps(values, ensure_ascii=False, indent=1)
        (FOLDER / f"{entry.name}.json").write_text(text + "\n", encoding="utf-8")
        print(f"{entry.name}: {values['finding']}")
    strip().save(FOLDER / "portraits.webp", quality=80)
    return 0


def first_run(entry: Entry) -> tuple[Any, dict[str, Any]]:
    """Make a run; return it with what its bench is set to, where a bench has made it."""
    if not entry.first_run.startswith("bench."):
        return eval(entry.first_run, {"bl": bl}), {}
    bench = getattr(biaslab_widgets, entry.notebook_name)()
    eval(entry.first_run, {"bench": bench}).wait()
    inputs = bench.controller.inputs_of_run()
    if "step" in inputs:  # the one with the results
        inputs["step"] = 3
    return bench.result, inputs


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
