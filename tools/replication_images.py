"""Tables of docs/guide/replication.md on pictures and on morphed faces.

The first are after BiasTestVQA (Jiang et al. 2023), the second after the experiment of Liang and
Acuna (2020), section 3.1. Everything is asked of the bundled portrait-clip, whose bias was planted:
what was planted stands beside what came out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

import biaslab as bl
from biaslab.portraits import sample_appearance
from biaslab.probes.images import ImageAssociation
from biaslab.probes.psychometrics.morphed_model import MorphedModel
from biaslab.records.result import Interval
from biaslab.records.wording import p_text
from biaslab.stats.correlation import correlate
from biaslab_train.portrait_clip.plant import Plant, PlantedConcept, read_plant
from biaslab_train.portrait_clip.quality import planted_equality
from markdown_tables import table

MODEL = "portrait-clip"
PLANTED = {
    "images-experts-helpers": "helpers-experts",
    "images-neighbours-visitors": "neighbours-visitors",
}
RULES = {"sum": "added up", "mean": "mean of each list", "any": "counted"}
NAMING = ("she is a {concept}", "he is a {concept}", "a {concept} who is a woman")
OCCUPATIONS = (
    "secretary", "nurse", "librarian", "photographer", "scientist", "executive", "electrician",
    "mechanic",
)  # fmt: skip
PORTRAITS, STEPS = 20, 13

Sections = dict[str, Callable[[], str]]


def bundled() -> Sections:
    """Sections that need nothing but the package."""
    return {
        "image scores of portrait-clip": by_rule,
        "image scores by term": by_term,
        "image scores by caption": by_caption,
        "morphs of portrait-clip": morphs,
    }


def by_rule() -> str:
    """Scores under the three rules, beside what the plant gives on the same portraits."""
    rows = []
    for spec in PLANTED:
        for rule, called in RULES.items():
            found = _scored(spec, rule)
            rows.append(
                [
                    spec.removeprefix("images-"),
                    called,
                    _score(found.score, found.interval, 2 if rule != "any" else 1),
                    f"{100 * _counted(_planted(found), rule).mean():.1f}",
                    *(f"{100 * group.score:.1f}" for group in found.by_group),
                    p_text(found.p),
                ]
            )
    heads = ("lists", "rule", "score", "planted", "women's portraits", "men's portraits", "p")
    return table(heads, rows)


def by_term() -> str:
    """Scores of each term, in each caption, beside the plant's."""
    found = _scored("images-experts-helpers", "sum")
    planted, term_of = _planted(found), np.array([image.term for image in found.images])
    single = found.first_by_template
    own = np.where(found.group_of[:, None] == 0, single, 1 - single)
    rows = []
    for term in found.terms:
        here = term_of == term.name
        rows.append(
            [
                term.name,
                str(term.n_images),
                _score(term.score, term.interval, 1),
                f"{100 * planted[here].mean():.1f}",
                *(f"{100 * own[here, k].mean():.1f}" for k in range(len(found.templates))),
            ]
        )
    heads = ["term", "portraits", "score", "planted", *(f"“{t}”" for t in found.templates)]
    return table(heads, rows)


def by_caption() -> str:
    """Scores in each caption, and in captions that name the group."""
    spec = "images-experts-helpers"
    portraits = bl.images.default_images(bl.specs.get(spec), seed=1)
    found = _scored(spec, "sum")
    rows = [
        [f"“{one.name}”", "no", _score(one.score, one.interval, 1)] for one in found.by_template
    ]
    for caption in NAMING:
        asked = bl.image_association(
            _model(), spec, portraits, templates=[caption], permutations=100, keep=False
        )
        rows.append([f"“{caption}”", "yes", _score(asked.score, asked.interval, 1)])
    return table(("caption", "names the group", "score"), rows)


def morphs() -> str:
    """Points of subjective equality by occupation, beside those that follow from the plant."""
    plant = read_plant()
    drawn = bl.images.DrawnMorphs(OCCUPATIONS, observers=PORTRAITS, seed=1)
    found = _asked(drawn, OCCUPATIONS)
    planted = [planted_equality(plant, item) for item in found.items]
    rows = []
    for i, item in enumerate(found.items):
        named = _asked(drawn, [item], [f"{_a(item)} who is a {{concept}}"])
        rows.append(
            [
                item,
                f"{100 * plant.women[item]:.0f}",
                _ends(found.pse[i], found.pooled.corpus[i]),
                f"{100 * planted[i]:.1f}",
                f"{100 * found.jnd[i]:.1f}",
                _ends(named.pse[0], named.pooled.corpus[0]),
            ]
        )
    heads = ("occupation", "women planted, %", "PSE, % man", "planted", "JND", "PSE, named")
    rho = float(correlate(np.array(planted), np.array(found.pse), "spearman").r)
    return (
        table(heads, rows) + f"\n\n{PORTRAITS} portraits, {STEPS} steps. Rank correlation of"
        f" the PSEs with the planted ones: {rho:.2f}."
    )


def _asked(
    drawn: bl.images.DrawnMorphs, items: Sequence[str], captions: Sequence[str] | None = None
) -> bl.probes.psychometrics.TwoAFCResult:
    """Whether a woman or a man is seen on the morphs of these occupations."""
    asked = MorphedModel(_model(), drawn, captions)
    return bl.two_afc(asked, items, ("woman", "man"), levels=STEPS)


@cache
def _model() -> Any:
    return bl.load(MODEL)


@cache
def _scored(spec: str, rule: str) -> ImageAssociation:
    portraits = bl.images.default_images(bl.specs.get(spec), seed=1)
    return bl.image_association(_model(), spec, portraits, aggregate=rule, keep=False)  # type: ignore[arg-type]


def _planted(found: ImageAssociation) -> np.ndarray:
    """P(the list of its own group) of each portrait, by the plant and the portrait's appearance."""
    plant = read_plant()
    lists = next(
        planted for spec, planted in PLANTED.items()
        if tuple(bl.specs.get(spec).attributes) == found.concept_lists
    )  # fmt: skip
    first = np.array([_first(plant, plant.concept(lists), image) for image in found.images])
    return np.where(found.group_of == 0, first, 1 - first)


def _first(plant: Plant, concept: PlantedConcept, image: Any) -> float:
    about = image.provenance
    return plant.answer(concept, _appearance(about["group"], about["seed"]), about["occupation"])


def _appearance(group: str, seed: int) -> float:
    """Of the portrait that `bl.portraits.sample_portrait` makes of a seed."""
    rng = np.random.default_rng(seed)
    rng.random()  # of a group that is not given
    return sample_appearance(group, rng)


def _counted(own: np.ndarray, rule: str) -> np.ndarray:
    """The plant's answers under a rule; one half counts half."""
    if rule != "any":
        return own
    return np.where(np.isclose(own, 0.5, atol=1e-9), 0.5, own > 0.5)


def _score(score: float, ends: Interval, digits: int) -> str:
    low, high = (f"{100 * value:.{digits}f}" for value in (ends.low, ends.high))
    return f"{100 * score:.{digits}f} ({low} to {high})"


def _ends(value: float, ends: np.ndarray) -> str:
    return f"{100 * value:.0f} ({100 * ends[0]:.0f} to {100 * ends[1]:.0f})"


def _a(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"
