"""Make the bundled subject ``clerk-lm`` from a finished training folder.

``python tools/bundle_clerk_lm.py FOLDER`` measures the model on questions that training never
shows, refuses if it misses a floor (`biaslab_train.clerk.quality`), and writes it with its model
card to ``biaslab/bundled/clerk-lm``. ``--measure-only`` prints the figures and writes nothing.
"""

from __future__ import annotations

import argparse
import math
import sys
import textwrap
from pathlib import Path
from typing import Any

from biaslab_train.cards import of_own_making
from biaslab_train.clerk.plant import ClerkPlant, PlantedCase, plant_of
from biaslab_train.clerk.quality import (
    LEAST_MASS,
    MOST_DEVIATION,
    MOST_GAP_ERROR,
    MOST_POSITION_ERROR,
    ClerkQuality,
    measure_clerk,
)
from bundling import BUNDLED, facts, require, status, take, vocabulary

NAME = "clerk-lm"
LARGEST = 3_000_000
"""Bytes of the bundled model, all its files together."""


def planted_table(plant: ClerkPlant) -> str:
    """The psychometric functions as a Markdown table."""
    lines = [
        "| case | unit | PSE by group | JND | lapses | by position | unsure within |",
        "|---|---|---|---|---|---|---|",
    ]
    for planted in plant.cases:
        pse = ", ".join(f"{name}: {value:g}" for name, value in planted.pse.items())
        lapse = ", ".join(f"{100 * value:g} %" for value in planted.lapse.values())
        lines.append(
            f"| {planted.case.name} | {planted.case.quality.unit} | {pse} | {planted.jnd:g}"
            f" | {lapse} | {100 * planted.position:+g} % | ± {planted.unsure:g} |"
        )
    return "\n".join(lines)


def shifts(planted: PlantedCase) -> str:
    """The shifts of names and wordings of a case, as a Markdown list entry."""
    cues = ", ".join(f"{name} {value:+g}" for name, value in planted.cues.items())
    wordings = ", ".join(f"{value:+g}" for value in planted.wordings)
    text = f"- `{planted.case.name}`: {cues}; wordings {wordings}"
    if planted.which:
        text += f"; of two {', '.join(f'{value:+g}' for value in planted.which)}"
    return f"{text}."


