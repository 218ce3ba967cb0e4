"""How the association bench comes to its contrast: step by step, for one protected word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from biaslab.probes.association import CONNECTIONS, AssociationResult, WeatResult
from biaslab.probes.association.effect_size import ceiling
from biaslab.records.wording import counted
from biaslab_widgets.benches.association.fields import (
    AssociationBenchState,
    ConnectionKey,
    Picture,
    Simulation,
)
from biaslab_widgets.benches.association.view import LABELS
from biaslab_widgets.core.how import NOTHING_YET, how, mean_line, number, signed, step
from biaslab_widgets.core.state.records import How, Step

READ: Final = ("bayesian-cosine", "caliskan", "manzini", "vehtari")
GUIDE: Final = "docs/benches/association.md"
_DISTANCE: Final = step("Measure distances", "d(w, a) = 1 − cos(w, a)")
_FORMULAS: Final = {
    "crossed": "d_{wa} = μ + m_{w} + c_{k} + m_{wk} + t_{a} + ε, for connection type k",
    "pooled": "d_{wa} = m_{w} + c_{k} + ε, for connection type k",
    "per-word": "d_{wa} = m_{wk} + ε, for connection type k",
}
_MEANINGS: Final = {
    "crossed": "The crossed model gives each protected word and each attribute word an effect of"
    " its own, as each meets many others.",
    "pooled": "The pooled model takes all distances as independent, given word and type.",
    "per-word": "The per-word model gives each protected word coefficients of its own.",
}


def how_of(shown: tuple[AssociationResult, Picture] | None, snapshot: AssociationBenchState) -> How:
    """Steps from single distances to the model's contrast and WEAT.

    - `shown`: what is on the screen.
    - `snapshot`: which word is picked; without one the first.
    """
    if shown is None:
        return how(NOTHING_YET, [_DISTANCE], read=READ, guide=GUIDE)
    result, picture = shown
    if snapshot.shown == "simulation" and picture["simulation"] is not None:
        steps = [_of_simulation(picture["simulation"], snapshot)]
        return how("Lists of drawn similarities.", steps, read=("caliskan",), guide=GUIDE)
    words = [one["word"] for one in picture["protected"]]
    at = words.index(snapshot.word) if snapshot.word in words else 0
    about = f"“{words[at]}” of {picture['protected'][at]['group']}, in {snapshot.subject}."
    return how(about, _steps(result, picture, at), read=READ, guide=GUIDE)


def _steps(result: AssociationResult, picture: Picture, at: int) -> Iterator[Step]:
    side = picture["before"]
    used = [
        (key, c)
        for c, key in enumerate(CONNECTIONS)
        if side["means"][at][c] is not None and key in LABELS
    ]
    yield _distances(picture, at, [c for _, c in used])
    yield _means(picture, at, used)
    model = result.distance_model
    yield step(
        "Fit the model to all distances",
        _FORMULAS[model.model],
        text=f"{_MEANINGS[model.model]} {model.table.n:,} distances"
        + (f" in each of {model.table.n_replicates} replicates" * (model.table.n_replicates > 1))
        + " go in.",
    )
    yield _contrasts(picture)
    if result.weat is not None:
        yield _weat(result.weat)


def _distances(picture: Picture, at: int, used: Sequence[int]) -> Step:
    side = picture["before"]
    c = used[0]
    terms = [picture["terms"][j]["term"] for j in side["terms"][at][c]]
    values = side["distances"][at][c]
    n = picture["replicates"]
    over = f" They are means over {counted(n, 'replicate')}." if n > 1 else ""
    shown = ", ".join(
        f"{term} {number(value, 4)}" for term, value in list(zip(terms, values, strict=True))[:6]
    )
    more = f" and {len(terms) - 6} more" if len(terms) > 6 else ""
    return step(
        "Measure distances",
        "d(w, a) = 1 − cos(w, a)",
        text=f"To the {LABELS[_key(c)]} words: {shown}{more}.{over}",
    )


def _key(c: int) -> ConnectionKey:
    key: ConnectionKey = CONNECTIONS[c]
    return key


def _means(picture: Picture, at: int, used: Sequence[tuple[str, int]]) -> Step:
    side = picture["before"]
    lines = [mean_line(side["distances"][at][c], 4) for _, c in used]
    names = "; ".join(LABELS[_key(c)] for _, c in used)
    return step(
        "Average them by type of connection",
        "mean distance = sum of distances / number of words",
        *dict.fromkeys(lines),
        text=f"In this order: {names}.",
    )


def _contrasts(picture: Picture) -> Step:
    posterior = picture["before"]["posteriors"][0]
    level = f"{100 * picture['interval_level']:g} %"
    lines = []
    for one in posterior["contrasts"]:
        side = "excludes 0" if one["low"] > 0 or one["high"] < 0 else "includes 0"
        lines.append(
            f"{LABELS[one['first']]} minus {LABELS[one['second']]} {number(one['value'])}, with"
            f" {level} HPDI {number(one['low'])} to {number(one['high'])}, which {side}"
        )
    return step(
        "Compare the types over all words",
        "contrast = c_{k} − c_{l}",
        text=f"{'; '.join(lines)}." if lines else "There is one type only, so nothing is compared.",
    )


def _weat(weat: WeatResult) -> Step:
    x, y = (list(words) for words in weat.lists.groups.values()) if not weat.single else ([], [])
    a, b = weat.lists.attributes
    if not x or not y:
        return step(
            "WEAT keeps one number",
            "s(w) = mean of cos(w, a) over A − mean of cos(w, b) over B",
            text=f"A is {a} and B is {b}: the effect size is {number(weat.effect_size)}.",
        )
    values = np.asarray(weat.association[0], dtype=float)
    n = len(x)
    mean_x, mean_y = float(values[:n].mean()), float(values[n:].mean())
    spread = float(values.std(ddof=weat.ddof))
    size = float(weat.effect_size_by_replicate[0])
    top = ceiling(len(x), len(y), weat.ddof)
    lines = []
    if np.isfinite(size):
        lines = [
            f"({signed(mean_x, 6)} − {signed(mean_y, 6)}) / {number(spread, 6)} = {number(size)}",
            _ceiling_line(len(x), len(y), weat.ddof),
        ]
    first, second = weat.lists.groups
    where = " in replicate 1" if weat.n_replicates > 1 else ""
    mean = (
        f" The mean over {counted(weat.n_replicates, 'replicate')} is {number(weat.effect_size)}."
        if weat.n_replicates > 1
        else ""
    )
    return step(
        "WEAT keeps one number",
        "d = (mean of s(w) over X − mean of s(w) over Y) / SD of s(w),"
        " with s(w) = mean of cos(w, a) over A − mean of cos(w, b) over B",
        *lines,
        text=f"X is {first}, Y {second}, A {a}, B {b}{where}.{mean} Lists of {len(x)} and"
        f" {counted(len(y), 'word')} cannot give more than {number(top)}: the second line."
        " Intervals are over other words like these, that of d in lists as long as these.",
    )


def _ceiling_line(n_x: int, n_y: int, ddof: int) -> str:
    n = n_x + n_y
    return f"√({n} × ({n} − {ddof}) / ({n_x} × {n_y})) = {number(ceiling(n_x, n_y, ddof))}"


def _of_simulation(simulation: Simulation, snapshot: AssociationBenchState) -> Step:
    n, ddof = int(snapshot.simulation["words"]), snapshot.ddof
    if snapshot.simulation.get("first_words"):
        formula = "√(2 (N − δ)), for the difference of two words, with N = n_{X} + n_{Y}"
        line = f"√(2 ({2 * n} − {ddof})) = {number(simulation['ceiling'], 3)}"
    else:
        formula = "√(N (N − δ) / (n_{X} n_{Y})), with N = n_{X} + n_{Y} and an SD over N − δ"
        line = _ceiling_line(n, n, ddof)
    return step(
        "The ceiling of WEAT’s effect size",
        formula,
        line,
        text=f"Whatever is drawn, lists of {counted(n, 'word')} give no larger effect size. The"
        f" mean of the draws is {number(simulation['mean'])}.",
    )
