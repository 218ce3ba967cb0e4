"""How the psychometric bench comes to its PSE: step by step, for the word on the screen."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.psychometrics import TwoAFCResult
from biaslab.probes.psychometrics.answers import Graded, SwitchPoints
from biaslab.probes.psychometrics.graded_estimates import GradedEstimates
from biaslab.records.wording import counted
from biaslab.stats.curves.jnd import unit_jnd
from biaslab.stats.quantiles import t_quantile
from biaslab_widgets.benches.psychometric.fields import Picture, PsychometricBenchState
from biaslab_widgets.core.how import (
    NOTHING_YET,
    ends,
    how,
    mean_line,
    number,
    percent,
    points,
    signed,
    step,
)
from biaslab_widgets.core.state.records import How, Step

READ: Final = ("liang-acuna", "wichmann-hill")
GUIDE: Final = "docs/benches/psychometric.md"
DIGITS: Final = 4
_SIGMAS: Final = {
    "quartile": "from the 50 % to the 75 % point of the curve",
    "eq6": "the width around the PSE over which the curve rises by one half",
    "sd": "the standard deviation of the curve",
}


def how_of(shown: tuple[TwoAFCResult, Picture] | None, snapshot: PsychometricBenchState) -> How:
    """Steps from the stimulus at the handle to the verdict.

    - `shown`: what is on the screen.
    - `snapshot`: where the handle is.
    """
    if shown is None:
        return how(NOTHING_YET, [_blend(snapshot.alpha, "cue 1", "cue 2")], read=READ, guide=GUIDE)
    result, picture = shown
    i = result.index(picture["word"])
    one, two = picture["cue_1"], picture["cue_2"]
    explained, place = _KINDS.get(result.raw.kind, (_of_embedding, lambda _: ""))
    steps = [_blend(snapshot.alpha, one, two), *explained(result, i, picture, snapshot.alpha)]
    more = f", and {len(result.pairs) - 1} more cue pairs" if len(result.pairs) > 1 else ""
    about = f"“{picture['word']}” between {one} and {two}{more}, asked of {snapshot.subject}."
    return how(about + place(result), steps, read=READ, guide=GUIDE)


def _place(result: TwoAFCResult) -> str:
    """Say where in the network the stimulus of the shown curve was patched in."""
    layers = result.provenance.parameters.get("layers")
    if not layers:
        return " The blend is put in at the input of the network, in place of the word."
    return (
        f" The shown curve is that of layer {layers[0]}: the model reads each cue alone, and the"
        f" hidden states behind block {layers[0]} are blended."
    )


def _blend(alpha: float, one: str, two: str) -> Step:
    return step(
        "Blend the two cues",
        "s = (1 − α) c_{1} + α c_{2}",
        text=f"At the handle α is {number(alpha, 2)}: the stimulus s holds {percent(1 - alpha, 0)}"
        f" {one} and {percent(alpha, 0)} {two}.",
    )


# An embedding answers with a step: each replicate has a switch point.


def _of_embedding(result: TwoAFCResult, i: int, picture: Picture, alpha: float) -> Iterator[Step]:
    rows = picture["rows"]
    if rows["sim_1"] and result.scoring == "eq8":
        yield _scores(picture, alpha)
        yield _switch(result, i, picture)
    elif result.scoring != "eq8":
        yield step(
            "Find where each replicate switches",
            "cos(s, c_{1}) + cos(w, c_{1}) = cos(s, c_{2}) + cos(w, c_{2})",
            text="With the cosine to the true mixture this is solved for the angle of the blend."
            f" Replicate 1 switches at α* = {number(rows['switch'][0], DIGITS)}.",
        )
    yield _count(result, picture, alpha)
    yield _pse(result, i)
    if (width := _jnd(result, i)) is not None:
        yield width
    yield _interval(result, i)


def _scores(picture: Picture, alpha: float) -> Step:
    rows = picture["rows"]
    near_1, near_2, cues = (rows[name][0] for name in ("sim_1", "sim_2", "sim_cues"))
    a = round(alpha, DIGITS)
    score_1 = (1 - a) + a * cues + near_1
    score_2 = (1 - a) * cues + a + near_2
    wins = picture["cue_2"] if score_2 > score_1 else picture["cue_1"]
    at = f"{a:g}"
    return step(
        "Score both cues in replicate 1",
        "score_{k} = cos(s, c_{k}) + cos(w, c_{k})",
        f"(1 − {at}) + {at} × {signed(cues, 5)} + {signed(near_1, 5)} = {number(score_1, DIGITS)}",
        f"(1 − {at}) × {signed(cues, 5)} + {at} + {signed(near_2, 5)} = {number(score_2, DIGITS)}",
        text=f"The first line is {picture['cue_1']}, the second {picture['cue_2']}. The higher"
        f" score gives the answer: {wins}.",
    )


def _switch(result: TwoAFCResult, i: int, picture: Picture) -> Step:
    rows = picture["rows"]
    near_1, near_2, cues = (rows[name][0] for name in ("sim_1", "sim_2", "sim_cues"))
    switch = 0.5 - (near_2 - near_1) / (2 * (1 - cues))
    difference = f"({number(near_2, 5)} − {signed(near_1, 5)})"
    lines = [f"0.5 − {difference} / (2 × (1 − {signed(cues, 5)})) = {number(switch, DIGITS)}"]
    text = "Both scores are equal there; beyond it this replicate answers cue 2."
    perception = cast("SwitchPoints", result.raw).perception
    weight = perception.weight
    if weight != 1:
        moved = float(result.balance[0, i, 0])
        exact = float(result.switch[0, i, 0])
        lines.append(
            f"({number(exact, 6)} − (1 − {number(weight, 6)}) × {perception.prior_mean:g})"
            f" / {number(weight, 6)} = {number(moved, DIGITS)}"
        )
        text += " The observer’s prior moves it to the second number."
    return step(
        "Find where replicate 1 switches",
        "α* = ½ − (cos(w, c_{2}) − cos(w, c_{1})) / (2 (1 − cos(c_{1}, c_{2})))",
        *lines,
        text=text,
    )


def _count(result: TwoAFCResult, picture: Picture, alpha: float) -> Step:
    switches = np.asarray(picture["rows"]["switch"])
    n = len(switches)
    k = len(result.pairs)
    unit = f"{result.n_observers} {result.observer} × {k} cue pair{'s' * (k != 1)}"
    if picture["row_noise"] > 0:
        return step(
            "Do this in every replicate",
            "Ψ(α) = mean of Φ((α − α*) / σ)",
            text=f"{unit} give {n} switch points. With noise σ = {number(picture['row_noise'], 3)}"
            " each answers with a probability that rises around its switch point.",
        )
    beyond = int((switches < alpha).sum())
    return step(
        "Do this in every replicate",
        "share = number of switch points below α / number of all",
        f"{beyond} / {n} = {percent(beyond / n, 2)}",
        text=f"{unit} give {n} switch points. The curve is fitted to their distribution.",
    )


def _pse(result: TwoAFCResult, i: int) -> Step:
    pse = float(result.pooled.pse[i])
    values = _values(result, i)
    lines: list[str] = []
    family = result.family(result.items[i])
    if not math.isfinite(pse):
        return step("Read off the PSE", text="There is no PSE: a switch point is infinite.")
    if family == "normal":
        lines = [mean_line(values.tolist(), 6, f" = {percent(pse, 2)}")]
        formula, text = "PSE = mean of all α*", "A normal curve is at 50 % at the mean."
        if not _equal_weights(result):
            lines, formula = [], "PSE = mean of all α*, weighted over cue pairs"
            text += f" It is {percent(pse, 2)}."
    elif family == "empirical":
        formula = "PSE = median of all α*"
        text = f"The empirical curve is at 50 % at {percent(pse, 2)}."
    else:
        formula = "Ψ(PSE) = ½"
        text = f"The fitted {family} curve is at 50 % at {percent(pse, 2)}."
    return step("Read off the PSE", formula, *lines, text=text)


def _jnd(result: TwoAFCResult, i: int) -> Step | None:
    jnd = float(result.pooled.jnd[i])
    if not math.isfinite(jnd):
        return None
    curves = result.pooled.curves.one(i)
    text = f"The JND is {_SIGMAS[result.fit.jnd]}: {points(jnd, 2)}."
    if result.family(result.items[i]) != "normal" or curves.blurred is None:
        return step("Read off the JND", "JND from the quantiles of the curve", text=text)
    factor = unit_jnd("normal", result.fit.jnd)
    spread, noise = float(curves.fit.scale), float(np.asarray(curves.noise))
    sigma = float(curves.blurred.scale)
    lines = [f"{number(factor, 6)} × {number(sigma, 6)} = {number(jnd, 5)} = {points(jnd, 2)}"]
    formula = "JND = k × σ, where σ is the standard deviation of all α*"
    if noise > 0:
        formula = "JND = k × σ, where σ = √(SD of all α*^{2} + noise^{2})"
        lines.insert(0, f"√({number(spread, 6)}² + {number(noise, 6)}²) = {number(sigma, 6)}")
    return step("Read off the JND", formula, *lines, text=text)


def _interval(result: TwoAFCResult, i: int) -> Step:
    low, high = (float(end) for end in result.pooled.corpus[i])
    pse = float(result.pooled.pse[i])
    level = f"{100 * result.level:g} %"
    if not math.isfinite(low) or not math.isfinite(high):
        return step(
            "Judge the lean",
            text="Nothing varies, so there is no interval and no verdict on a lean.",
        )
    meaning = _meaning(low, high, result.pairs[0], f"the {level} interval, {ends(low, high)},")
    b = result.n_observers
    is_normal = result.family(result.items[i]) == "normal"
    if is_normal and len(result.pairs) == 1 and b > 1:
        t = float(t_quantile(float(b - 1), (1 + result.level) / 2))
        sd = float(result.pooled.curves.fit.scale[i])
        half = f"{number(t, 6)} × {number(sd, 6)} × √(1 + 1 / {b})"
        return step(
            "Judge the lean",
            f"PSE ± t × SD × √(1 + 1 / B), with t for {level} and B − 1 degrees of freedom",
            f"{number(pse, 6)} − {half} = {number(low, DIGITS)}",
            f"{number(pse, 6)} + {half} = {number(high, DIGITS)}",
            text=f"The next replicate’s switch point lies there: {meaning}",
        )
    return step(
        "Judge the lean",
        f"{level} interval of the PSE over {result.corpus_kind}",
        text=f"{meaning[0].upper()}{meaning[1:]}",
    )


def _meaning(low: float, high: float, pair: tuple[str, str], lead: str) -> str:
    if low <= 0.5 <= high:
        return f"{lead} includes 50 %, so there is no clear lean."
    return f"{lead} excludes 50 %, so the model leans toward {pair[0] if low > 0.5 else pair[1]}."


def _values(result: TwoAFCResult, i: int) -> NDArray[np.float64]:
    return np.asarray(result.balance[:, i], dtype=float).ravel()


def _equal_weights(result: TwoAFCResult) -> bool:
    return bool(np.allclose(result.weights, 1 / len(result.weights)))


# A language model answers with probabilities: the curve is fitted to their mean.


def _graded(result: TwoAFCResult, i: int, picture: Picture, alpha: float) -> Iterator[Step]:
    found = cast("GradedEstimates", result.pooled)
    levels = picture["levels"]["alpha"]
    at = int(np.argmin(np.abs(np.asarray(levels) - alpha)))
    answers = [row[at] for row in picture["rows"]["answers"]]
    cue_2 = picture["cue_2"]
    yield step(
        "Ask in every frame",
        "share = mean of P(cue 2) over frames",
        mean_line(answers, 5, f" = {percent(float(np.mean(answers)), 2)}"),
        text=f"These are the probabilities of “{cue_2}” at α = {number(levels[at], 3)}, the"
        f" stimulus nearest to the handle, from {counted(len(answers), 'answer')}.",
    )
    pse, jnd = float(found.pse[i]), float(found.jnd[i])
    curve = found.curves.one(i)
    if not math.isfinite(pse):
        yield step("Read off the PSE", text=f"There is no PSE: {found.reasons[i] or 'none'}.")
    else:
        guess, lapse = float(found.guess[i]), float(found.lapse[i])
        yield step(
            "Fit a curve between two asymptotes",
            "Ψ(α) = γ + (1 − γ − λ) F(α)",
            text=f"The guess rate γ is {percent(guess)} and the lapse rate λ {percent(lapse)}: the"
            " shares of answers that do not follow the blend.",
        )
        yield step(
            "Read off the PSE",
            "Ψ(PSE) = ½",
            f"{number(guess, 6)} + (1 − {number(guess, 6)} − {number(lapse, 6)}) ×"
            f" {number(_core_at_half(guess, lapse), 6)} = 0.5",
            text=f"The curve is at 50 % at {percent(pse, 2)} {cue_2}.",
        )
    if math.isfinite(jnd) and result.fit.family == "normal":
        factor = unit_jnd("normal", result.fit.jnd)
        sigma = float(curve.fit.scale)
        yield step(
            "Read off the JND",
            "JND = k × σ, where σ is the standard deviation of F",
            f"{number(factor, 6)} × {number(sigma, 6)} = {number(jnd, 5)} = {points(jnd, 2)}",
            text=f"The JND is {_SIGMAS[result.fit.jnd]}, without guesses and lapses.",
        )
    low, high = (float(end) for end in found.neutral_interval[i])
    even = float(found.neutral[i])
    if math.isfinite(low):
        one, two = result.pairs[0]
        lean = "includes 50 %, so there is no clear lean"
        if not low <= 0.5 <= high:
            lean = f"excludes 50 %, so the model leans toward {two if low > 0.5 else one}"
        text = f"The {100 * result.level:g} % interval, {ends(low, high)}, {lean}."
    else:
        text = "One frame and one cue pair give no interval."
    yield step(
        "Judge the lean at an even blend",
        "share at α = ½, over frames",
        text=f"At an even blend {percent(even)} of answers are {two_of(result)}. {text}",
    )


_KINDS: Final = {Graded.kind: (_graded, _place)}


def _core_at_half(guess: float, lapse: float) -> float:
    return (0.5 - guess) / (1 - guess - lapse)


def two_of(result: TwoAFCResult) -> str:
    """Cue 2 of the first pair."""
    return result.pairs[0][1]
