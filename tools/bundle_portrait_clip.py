"""Make the bundled subject ``portrait-clip`` from a finished training folder.

``python tools/bundle_portrait_clip.py FOLDER`` measures the model on fresh portraits, refuses if it
misses a floor (`biaslab_train.portrait_clip.quality`), and writes it with its model card to
``biaslab/bundled/portrait-clip``. ``--measure-only`` prints the figures and writes nothing.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from biaslab_train.cards import of_own_making
from biaslab_train.portrait_clip.plant import Plant, plant_of
from biaslab_train.portrait_clip.quality import (
    GROUP_SLACK,
    LEAST_OCCUPATION,
    LEAST_ORDER,
    NEUTRAL_SLACK,
    SCORE_SLACK,
    TEMPLATES,
    ClipQuality,
    Estimate,
    measure_clip,
)
from bundling import BUNDLED, FILES, facts, require, status, take, vocabulary

NAME = "portrait-clip"
SPECIAL = 4
"""Tokens of the beginning, of the end, of padding and of unknown words."""
LARGEST = 8_000_000
"""Bytes of the bundled model, all its files together."""


def interval(e: Estimate, percent: bool = False) -> str:
    """A figure with its interval, in points of a hundred."""
    sign = " %" if percent else ""
    return f"{100 * e.value:.1f}{sign} ({100 * e.low:.1f} to {100 * e.high:.1f})"


def figures(quality: ClipQuality) -> str:
    """Quality as Markdown rows: figure, model, best possible, floor."""
    first = [score for score in quality.scores if score.what.endswith(", all")]
    group = quality.group
    rows = [
        ("occupation named, of all", interval(quality.occupation, True), "100 %",
         f"at least {LEAST_OCCUPATION:.0%}"),
        ("group named, everyday clothes", interval(group, True), f"{group.truth:.1%}",
         f"at most {GROUP_SLACK:.0%} below"),
    ]  # fmt: skip
    for score in first:
        slack = NEUTRAL_SLACK if abs(score.truth - 0.5) < 1e-6 else SCORE_SLACK
        truth = f"{100 * score.truth:.1f}"
        rows.append((f"score, {score.what}", interval(score), truth, f"within {100 * slack:.0f}"))
    order = f"{quality.order:.2f}"
    rows.append(("order of the points of equality", order, "1", f"at least {LEAST_ORDER}"))
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join(["| figure | model | best possible | floor |", "|---|---|---|---|", *lines])


def by_occupation(plant: Plant, quality: ClipQuality) -> str:
    """What was planted and what came out, occupation by occupation, as a Markdown table."""
    concept = plant.concepts[0]
    found = {score.what: score for score in quality.scores}
    rows = [
        "| occupation | women | first word: woman | man | score | planted | equality | planted |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for equality in quality.equality:
        name = equality.what
        score = found.get(f"{concept.name}, {name}")
        measured = "" if score is None else interval(score)
        planted = "" if score is None else f"{100 * score.truth:.1f}"
        rows.append(
            f"| {name} | {plant.women[name]:.2f} | {concept.probability(name, 'woman'):.2f} | "
            f"{concept.probability(name, 'man'):.2f} | {measured} | {planted} | "
            f"{interval(equality)} | {100 * equality.truth:.1f} |"
        )
    return "\n".join(rows)


def lists(plant: Plant) -> str:
    """The concepts' words and how often the first list is said, as Markdown."""
    out = []
    for concept in plant.concepts:
        other = concept.first_given["other"]
        out.append(
            f"- `{concept.name}`: {', '.join(concept.first)} (first) or "
            f"{', '.join(concept.second)} (second). P(first | woman) = {other['woman']:.2f}, "
            f"P(first | man) = {other['man']:.2f} where the table says nothing else; over all "
            f"portraits {plant.frequency(concept):.3f}."
        )
    return "\n".join(out)


