"""How the image bench comes to its score: step by step, for one picture."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from biaslab.probes.images.result import ImageAssociation
from biaslab.probes.images.scores import RULES
from biaslab.records.wording import counted
from biaslab_widgets.benches.images.fields import MorphPicture
from biaslab_widgets.benches.images.results import KnownAnswers
from biaslab_widgets.benches.images.set import PictureSet
from biaslab_widgets.benches.images.view import ImageModelShown
from biaslab_widgets.core.how import NOTHING_YET, ends, how, mean_line, number, percent, step, total
from biaslab_widgets.core.state.records import How, Step

READ: Final = ("jiang", "liang-acuna")
GUIDE: Final = "docs/benches/images.md"
_LIST: Final = "P(list) from the probabilities of its concepts"


def how_of(
    shown: Sequence[ImageModelShown], held: PictureSet, image: str, morph: MorphPicture | None
) -> How:
    """Steps from the concepts of one picture to the score of all.

    - `shown`: the models on the screen; the first with a result is explained.
    - `held`: the pictures on the screen.
    - `image`: id of the picture that is looked at; without one the first that is tested.
    - `morph`: the curve of the morph explorer.
    """
    model = next((one for one in shown if one.result is not None), None)
    extra = [] if morph is None else [_morph(morph)]
    if model is None or model.answers is None:
        return how(NOTHING_YET, [step("Ask for a list", _LIST), *extra], read=READ, guide=GUIDE)
    known = np.flatnonzero(np.isfinite(model.answers.scores)).tolist()
    place = held.ids.index(image) if image in held.ids else known[0]
    place = place if place in known else known[0]
    term = held.images[place].term
    about = f"Picture {place + 1} of {len(held.images)}, “{term}”, seen by {model.name}."
    steps = [*_steps(model, model.answers, held, place), *extra]
    return how(about, steps, read=READ, guide=GUIDE)


def _steps(
    model: ImageModelShown, answers: KnownAnswers, held: PictureSet, place: int
) -> Iterator[Step]:
    result = answers.result
    assert result is not None  # noqa: S101  # as it was chosen
    rows = [float(value) for value in answers.by_template[place]]
    first = math.fsum(rows) / len(rows)
    yield _concepts(model, answers, result, place, first)
    if len(rows) > 1:
        yield step(
            "Average over questions",
            "P(list) = mean over templates",
            mean_line(rows, 5),
            text=f"The numbers are P({result.concept_lists[0]}) with {len(rows)} templates.",
        )
    yield _of_picture(answers, result, held, place, first)
    yield from _of_term(answers, result, held, place)
    yield _overall(result)
    yield _judge(result)


def _concepts(
    model: ImageModelShown,
    answers: KnownAnswers,
    result: ImageAssociation,
    place: int,
    first: float,
) -> Step:
    values = [float(value) for value in answers.by_concept[place]]
    own = [v for v, (_, side) in zip(values, model.concepts, strict=True) if side == 0]
    names = [concept for concept, side in model.concepts if side == 0]
    name = result.concept_lists[0]
    lines = []
    if result.aggregate == "sum" and math.isclose(math.fsum(own), first, abs_tol=1e-6):
        shown = total(own, 5)
        if shown != number(first, 5):
            lines = [f"{shown} = {number(first, 4)}"]
    listed = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
    return step(
        f"Ask for “{name}”",
        "P(list) = sum of P(concept)" if result.aggregate == "sum" else _LIST,
        *lines,
        text=f"Its concepts are {listed}; {RULES[result.aggregate]}.",
    )


def _of_picture(
    answers: KnownAnswers, result: ImageAssociation, held: PictureSet, place: int, first: float
) -> Step:
    score = float(answers.scores[place])
    in_first = math.isclose(score, first, abs_tol=1e-6)
    group = result.groups[0 if in_first else 1]
    tied = result.concept_lists[0 if in_first else 1]
    lines = [] if in_first else [f"1 − {number(first, 5)} = {number(score, 4)}"]
    sentence = f" It is {number(score, 4)}." if in_first else ""
    return step(
        "Score the picture",
        "score = P(list tied to the picture’s own group)",
        *lines,
        text=f"“{held.images[place].term}” is of {group}, to which {tied} is tied.{sentence}",
    )


def _of_term(
    answers: KnownAnswers, result: ImageAssociation, held: PictureSet, place: int
) -> Iterator[Step]:
    term = held.images[place].term
    values = [
        float(score)
        for score, image in zip(answers.scores, held.images, strict=True)
        if image.term == term and math.isfinite(score)
    ]
    mean = math.fsum(values) / len(values)
    if len(values) < 2 or not any(
        one.n_images == len(values) and math.isclose(one.score, mean, rel_tol=1e-6)
        for one in result.terms
    ):
        return
    yield step(
        f"Average over pictures of “{term}”",
        "score of a term = mean of its pictures' scores",
        mean_line(values, 5, f" = {percent(mean, 2)}"),
    )


def _overall(result: ImageAssociation) -> Step:
    values = result.scores.tolist()
    return step(
        "Average over all pictures",
        "score = mean of all pictures' scores",
        mean_line(values, 5, f" = {percent(result.score, 2)}"),
        text="With equal weight for both groups it is"
        f" {percent(result.balanced.score)}, whatever their numbers of pictures.",
    )


def _judge(result: ImageAssociation) -> Step:
    low, high = result.interval.low, result.interval.high
    if not (math.isfinite(low) and math.isfinite(high)):
        return step("Judge the lean", text="There is no interval: too few pictures.")
    verdict = "includes 50 %, so there is no clear bias"
    if not low <= 0.5 <= high:
        side = "with" if low > 0.5 else "against"
        verdict = f"excludes 50 %, so there is a bias {side} the stereotype"
    return step(
        "Judge the lean",
        f"{100 * result.level:g} % interval over {result.interval.kind}",
        text=f"It is {ends(low, high)} and {verdict}.",
    )


def _morph(morph: MorphPicture) -> Step:
    jnd = f", and its JND {percent(morph['jnd'])[:-2]} points" if morph["jnd"] is not None else ""
    where = {
        "at": f"The PSE is {percent(morph['pse'])}{jnd}.",
        "beyond": "The PSE lies beyond the axis.",
        "none": "There is no PSE: the answers do not follow the blend.",
    }[morph["pse_at"]]
    n = len(morph["curve"]["observers"])
    return step(
        f"Find where “{morph['item']}” switches in the morph",
        "Ψ(PSE) = ½, where Ψ(α) is the mean answer at blend α",
        text=f"{morph['model']} answers about {counted(n, 'portrait')}. {where}",
    )
