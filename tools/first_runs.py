"""Make the runs that the home page shows before a person has any: ``python tools/first_runs.py``.

Each bench asks a bundled subject its first question. The findings, the small pictures and the
strip of portraits are written to widgets/biaslab_widgets/app/first_runs.
"""

from __future__ import annotations

import json
import lzma
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import numpy as np
from PIL import Image

import biaslab as bl
import biaslab_widgets
from biaslab import portraits
from biaslab.probes.entries import ENTRIES
from biaslab.probes.posterior import PosteriorOverview, PosteriorResult
from biaslab.records.kinds import Entry, part_of
from biaslab.reports.previews import thumbnail
from biaslab_widgets.core.state.inputs import inputs_of_address

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "widgets" / "biaslab_widgets" / "app" / "first_runs"
ITEM = "scientist"
FACES, FACE_PIXELS = 7, 112
DRAWS = 8
"""Stored draws of each chain of a posterior."""
DIGITS = 4
"""Of the numbers of a stored posterior."""


def main(names: list[str]) -> int:
    """Make the named runs; all of them where none is named."""
    FOLDER.mkdir(exist_ok=True)
    for entry in ENTRIES:
        if not entry.first_run or entry.name not in (names or [entry.name]):
            continue
        result, inputs = first_run(entry)
        if inputs:
            document = {"inputs": inputs, "result": stored(result)}
            text = json.dumps(document, ensure_ascii=False, allow_nan=False)
            (FOLDER / f"{entry.name}.run.json.xz").write_bytes(lzma.compress(text.encode()))
        picture = thumbnail(result) + "\n"
        (FOLDER / f"{entry.name}.svg").write_text(picture, encoding="utf-8")
        values = {"finding": part_of(result, "brief")(result)}
        if entry.name == "images":
            values["switch"] = switch()
        text = json.dumps(values, ensure_ascii=False, indent=1)
        (FOLDER / f"{entry.name}.json").write_text(text + "\n", encoding="utf-8")
        print(f"{entry.name}: {values['finding']}")
    strip().save(FOLDER / "portraits.webp", quality=80)
    return 0


def first_run(entry: Entry) -> tuple[Any, dict[str, Any]]:
    """Make a run; return it with what its bench is set to, where a bench has made it."""
    if not entry.opens_with_run:
        return eval(entry.first_run, {"bl": bl}), {}
    kind = getattr(biaslab_widgets, entry.notebook_name)
    address = {
        name: [v.encode() for v in vs] for name, vs in parse_qs(entry.first_settings).items()
    }
    bench = kind(**inputs_of_address(kind.component, address))
    eval(entry.first_run, {"bench": bench}).wait()
    inputs = bench.controller.inputs_of_run()
    if "step" in inputs:  # the one with the results
        inputs["step"] = 3
    return bench.result, inputs


def stored(result: Any) -> dict[str, Any]:
    """Return the form in which a result is stored; a posterior's in 0.3 MB instead of 5.

    It keeps every logit, all diagnostics and all that was read off the draws, from which its bench
    draws and judges. Of the exact draws the outlines and the agreement stay.
    """
    if not isinstance(result, PosteriorOverview):
        return result.to_dict()
    posteriors = {label: thinned(one) for label, one in result.posteriors.items()}
    return rounded(replace(result, posteriors=posteriors, oracles={}).to_dict())


def thinned(result: PosteriorResult) -> PosteriorResult:
    """Keep some of the draws, and float32 numbers with the precision of float16."""
    step = result.n_draws // DRAWS
    few = replace(result, draws=result.draws[:, ::step], thinned=step)
    names = ("draws", "logit", "square", "warmup_logit", "warmup_square")
    halves = {name: getattr(few, name).astype(np.float16).astype(np.float32) for name in names}
    return replace(few, **halves)


def rounded(value: Any) -> Any:
    """Round the floats of a JSON value to `DIGITS` digits."""
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, dict):
        return {key: rounded(part) for key, part in value.items()}
    return [rounded(part) for part in value] if isinstance(value, list) else value


def switch() -> list[float]:
    """Where portrait-clip switches its answer on the strip of portraits, with the interval."""
    pooled = bl.two_afc("portrait-clip", [ITEM], [("female", "male")]).pooled
    return [float(pooled.pse[0]), *pooled.corpus[0].tolist()]


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
