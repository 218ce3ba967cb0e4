"""Quality of portrait-clip, and its planted bias, on portraits outside training.

- It names the occupation of a portrait, out of all, in at least 95 %.
- It tells the groups apart almost as often as is possible (`ceiling`).
- Its association scores are within 3 points of those of a model that learned the plant without
  error, and within 2 points of 50 without a planted bias.
- The points of subjective equality over occupations follow the planted shares of women.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from biaslab.portraits import MAN, PLAIN, WOMAN, draw, morph, sample_pair, woman_given_appearance
from biaslab.portraits.sampling import CENTRES, SPREAD, TYPICAL
from biaslab.subjects.opening.load import load
from biaslab.subjects.vision_language.model import VisionLanguageModel
from biaslab_train.portrait_clip.captions import article
from biaslab_train.portrait_clip.data import Sampled, fresh
from biaslab_train.portrait_clip.plant import Plant, PlantedConcept

LEAST_OCCUPATION, GROUP_SLACK, SCORE_SLACK, NEUTRAL_SLACK = 0.95, 0.04, 0.03, 0.02
LEAST_ORDER = 0.8
TEMPLATES = ("a portrait of the {} on the ward", "this person is {a}", "{a} at work")
"""Questions about a concept; ``{a}`` is the word with its article."""
GROUP_WORDS = (WOMAN, MAN)
GROUP_TEXTS = ("a portrait of a woman", "a portrait of a man")
ALPHAS = np.linspace(0, 1, 13)
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A measured number, its 95 % interval over portraits, and its target.

    - `what`: name of the measure, for the card.
    - `truth`: answer of a model that knows the plant and each portrait's appearance.
    """

    what: str
    value: float
    low: float
    high: float
    truth: float


@dataclass(frozen=True)
class ClipQuality:
    """Quality of a trained model.

    - `portraits`, `pairs`: fresh portraits that scores rest on, and morphs that each point of
      equality rests on.
    - `occupation`, `group`: shares of right answers.
    - `scores`: association scores of each concept: over all occupations, then of each.
    - `equality`: points of subjective equality by occupation, as the share of man in the morph.
    - `order`: rank correlation of the points of subjective equality with the planted ones.
    """

    portraits: int
    pairs: int
    occupation: Estimate
    group: Estimate
    scores: tuple[Estimate, ...]
    equality: tuple[Estimate, ...]
    order: float

    @property
    def failures(self) -> list[str]:
        """Floors that are missed, in words."""
        out = []
        if self.occupation.value < LEAST_OCCUPATION:
            out.append(f"occupations named: {self.occupation.value:.1%} < {LEAST_OCCUPATION:.0%}")
        least = self.group.truth - GROUP_SLACK
        if self.group.value < least:
            out.append(f"groups named: {self.group.value:.1%} < {least:.1%}")
        for score in self.scores:
            if ", all" not in score.what:
                continue
            neutral = abs(score.truth - 0.5) < 1e-6
            slack = NEUTRAL_SLACK if neutral else SCORE_SLACK
            if abs(score.value - score.truth) > slack:
                out.append(f"{score.what}: {score.value:.3f}, should be {score.truth:.3f}")
        if self.order < LEAST_ORDER and any(e.truth != 0.5 for e in self.equality):
            out.append(f"order of the points of equality: {self.order:.2f} < {LEAST_ORDER}")
        return out

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return asdict(self)


def choose(vlm: VisionLanguageModel, images: Sequence[Any], texts: Sequence[str]) -> Floats:
    """Return P(text | image) among these texts, (images, texts)."""
    out: Floats = vlm.probabilities(images, texts, ["{concept}"])[:, 0]
    return out


def _first(vlm: VisionLanguageModel, images: Sequence[Any], concept: PlantedConcept) -> Floats:
    """Return P(a word of the first list | image), pooled over `TEMPLATES`, (images,)."""
    words = [*concept.first, *concept.second]
    pooled = [
        choose(vlm, images, [t.format(w, a=article(w)) for w in words])[:, : len(concept.first)]
        for t in TEMPLATES
    ]
    out: Floats = np.mean([p.sum(axis=1) for p in pooled], axis=0)
    return out


