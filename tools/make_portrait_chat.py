"""Write the test model ``portrait-chat`` and its card from a finished training folder.

``python tools/make_portrait_chat.py FOLDER`` measures the model on fresh portraits, refuses if it
misses a floor (`biaslab_train.portrait_chat.quality`), and writes it with its model card to
``tests/harness/portrait_chat``.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from biaslab_train.cards import of_own_making
from biaslab_train.portrait_chat.quality import ChatQuality, Measured, measure_chat
from biaslab_train.portrait_clip.plant import Plant, plant_of
from bundling import FILES, facts, require, status, take

TARGET = Path(__file__).resolve().parent.parent / "tests" / "harness" / "portrait_chat"
MORE_FILES = ("chat_template.jinja", "preprocessor_config.json", "processor_config.json")
LARGEST = 3_000_000
"""Bytes of the model, all its files together."""


def row(m: Measured) -> str:
    """A figure as a row of a table."""
    floor = f"within {m.slack:g}" if m.slack < 10 else "none"
    return f"| {m.what} | {m.value:.3f} ({m.low:.3f} to {m.high:.3f}) | {m.truth:.3f} | {floor} |"


def card(about: dict[str, Any], plant: Plant, quality: ChatQuality, size: int) -> str:
    """The model card as Markdown."""
    s, position = about["settings"], about["position"]
    versions = ", ".join(f"{k} {v}" for k, v in about["versions"].items())
    rows = "\n".join(row(m) for m in quality.figures)
    inside = sum(m.low <= m.truth <= m.high for m in quality.equality)
    equality = "\n".join(
        f"| {m.what} | {plant.women[m.what]:.2f} |"
        f" {100 * m.value:.0f} ({100 * m.low:.0f} to {100 * m.high:.0f}) | {100 * m.truth:.0f} |"
        for m in quality.equality
    )
    return f"""# portrait-chat

A small LLaVA model that answers questions about drawn portraits by letter, **whose bias was planted
on purpose and is known**: for tests of how chat models that see pictures are probed.

- **Model**: transformers' `LlavaForConditionalGeneration`: the image encoder of portrait-clip,
  unchanged, a projector, and {s["layers"]} layers of Llama of width {s["width"]}; {size / 1e6:.1f}
  MB as float16, computed in float32.
- **Words**: those of its questions, whole and with their capitals; up to eight options (A to H).
- **Training**: {position["questions"]:,} questions about {s["pool"]:,} drawn portraits in
  {position["step"]:,} steps of {s["batch"]}, seed {s["seed"]}; Muon and AdamW; about ten minutes on
  one idle core; {versions}.
- **Made again** by `biaslab train portrait-chat --output OUT --threads 1 --device cpu`.
{of_own_making("its portraits and questions")}

## What was planted

P(word | portrait) of the plant "{plant.name}" (`docs/subjects/vision-language-models.md`), times
exp({s["position"]:g} x place), where the place goes from 1/2 for the option listed first to -1/2
for the last; and {s["other"]:.0%} of replies without a letter.

## What came out

| figure | model | planted | floor |
|---|---|---|---|
{rows}

The rank correlation of the points of subjective equality with the planted ones is
{quality.order:.2f}. Of {len(quality.equality)} intervals {inside} include the planted point:

| occupation | women | equality, % of man | planted |
|---|---|---|---|
{equality}

On {quality.portraits} fresh portraits and {quality.morphs} morphs of each occupation, 95 %
intervals over portraits. It learned the plant with errors: its answers are a little closer to even
than the planted ones with two options and much closer with eight, and where it is nearly sure of
woman or man, the effect of the order is weaker than planted.

## What it is for, and what not

Its bias says nothing about the world or about people: somebody typed it into a file. Use it to test
whether a probe finds what is there, and for nothing else.
"""


def main(arguments: list[str] | None = None) -> int:
    """Measure, then write or refuse."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--portraits", type=int, default=400)
    parser.add_argument("--morphs", type=int, default=16, help="of each occupation")
    options = parser.parse_args(arguments)

    def make() -> None:
        about = facts(options.folder)
        plant, settings = plant_of(about["plant"], "training.json"), about["settings"]
        quality = measure_chat(
            options.folder, plant, position=settings["position"], other=settings["other"],
            portraits=options.portraits, morphs=options.morphs,
        )  # fmt: skip
        print("\n".join(row(m) for m in quality.figures))
        require(quality.failures)
        take(
            options.folder, TARGET, about | {"quality": quality.to_dict()},
            lambda about, size: card(about, plant, quality, size),
            largest=LARGEST, files=(*FILES, *MORE_FILES),
        )  # fmt: skip

    return status(make)


if __name__ == "__main__":
    sys.exit(main())
