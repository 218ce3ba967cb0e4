"""How the occupations bench comes to a word's PSE, its lean and the correlation."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import numpy as np

from biaslab.probes.occupations import OccupationsResult
from biaslab.probes.psychometrics import TwoAFCResult
from biaslab.records.wording import counted
from biaslab.stats.significance import Adjust, holm
from biaslab_widgets.benches.occupations.fields import OccupationsBenchState, Picture
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

READ: Final = ("liang-acuna", "holm", "caliskan")
GUIDE: Final = "docs/benches/occupations.md"
_SWITCH: Final = "α* = ½ − (cos(w, c_{2}) − cos(w, c_{1})) / (2 (1 − cos(c_{1}, c_{2})))"


def how_of(shown: tuple[OccupationsResult, Picture] | None, snapshot: OccupationsBenchState) -> How:
    """Steps from one cue pair's cosines to the lean among all words.

    - `shown`: what is on the screen.
    - `snapshot`: which word is picked, without one the first, and which two groups are shown.
    """
    if shown is None:
        return how(NOTHING_YET, [step("Find the switch point", _SWITCH)], read=READ, guide=GUIDE)
    result, picture = shown
    which = min(max(snapshot.contrast, 0), len(result.contrasts) - 1)
    words = picture["words"]
    i = words.index(snapshot.word) if snapshot.word in words else 0
    one, two = result.of_contrast(which)
    about = f"“{words[i]}” between {one} and {two}, in {result.provenance.subject}."
    return how(about, _steps(result, picture, which, i, snapshot.adjust), read=READ, guide=GUIDE)


def _steps(
    result: OccupationsResult, picture: Picture, which: int, i: int, adjust: Adjust
) -> Iterator[Step]:
    asked = result.contrasts[which]
    if result.cosines is not None and result.scoring == "eq8":
        yield from _switch(result, which, i)
    yield _pse(asked, i)
    jnd = float(asked.pooled.jnd[i])
    if math.isfinite(jnd):
        yield step(
            "Read off the JND",
            text=f"The {asked.family(result.words[i])} curve of all switch points gives"
            f" {points(jnd)}: {picture['jnd_label']}.",
        )
    yield _lean(result, asked, which, i)
    yield from _holm(asked, i, adjust)
    yield from _correlation(picture, result.words[i])


def _switch(result: OccupationsResult, which: int, i: int) -> Iterator[Step]:
    """The first cue pair in replicate 1, and what the reference does to it."""
    cosines = result.cosines
    assert cosines is not None  # noqa: S101  # asked for only where there are some
    asked = result.contrasts[which]
    pair = asked.pairs[0]
    groups = result.combinations[which]
    if result.pairing == "sets":
        first, second = groups
        of_word, between = cosines.words_sets[0, i], cosines.sets[0]
    else:
        first, second = (cosines.place(g, cue) for g, cue in zip(groups, pair, strict=True))
        of_word, between = cosines.words[0, i], cosines.cues[0]
    near_1, near_2 = float(of_word[first]), float(of_word[second])
    cues = float(between[first, second])
    switch = 0.5 - (near_2 - near_1) / (2 * (1 - cues))
    difference = f"({number(near_2, 5)} − {signed(near_1, 5)})"
    yield step(
        "Find the switch point of one cue pair in replicate 1",
        _SWITCH,
        f"0.5 − {difference} / (2 × (1 − {signed(cues, 5)})) = {number(switch, 4)}",
        text=f"The cues are {pair[0]} and {pair[1]}. From this blend on the model answers"
        f" {pair[1]}.",
    )
    moved = float(asked.switch[0, i, 0])
    if result.reference == "even":
        return
    mean = switch - (moved - 0.5)
    whose = "the other words" if result.reference == "words" else "the control words"
    yield step(
        "Take off what the cue pair does to all words",
        f"½ + α* − mean α* of {whose}",
        f"0.5 + {signed(switch, 5)} − {signed(mean, 5)} = {number(moved, 4)}",
        text=f"Leans are measured against {whose}, so 50 % is their mean.",
    )


def _pse(asked: TwoAFCResult, i: int) -> Step:
    pse = float(asked.pooled.pse[i])
    if not math.isfinite(pse):
        return step("Average to the PSE", text=f"There is no PSE: {asked.pooled.reasons[i]}.")
    n, k = asked.n_observers, len(asked.pairs)
    each = np.asarray(asked.by_pair.pse[i], dtype=float).tolist()
    told = f"Each cue pair has a PSE over {n} {asked.observer}." if n > 1 else ""
    if asked.family(asked.items[i]) != "normal" or k == 1:
        found = f"It is at {percent(pse, 2)}."
        return step("Average to the PSE", "Ψ(PSE) = ½", text=f"{told} {found}".strip())
    return step(
        "Average to the PSE",
        "PSE = mean of the PSEs of all cue pairs",
        mean_line(each, 6, f" = {percent(pse, 2)}"),
        text=told,
    )


def _lean(result: OccupationsResult, asked: TwoAFCResult, which: int, i: int) -> Step:
    low, high = (float(end) for end in asked.pooled.corpus[i])
    one, two = result.of_contrast(which)
    if not (math.isfinite(low) and math.isfinite(high)):
        text = "Nothing varies, so there is no interval."
    else:
        verdict = "includes 50 %: no clear lean"
        if not low <= 0.5 <= high:
            verdict = f"excludes 50 %: by itself, a lean toward {one if low > 0.5 else two}"
        text = f"It is {ends(low, high)} and {verdict}."
    over = asked.corpus_kind
    return step("Judge the lean", f"{100 * result.level:g} % interval over {over}", text=text)


def _holm(asked: TwoAFCResult, i: int, adjust: Adjust) -> Iterator[Step]:
    p = np.asarray(asked.pooled.p_value, dtype=float)
    if not np.isfinite(p[i]):
        return
    corrected = np.asarray(holm(p), dtype=float)
    n = int(np.isfinite(p).sum())
    rank = int((p[np.isfinite(p)] < p[i]).sum()) + 1
    own, adjusted = float(p[i]), float(corrected[i])
    steps = n - rank + 1
    lines = []
    if math.isclose(min(1.0, own * steps), adjusted, rel_tol=1e-9):
        lines = [f"min(1, {number(own, 6)} × {steps}) = {number(adjusted, 4)}"]
    lean = "a clear lean" if adjusted < 1 - asked.level else "no clear lean"
    unused = " The marks leave this correction out." if adjust == "none" else ""
    yield step(
        "Correct for many words",
        "p′ = p × (n − rank + 1), and no smaller than that of the word before",
        *lines,
        text=f"Its p is number {rank} of {n}, the smallest first. After Holm’s correction"
        f" p is {number(adjusted, 4)}: {lean}.{unused}",
    )


def _correlation(picture: Picture, word: str) -> Iterator[Step]:
    found = picture["agreement_pse"]
    if found is None or found["pearson"]["value"] is None:
        return
    own = ""
    if word in found["words"]:
        at = found["words"].index(word)
        own = f" This word is at ({number(found['x'][at], 1)}, {number(found['y'][at], 1)})."
    yield step(
        "Compare all words with the outside numbers",
        "r = Σ (x − x̄)(y − ȳ) / √(Σ (x − x̄)^{2} Σ (y − ȳ)^{2})",
        text=f"x is {found['x_label']}, y the PSE in per cent, over"
        f" {counted(len(found['words']), 'word')}: r ="
        f" {number(found['pearson']['value'], 2)}.{own}",
    )
