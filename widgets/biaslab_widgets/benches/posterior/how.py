"""How the posterior bench comes to what it shows: the groups' difference, or the share of women."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from biaslab.portraits import woman_given_appearance
from biaslab.probes.posterior import PortraitPosterior, PosteriorOverview
from biaslab.probes.posterior.portraits.question import log_mean
from biaslab.probes.posterior.reading import FORMULAS
from biaslab.records.wording import counted, listed
from biaslab_widgets.benches.posterior.fields import Groups, Picture, Quantity
from biaslab_widgets.core.how import (
    NOTHING_YET,
    ends,
    how,
    mean_line,
    number,
    percent,
    signed,
    step,
)
from biaslab_widgets.core.state.records import How, Step

READ: Final = ("liang-acuna", "vehtari")
GUIDE: Final = "docs/benches/posterior.md"
_BAYES: Final = "p(s | label) = p(label | s) p(s) / p(label)"
_FACES: Final = "p(portrait | word) ∝ p(word | portrait)^k p(portrait)"
_ACCEPTED: Final = "min(1, (p(word | new) / p(word | old))^k)"
_CHOSEN: Final = "p(word | new)^k / (p(word | new)^k + p(word | old)^k)"
_FEW: Final = 6


def how_of(overview: PosteriorOverview | None, picture: Picture | None, subject: str) -> How:
    """Steps from the posterior to distances.

    - `overview`: the run that the picture is of; None while it goes on.
    - `subject`: name of the classifier.
    """
    label = picture["label"] if picture is not None else ""
    if picture is None or overview is None or label not in overview.posteriors:
        return how(NOTHING_YET, [step("Ask backwards", _BAYES)], read=READ, guide=GUIDE)
    about = f"What {subject} imagines when it says “{label}”."
    return how(about, _steps(overview, picture, label), read=READ, guide=GUIDE)


def _steps(overview: PosteriorOverview, picture: Picture, label: str) -> Iterator[Step]:
    prior = picture["prior"]
    yield step(
        "Ask backwards",
        _BAYES,
        text=f"s is a point in the space of stimuli and the label is “{label}”. The prior p(s) is"
        f" {prior['name']}, its spread times {picture['width']:g}: {prior['text']}",
    )
    yield _first_draw(overview, picture, label)
    for quantity in picture["quantities"][:1]:
        yield _trust(quantity, quantity["label"])
    yield from _word(overview, picture, label)
    if picture["groups"] is not None:
        yield _groups(picture["groups"])


def _first_draw(overview: PosteriorOverview, picture: Picture, label: str) -> Step:
    posterior = overview.of(label)
    logit = float(posterior.logit[0, 0])
    lines = []
    if math.isfinite(logit):
        share = 1 / (1 + math.exp(-logit))
        lines = [f"1 / (1 + exp(−{signed(logit, 4)})) = {number(share, 4)}"]
    run = picture["run"]
    return step(
        "Draw stimuli",
        "p(label | s) = 1 / (1 + exp(−logit))",
        *lines,
        text=f"{run['chains']} chains keep {run['draws']:,} draws each, made by"
        f" {picture['engine']}. The numbers are of the first draw of the first chain.",
    )


def _trust(quantity: Quantity, name: str) -> Step:
    rhat = quantity["rhat"]
    if rhat is None:
        text = "There are too few draws to compare the chains."
    else:
        enough = "below" if rhat < quantity["rhat_limit"] else "not below"
        text = (
            f"Of the {name} R-hat is {number(rhat)}, {enough} the limit"
            f" {number(quantity['rhat_limit'], 2)}."
        )
        if quantity["ess_bulk"] is not None and quantity["mcse"] is not None:
            text += (
                f" The draws are worth {quantity['ess_bulk']:,.0f} independent ones (bulk ESS), and"
                f" its mean has an MCSE of {number(quantity['mcse'], 4)}."
            )
    return step("Check the chains", "R-hat = √(variance of all draws / variance within chains)",
                text=text)  # fmt: skip


def _word(overview: PosteriorOverview, picture: Picture, label: str) -> Iterator[Step]:
    words = picture["words"]
    if words is None:
        return
    rows = [words["picked"], *words["closest"]]
    row = next((one for one in rows if one is not None), None)
    if row is None:
        return
    yield step(
        "Measure how far a word is",
        f"distance = mean over all draws of {FORMULAS[overview.reading.distance]}",
        text=f"“{row['word']}” is {number(row['distance'], 4)} from the draws of “{label}”"
        f" ({words['interval_label']} interval {number(row['low'], 4)} to"
        f" {number(row['high'], 4)}): number {row['rank']:,} of {words['total']:,}, the closest"
        " first.",
    )


def _groups(groups: Groups) -> Step:
    first, second = groups["rows"]
    lines = [
        mean_line([m["distance"] for m in row["members"]], 6)
        for row in (first, second)
        if len(row["members"]) <= _FEW
    ]
    lines.append(
        f"{number(first['mean'], 6)} − {number(second['mean'], 6)}"
        f" = {number(groups['difference'], 4)}"
    )
    side = "includes 0" if groups["low"] <= 0 <= groups["high"] else "excludes 0"
    return step(
        "Compare the groups",
        f"mean distance of {first['name']} − mean distance of {second['name']}",
        *dict.fromkeys(lines),
        text=f"Its interval, {number(groups['low'], 4)} to {number(groups['high'], 4)}, {side}.",
    )


def how_of_faces(result: PortraitPosterior | None, picture: Picture | None, subject: str) -> How:
    """Steps from the target to the share of women.

    - `result`: the run that the picture is of; None while it goes on.
    - `subject`: name of the vision-language model.
    """
    if result is None or picture is None:
        return how(NOTHING_YET, [step("Ask backwards", _FACES)], read=_READ_FACES, guide=GUIDE)
    about = f"The faces that {subject} imagines for “{result.word}”."
    return how(about, _face_steps(result, picture), read=_READ_FACES, guide=GUIDE)


_READ_FACES: Final = ("sanborn", *READ)


def _face_steps(result: PortraitPosterior, picture: Picture) -> Iterator[Step]:
    others = f", not {listed(result.against)}" if result.against else ""
    yield step(
        "Ask backwards",
        _FACES,
        text=f"p(word | portrait) is how probably the model says {result.word}{others}, and k ="
        f" {result.times:g} is how often in a row it must say so. p(portrait) is the distribution"
        " that portraits are drawn from: half women, half men.",
    )
    rule = "chosen" if result.by == "choices" else "accepted"
    yield step(
        "Propose other portraits",
        f"P({rule}) = {_CHOSEN if result.by == 'choices' else _ACCEPTED}",
        text=f"{counted(result.chains, 'chain')} of {counted(result.n_draws, 'draw')}. Half of the"
        " proposals are whole new people, the others change some attributes."
        f" {percent(result.acceptance)} of all were {rule}, and"
        f" {percent(result.acceptance_whole)} of the new people.",
    )
    share = result.share
    yield step(
        "Count women",
        "share = mean over all draws of P(woman | appearance)",
        mean_line([float(chain.mean()) for chain in _womanly(result.appearance)], 4),
        text=f"All chains count alike. The 95 % interval is"
        f" {ends(share.interval.low, share.interval.high)}.",
    )
    for quantity in picture["quantities"][:1]:
        yield _trust(quantity, "share of women")
    yield from _weighing(result)


def _weighing(result: PortraitPosterior) -> Iterator[Step]:
    exact = result.exact_share
    if exact is None:
        return
    log_p = log_mean(np.asarray(result.prior_says, dtype=np.float64))
    weights = np.exp(result.times * (log_p - log_p.max()))
    women = float(weights @ _womanly(result.prior_appearance))
    yield step(
        "Weigh portraits, without chains",
        "share = Σ w P(woman | appearance) / Σ w, w = (p(word | portrait) / largest p)^k",
        f"{number(women)} / {number(float(weights.sum()))} = {number(exact.value)}",
        text=f"{counted(len(weights), 'portrait')}, drawn independently, are worth"
        f" {result.exact_size:,.0f} after weighting. The 95 % interval is"
        f" {ends(exact.interval.low, exact.interval.high)}.",
    )


def _womanly(appearance: NDArray[np.floating]) -> NDArray[np.float64]:
    return np.asarray(np.vectorize(woman_given_appearance)(appearance), dtype=np.float64)
