"""Quality of portrait-chat, and its planted bias, on portraits outside training.

- Its answers about helpers and experts follow the planted ones, and about neighbours and visitors
  they are even.
- The effect of the options' order and the share of other replies are those that were planted.
- The points of subjective equality over occupations follow the planted shares of women.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from biaslab.portraits import MAN, WOMAN, draw
from biaslab.probes.letter_bias import letter_bias
from biaslab.probes.psychometrics.probe import two_afc
from biaslab.subjects.opening.load import load
from biaslab.subjects.vision_language.model import VisionLanguageModel
from biaslab.subjects.vision_language.questions import Floats
from biaslab_train.portrait_clip.data import Sampled, fresh
from biaslab_train.portrait_clip.plant import Plant
from biaslab_train.portrait_clip.quality import Estimate, estimate, planted_equality

SCORE_SLACK, NEUTRAL_SLACK, ORDER_SLACK, OTHER_SLACK = 0.03, 0.01, 0.1, 0.02
LEAST_ORDER: Final = 0.8


@dataclass(frozen=True)
class Measured(Estimate):
    """An estimate over portraits, and how far from what was planted it may lie."""

    slack: float

    @property
    def is_met(self) -> bool:
        """Whether it is near enough to what was planted."""
        return abs(self.value - self.truth) <= self.slack


@dataclass(frozen=True)
class ChatQuality:
    """Quality of a trained model.

    - `portraits`, `morphs`: fresh portraits of scores, and morphs of each point of equality.
    - `figures`: scores, the effect of the order, and the probability of the letters.
    - `equality`: points of subjective equality by occupation, as the share of man in the morph.
    - `order`: rank correlation of the points of subjective equality with the planted ones.
    """

    portraits: int
    morphs: int
    figures: tuple[Measured, ...]
    equality: tuple[Measured, ...]
    order: float

    @property
    def failures(self) -> list[str]:
        """Floors that are missed, in words."""
        out = [f"{m.what}: {m.value:.3f}, should be {m.truth:.3f}" for m in self.figures
               if not m.is_met]  # fmt: skip
        if self.order < LEAST_ORDER:
            out.append(f"order of the points of equality: {self.order:.2f} < {LEAST_ORDER}")
        return out

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return asdict(self)


def measure_chat(
    folder: Path,
    plant: Plant,
    *,
    position: float,
    other: float,
    portraits: int = 400,
    morphs: int = 16,
    seed: int = 2,
) -> ChatQuality:
    """Measure a trained model on fresh portraits.

    - `folder`: the model.
    - `plant`: the plant of its training.
    - `position`, `other`: as of `PortraitChatSettings`.
    - `portraits`: fresh portraits, half of them of women in every occupation.
    - `morphs`: morphs for each occupation.
    - `seed`: fixes the portraits; other than the training's.
    """
    vlm = load(folder, kind="vlm", device="cpu")
    people = fresh(plant, portraits, seed)
    figures = [m for c in plant.concepts for m in _scores(vlm, plant, people, c.name)]
    concept = plant.concepts[0]
    answers = vlm.answers([draw(p.portrait) for p in people], [concept.first[0], concept.second[0]])
    if answers.letters is not None:
        bias = letter_bias(answers.letters, np.arange(portraits), "portraits")
        ends, what = bias.interval, "log-odds of the first place"
        figures.append(Measured(what, bias.position, ends.low, ends.high, position, ORDER_SLACK))
        mass = answers.letters.mass.mean(axis=(1, 2))
        figures.append(_mean("probability of the letters", mass, 1 - other, OTHER_SLACK))
    equality = _equality(vlm, plant, morphs)
    order = float(
        np.corrcoef(_ranks([m.value for m in equality]), _ranks([m.truth for m in equality]))[0, 1]
    )
    return ChatQuality(portraits, morphs, tuple(figures), equality, order)


def _scores(
    vlm: VisionLanguageModel, plant: Plant, people: Sequence[Sampled], name: str
) -> list[Measured]:
    """Return the paper's score for one word of each list, and for all of their words."""
    concept = plant.concept(name)
    images = [draw(p.portrait) for p in people]
    is_woman = np.array([p.group == WOMAN for p in people])
    truth = np.array([plant.first(concept, p.facts.appearance, p.facts.occupation) for p in people])
    planted = float(np.where(is_woman, truth, 1 - truth).mean())
    slack = NEUTRAL_SLACK if abs(planted - 0.5) < 1e-6 else SCORE_SLACK
    out = []
    for count in sorted({1, len(concept.first)}):
        first, second = concept.first[:count], concept.second[:count]
        shares = vlm.probabilities(images, [*first, *second])
        chosen = shares[..., : len(first)].sum(axis=-1).mean(axis=1)
        what = f"score, {name}, {2 * count} options"
        # Long lists are harder; the figure is on the card, and no floor.
        own = slack if count == 1 else float("inf")
        out.append(_mean(what, np.where(is_woman, chosen, 1 - chosen), planted, own))
    return out


def _equality(vlm: VisionLanguageModel, plant: Plant, morphs: int) -> tuple[Measured, ...]:
    result = two_afc(vlm, list(plant.occupations), (WOMAN, MAN), observers=morphs, levels=11)
    frame: Any = result.to_frame()
    frame = frame[frame["pooled"]] if frame["pooled"].any() else frame
    columns = ("item", "pse", "corpus_low", "corpus_high")
    return tuple(
        Measured(
            item, pse, low, high, planted_equality(plant, item, contrastive=False), float("inf")
        )
        for item, pse, low, high in zip(*(frame[each].tolist() for each in columns), strict=True)
    )


def _mean(what: str, values: Floats, truth: float, slack: float) -> Measured:
    return Measured(**vars(estimate(what, values, truth)), slack=slack)


def _ranks(values: Sequence[float]) -> Floats:
    return np.argsort(np.argsort(values)).astype(float)