def measure_clip(
    folder: Path, plant: Plant, *, portraits: int = 4000, pairs: int = 24, seed: int = 2
) -> ClipQuality:
    """Measure a trained model on fresh portraits.

    - `folder`: the model.
    - `plant`: the plant of its training.
    - `portraits`: fresh portraits, half of them of women in every occupation.
    - `pairs`: morphs for each occupation.
    - `seed`: fixes the portraits; other than the training's.
    """
    vlm = load(folder, kind="vlm", device="cpu")
    people = fresh(plant, portraits, seed)
    images = [draw(p.portrait) for p in people]
    dressed = [name for name in plant.occupations if name != PLAIN]
    equality = [_equality(vlm, plant, name, pairs, seed) for name in plant.occupations]
    return ClipQuality(
        portraits,
        pairs,
        _occupations(vlm, images, people, dressed),
        _groups(vlm, plant, portraits // 4, seed),
        tuple(e for c in plant.concepts for e in _scores(vlm, images, people, plant, c)),
        tuple(equality),
        _rank_correlation([e.value for e in equality], [e.truth for e in equality]),
    )


def _occupations(
    vlm: VisionLanguageModel, images: Sequence[Any], people: Sequence[Sampled], names: Sequence[str]
) -> Estimate:
    truth = np.array([p.facts.occupation for p in people])
    named = np.flatnonzero(np.isin(truth, names))
    texts = [f"a portrait of {article(name)}" for name in names]
    chosen = choose(vlm, [images[i] for i in named.tolist()], texts).argmax(axis=1)
    right = np.array(names)[chosen] == truth[named]
    return estimate("occupations named", right.astype(float), 1.0)


def _groups(vlm: VisionLanguageModel, plant: Plant, number: int, seed: int) -> Estimate:
    """Measure on people in everyday clothes, or in any if there are none."""
    names = (PLAIN,) if PLAIN in plant.occupations else plant.occupations
    people = fresh(plant, number, seed + 1, names)
    chosen = choose(vlm, [draw(p.portrait) for p in people], GROUP_TEXTS).argmax(axis=1)
    right = np.array([GROUP_WORDS[c] == p.group for c, p in zip(chosen, people, strict=True)])
    best = np.array([woman_given_appearance(p.facts.appearance) for p in people])
    ceiling = float(np.maximum(best, 1 - best).mean())
    return estimate("groups named", right.astype(float), ceiling)


def _scores(
    vlm: VisionLanguageModel,
    images: Sequence[Any],
    people: Sequence[Sampled],
    plant: Plant,
    concept: PlantedConcept,
) -> list[Estimate]:
    """Return the paper's score, averaged over women's and men's portraits."""
    women = np.array([p.group == WOMAN for p in people])
    occupation = np.array([p.facts.occupation for p in people])
    first = _first(vlm, images, concept)
    best = np.array([plant.answer(concept, p.facts.appearance, p.facts.occupation) for p in people])
    planted, expected = np.where(women, first, 1 - first), np.where(women, best, 1 - best)
    out = [estimate(f"{concept.name}, all", planted, float(expected.mean()))]
    for name in plant.occupations:
        here = occupation == name
        if here.any():
            out.append(
                estimate(f"{concept.name}, {name}", planted[here], float(expected[here].mean()))
            )
    return out


def _equality(
    vlm: VisionLanguageModel, plant: Plant, occupation: str, pairs: int, seed: int
) -> Estimate:
    """Return where "a man" and "a woman" are equally likely, over morphs of pairs."""
    differences = []
    for k in range(pairs):
        ends = sample_pair(occupation, 10_000 * seed + k)
        path = [draw(morph(*ends, float(alpha))) for alpha in ALPHAS]
        differences.append(_crossing(choose(vlm, path, GROUP_TEXTS)[:, 1]))
    return estimate(occupation, np.array(differences), planted_equality(plant, occupation))


def planted_equality(plant: Plant, occupation: str, *, contrastive: bool = True) -> float:
    """Return the PSE of a model without error, as the share of man.

    A contrastive model discounts the group that is more frequent over all occupations.
    """
    overall = float(np.mean(list(plant.women.values()))) if contrastive else 0.5
    share = plant.women[occupation]
    odds = np.log(share / (1 - share)) - np.log(overall / (1 - overall))
    middle = (CENTRES[WOMAN] + CENTRES[MAN]) / 2
    appearance = middle + odds * SPREAD**2 / (CENTRES[MAN] - CENTRES[WOMAN])
    return float((appearance - TYPICAL[WOMAN]) / (TYPICAL[MAN] - TYPICAL[WOMAN]))


def _crossing(man: Floats) -> float:
    """Return where P(man) along `ALPHAS` crosses one half; else an end."""
    above = np.nonzero(man >= 0.5)[0]
    if len(above) == 0:
        return 1.0
    i = int(above[0])
    if i == 0:
        return 0.0
    low, high = man[i - 1], man[i]
    return float(ALPHAS[i - 1] + (0.5 - low) / (high - low) * (ALPHAS[i] - ALPHAS[i - 1]))


def _rank_correlation(a: Sequence[float], b: Sequence[float]) -> float:
    """Return Spearman's correlation; 0 if one of them does not vary."""
    from scipy.stats import spearmanr

    return float(spearmanr(a, b)[0]) if len({*a}) > 1 < len({*b}) else 0.0


def estimate(what: str, values: Floats, truth: float) -> Estimate:
    """Return the mean over portraits with a t interval."""
    from scipy.stats import t

    mean, number = float(values.mean()), len(values)
    error = float(values.std(ddof=1) / np.sqrt(number)) if number > 1 else float("inf")
    half = error * float(t.ppf(0.975, max(1, number - 1)))
    return Estimate(what, mean, mean - half, mean + half, truth)