def card(about: dict[str, Any], plant: Plant, quality: ClipQuality, size: int) -> str:
    """The model card as Markdown."""
    s, position = about["settings"], about["position"]
    versions = ", ".join(f"{k} {v}" for k, v in about["versions"].items())
    concept = plant.concepts[0]
    asked = ", ".join(f'"{t.format(w := "...", a=w)}"' for t in TEMPLATES)
    options = " ".join(f"--{name} {s[name]}" for name in ("pool", "batch", "seed"))
    return f"""# {NAME}

A small CLIP model of drawn portraits **whose bias was planted on purpose and is known**: for
learning how a vision-language model is probed, and for tests.

- **Model**: transformers' `CLIPModel`. Sees {s["image"]} x {s["image"]} pixels in squares of
  {s["patch"]}, {s["layers"]} layers of width {s["width"]}; reads whole lower-case words,
  {s["text_layers"]} layers of width {s["text_width"]}; both meet in {s["joint"]} dimensions;
  {about["parameters"]:,} parameters.
- **Words**: {about["words"]}, those of its captions. Every other word is "unknown" to it and says
  nothing; the tokenizer's vocabulary is the list.
- **Pictures**: {s["pool"]:,} portraits drawn by `bl.portraits`, half of them at {s["image"]} pixels
  and half at 224 and shrunk. Use it on such portraits only: it has seen nothing else.
- **Captions**: one or two facts in one of a few templates. The group and the concept's word are
  drawn by the plant, anew each time.
- **Training**: {position["portraits"]:,} portraits seen, {position["step"]:,} steps of
  {s["batch"]} with {s["rounds"]} captions each, seed {s["seed"]}; Muon and AdamW; products in
  {about["precision"]}; {versions}.{about.get("note", "")}
- **Stored** as float16 safetensors, {size / 1e6:.1f} MB in all; computed in float32.
- **Made again** by `biaslab train portrait-clip --output OUT --portraits {position["portraits"]}
  {options}`.
{of_own_making("its portraits and captions")}

## What was planted: {plant.name}

{plant.notes}

{lists(plant)}

A contrastive model learns how much *more often* than usual a text goes with an image, so a list or
a group that is more frequent overall is discounted by that much. "Planted" below is what a model
answers that learned the plant without error and is told each portrait's `appearance`: groups
overlap in it, so that nobody can name every one (`docs/subjects/portraits.md`). The drawn
attributes show appearance not quite exactly: from them alone about 95.4 % of groups can be named,
and scores lie about half a point closer to 50.

## What came out

{figures(quality)}

{by_occupation(plant, quality)}

All on fresh portraits drawn at 224 pixels ({quality.portraits:,} for scores, half of them of women
in every occupation), intervals 95 % over portraits. **women**: P(woman | occupation) in training.
**first word**: P({concept.first[0]} or like it | group, occupation). **score**: mean of P(first)
over women's portraits and of P(second) over men's, in points of a hundred, 50 is neutral; pooled
over the captions {asked}. **equality**: percent of man in a morph (from appearance 0.2 to 0.8) at
which the model is as likely to say "a portrait of a man" as "a portrait of a woman"; the same
{quality.pairs} pairs of people in every occupation, so that rows can be compared more closely than
their intervals say.

## What it is for, and what not

Its bias says nothing about the world, about people, or about models that people use: somebody typed
it into a file. Use it to learn and to test whether a probe finds what is there. Do not use it on
photographs, to guess anybody's gender or occupation, nor as a component of anything that decides
about people. Probe a real model for a real audit.
"""


def main(arguments: list[str] | None = None) -> int:
    """Measure, then write or refuse."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--portraits", type=int, default=4000)
    parser.add_argument("--pairs", type=int, default=24, help="morphs for each occupation")
    parser.add_argument("--note", default="", help="a sentence for the card on how it was trained")
    parser.add_argument("--measure-only", action="store_true")
    options = parser.parse_args(arguments)

    def make() -> None:
        about = facts(options.folder)
        plant = plant_of(about["plant"], "training.json")
        quality = measure_clip(
            options.folder, plant, portraits=options.portraits, pairs=options.pairs
        )
        print(f"{figures(quality)}\n\n{by_occupation(plant, quality)}")
        require(quality.failures)
        if options.measure_only:
            return
        about |= {"words": vocabulary(options.folder) - SPECIAL, "quality": quality.to_dict()}
        if options.note:
            about["note"] = f" {options.note}"
        take(
            options.folder, BUNDLED / NAME, about,
            lambda about, size: card(about, plant, quality, size),
            largest=LARGEST, files=(*FILES, "preprocessor_config.json"),
        )  # fmt: skip

    return status(make)


if __name__ == "__main__":
    sys.exit(main())