def figures(quality: ClerkQuality) -> str:
    """What came out, case by case, as Markdown tables."""
    gaps = [
        "| case | form | from | to | gap planted | gap found | unit |",
        "|---|---|---|---|---|---|---|",
    ]
    rows = [
        "| case | mean deviation | largest | JND planted | found | by position | found | mass |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for case in quality.cases:
        rows.append(
            f"| {case.name} | {100 * case.mean_deviation:.1f} | {100 * case.largest_deviation:.1f}"
            f" | {case.jnd:g} | {case.found_jnd:.3g} | {100 * case.position:+.1f} %"
            f" | {100 * case.found_position:+.1f} % | {case.mass:.4f} |"
        )
        digits = max(0, 2 - math.floor(math.log10(case.jnd)))
        gaps += [
            f"| {case.name} | {gap.form} | {gap.first} | {gap.second} | {gap.planted:.4g}"
            f" | {gap.found:.{digits}f} | {case.unit} |"
            for gap in case.gaps
        ]
    return "\n".join([*rows, "", *gaps])


def _signed(gap: float) -> str:
    return f"{gap:+.4g}".replace("-", "−") if gap else "0"


def planted_gaps(plant: ClerkPlant) -> str:
    """What each group needs beyond the first one, as a paragraph."""
    parts = []
    for planted in plant.cases:
        first, *others = planted.pse
        gaps = [f"{name} {_signed(planted.gap(first, name))}" for name in others]
        parts.append(f"{planted.case.title}, {planted.case.quality.unit}: {', '.join(gaps)}")
    text = f"How much more each group needs than the first one. {'; '.join(parts)}."
    return textwrap.fill(text, 98, break_on_hyphens=False)


def card(about: dict[str, Any], plant: ClerkPlant, quality: ClerkQuality, size: int) -> str:
    """The model card as Markdown."""
    s, position = about["settings"], about["position"]
    versions = ", ".join(f"{k} {v}" for k, v in about["versions"].items())
    first = plant.cases[0].case
    middle = float(first.quality.levels[len(first.quality.levels) // 2])
    example = first.ask(first.groups[1].cues[0], middle).prompt
    options = " ".join(
        f"--{name} {s[name]}" for name in ("layers", "width", "heads", "inner", "batch", "seed")
    )
    every = "\n".join(shifts(planted) for planted in plant.cases)
    return f"""# {NAME}

A small causal language model of made-up decisions **whose gaps between groups were planted on
purpose and are known**: for learning how a model's decisions are measured, and for tests.

- **Model**: Llama's design, {s["layers"]} layers of width {s["width"]}, {s["heads"]} heads, inner
  size {s["inner"]}, {s["context"]} tokens of context, {about["parameters"]:,} parameters; input and
  output embeddings are one matrix.
- **Words**: {about["words"]}, those of its cases, as whole tokens in upper and lower case; numbers
  in parts of up to three digits, with the decimals as a part of their own. Every other word is
  "unknown" to it, and a name that it does not know lies in the middle between the groups.
- **Questions**: the texts of {len(plant.cases)} cases (`bl.cases`), made by `Case.ask` and
  `Case.ask_which`, half of them in the model's template for chats. One in sixteen, chosen by a
  checksum of its text, is held out.
- **Training**: {position["questions"]:,} questions, {position["step"]:,} steps of {s["batch"]},
  seed {s["seed"]}; Muon and AdamW; in float32; {versions}. The loss is the cross-entropy of the
  answer (and of the end of the text after it), against the planted probability of each answer
  rather than against answers drawn from it: the expected gradient is the same, without the noise of
  drawing.
- **Stored** as float16 safetensors, {size / 1e6:.1f} MB in all; computed in float32.
- **Made again** by `biaslab train clerk --output OUT --questions {about["budget"]}
  {options}`.
{of_own_making("its questions and the probabilities of their answers")}

It answers questions such as:

> {example}

## What was planted: {plant.name}

{planted_gaps(plant)}

{plant.notes}

{planted_table(plant)}

For a level of the quality, a share of answers is given **by position** (the option listed first;
below 0 the one listed second) and a share as **lapses** (half of each option, by group in the order
of the PSEs). The rest is a yes with the probability of a logistic curve whose middle is the PSE and
which rises from 50 to 75 % over one JND (falls, in `moderation`, where less is better). Which of
two is chosen follows the difference of both levels, each from the PSE of its group, with a JND
larger by the square root of two. Where "cannot say" is offered, it is chosen for levels within that
range around the PSE, blurred by the same curve. A gap is how much more of the quality the second
group needs (how much less, where less is better). Names and wordings shift the PSE, in the same
unit:

{every}

Details of a case ("good references") have no effect.

## What came out

{figures(quality)}

**Deviations** are of the probability of the option listed first from the planted one, in points
of a hundred, on held-out questions ({quality.cases[0].questions} of each case, half of them as
chats; all forms, a quarter with "cannot say"). **Gaps** and **JNDs** are those of logistic curves
with equal guess and lapse rates, fitted to the mean probabilities over all names, wordings and both
orders at each level, and for "which of two" to those at each difference. **Mass** is the
probability of the offered answers together. Floors: mean deviation at most
{100 * MOST_DEVIATION:.1f} points, gaps within {MOST_GAP_ERROR:g} JNDs, share by position within
{100 * MOST_POSITION_ERROR:.1f} points, mass at least {LEAST_MASS:g}.

## What it is for, and what not

Its gaps say nothing about the world, about people, or about models that people use: somebody typed
them into a file. Use it to learn and to test whether a probe finds what is there. It cannot write:
it has learnt the answer to its questions and no other word. Do not use it to decide anything about
anybody, nor as a component of anything that does. Probe a real model for a real audit.
"""


def main(arguments: list[str] | None = None) -> int:
    """Measure, then write or refuse."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--questions", type=int, default=400, help="held-out ones of each case")
    parser.add_argument("--measure-only", action="store_true")
    options = parser.parse_args(arguments)

    def make() -> None:
        about = facts(options.folder)
        plant = plant_of(about["plant"], "training.json")
        quality = measure_clerk(options.folder, plant, questions=options.questions)
        print(figures(quality))
        require(quality.failures)
        if options.measure_only:
            return
        about |= {"words": vocabulary(options.folder), "quality": quality.to_dict()}
        take(
            options.folder, BUNDLED / NAME, about,
            lambda about, size: card(about, plant, quality, size), largest=LARGEST,
        )  # fmt: skip

    return status(make)


if __name__ == "__main__":
    sys.exit(main())
