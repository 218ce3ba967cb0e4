"""Charts of a two-alternative forced choice: an item's curve, or the PSE of several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from biaslab.probes.psychometrics import TwoAFCResult
from biaslab.probes.psychometrics.answers import Chosen, Graded
from biaslab.probes.psychometrics.fit_check import FitCheck
from biaslab.records.wording import joined, percent
from biaslab.reports.chart import (
    Axis,
    Band,
    Cells,
    Chart,
    Hover,
    Intervals,
    Line,
    Mark,
    Panel,
    Points,
    Row,
    Rows,
    Rule,
    Texts,
    finding,
    lean_marks,
)
from biaslab.reports.palette import (
    GROUP_1_TEXT,
    GROUP_1_TINT,
    GROUP_2_TEXT,
    GROUP_2_TINT,
    INK,
    INK_2,
    LINE,
    NEUTRAL,
    SHADES,
    shade,
)
from biaslab.reports.psychometrics.graded_words import is_seen, said
from biaslab.stats.curves.sigmoids import Floats
from biaslab.stats.significance import Adjust

_WHO = {Chosen.kind: "trials answered"}


def stimulus_label(result: TwoAFCResult) -> str:
    """Of the axis of stimuli, in percent."""
    cue_1, cue_2 = result.pairs[0]
    if is_seen(result):
        one, two = ends(result)
        return f"stimulus: morph from {one} to {two}, %"
    return f"stimulus: share of {cue_2} in the blend of {cue_1} and {cue_2}, %"


def answer_label(result: TwoAFCResult) -> str:
    """Of the axis of answers, in percent."""
    cue_2 = result.pairs[0][1]
    if is_seen(result):
        return f"answers {said(cue_2)}, %"
    who = _WHO.get(result.raw.kind, f"{result.observer} that answer")
    return f"{who} “{cue_2}”, %"


def ends(result: TwoAFCResult) -> tuple[str, str]:
    """What stands at 0 and at 1."""
    if not is_seen(result):
        return result.pairs[0]
    return result.ends or ("first picture", "last picture")


def share_of(result: TwoAFCResult) -> str:
    """Of what a PSE is a share."""
    return ends(result)[1] if result.ends or not is_seen(result) else "of the way"


def residuals_panel(check: FitCheck, i: int, width: float) -> Panel:
    """Mean answers less the curve of item `i`, over the interval expected of a right curve."""
    known = np.isfinite(check.residual[i])  # items of trials may differ in their stimuli
    residual, expected = 100 * check.residual[i, known], 100 * check.expected[i, known]
    at = 100 * check.alphas[known]
    marks: list[Mark] = [Rule(at=0, axis="y")]
    sizes = np.abs(residual)
    if np.isfinite(expected).all():
        marks.append(Band(x=at, low=-expected, high=expected, colour=NEUTRAL, alpha=0.25))
        sizes = np.maximum(sizes, expected)
    reach = 1.1 * max(1.0, float(sizes.max()))
    marks.append(Points(x=at, y=residual, size=2.5))
    return Panel(
        x=Axis(low=0, high=100),
        y=Axis(low=-reach, high=reach, label="residual, points"),
        marks=tuple(marks),
        width=width,
        height=90,
        title=f"Mean answers less the curve; band: {100 * check.level:.0f} % of a right curve’s",
    )


MOST_RINGS = 16
"""With more cue pairs than this, single pairs are drawn as a band from quartile to quartile."""

Measure = Literal["pse", "jnd"]


def pooled(result: TwoAFCResult, measure: Measure) -> tuple[Floats, Floats]:
    """The estimate of every item, shape (n,), and its interval, shape (n, 2)."""
    pool = result.pooled
    return (pool.pse, pool.corpus) if measure == "pse" else (pool.jnd, pool.jnd_interval)


def estimates(
    result: TwoAFCResult,
    measure: Measure,
    x: Axis,
    *,
    title: str = "",
    pairs: Floats | None = None,
    more: Mapping[str, Sequence[str]] | None = None,
    hover: Hover = (),
    leans: Sequence[int],
) -> Panel:
    """Every item, the largest estimate on top; blue where biased to cue 1, orange to cue 2.

    - `measure`: ``pse`` or ``jnd``.
    - `x`: in percent.
    - `pairs`, ndarray, shape (n, number of cue pairs): the same of each cue pair.
    - `more`: columns by item that `hover` names.
    - `hover`: lines below those of the word, its estimate and its interval.
    - `leans`: 1 to cue 1, -1 to cue 2, 0 to neither.
    """
    value, between = pooled(result, measure)
    order = np.argsort(-np.nan_to_num(value, nan=-np.inf), kind="stable")
    value, between = value[order], between[order]
    names = [result.items[i] for i in order]
    texts = [
        f"{percent(low)}–{percent(high)}" if np.isfinite([low, high]).all() else ""
        for low, high in between.tolist()
    ]
    looks = lean_marks([int(leans[i]) for i in order])
    rows = np.arange(len(names))
    # An interval without an end reaches to that of the axis.
    low, high = np.clip(100 * between, x.low, x.high).T
    data = {"word": names, measure: 100 * value, "between": [one or "no interval" for one in texts]}
    data |= {name: [column[i] for i in order] for name, column in (more or {}).items()}
    first = (("", "@word"), (measure.upper(), f"@{measure}{{0.0}} %"), ("", "@between"))
    return Panel(
        title=title,
        x=x,
        y=Rows(
            rows=tuple(
                Row(name, values=(percent(one) if np.isfinite(one) else "none", ends))
                for name, one, ends in zip(names, value.tolist(), texts, strict=True)
            ),
            heads=(measure.upper(), f"{100 * result.level:.0f} %"),
            line=17,
        ),
        marks=(
            *([] if pairs is None else _pairs(pairs[order], looks["colour"])),
            *((Rule(at=50, label="neutral 50 %", colour=INK),) if measure == "pse" else ()),
            Intervals(low=low, high=high, y=rows, colour=looks["colour"]),
            Points(x=100 * value, y=rows, size=4.5, data=data, hover=(*first, *hover), **looks),
        ),
        width=470,
    )


def _pairs(pairs: Floats, colours: list[str]) -> list[Mark]:
    """Single cue pairs: a ring each, or of many a band from quartile to quartile."""
    rows, count = np.arange(len(pairs)), pairs.shape[1]
    if count == 1:
        return []
    if count <= MOST_RINGS:
        each = [colour for colour in colours for _ in range(count)]
        y = np.repeat(rows, count)
        return [
            Points(x=100 * pairs.ravel(), y=y, shape="ring", size=2.2, colour=each,
                   name="one cue pair")
        ]  # fmt: skip
    known = np.isfinite(pairs).any(axis=1)
    low, high = 100 * np.nanquantile(pairs[known], [0.25, 0.75], axis=1)
    name = "half of the cue pairs"
    return [Intervals(low=low, high=high, y=rows[known], colour=LINE, width=9, name=name)]


_NO_ANSWER = -1
"""Shade of a stimulus without trials."""
_WORDED = 3
"""Items up to which a title holds the verdicts on all of them."""
_QUARTERS = tuple((float(share), str(share)) for share in (0, 25, 50, 75, 100))


def chart(result: TwoAFCResult, item: str | None = None, adjust: Adjust = "holm") -> Chart:
    """The curve of an item; without one, of the only item, or the PSEs of several."""
    if item is None and len(result.items) > 1:
        return pses(result, adjust)
    return curve(result, item or result.items[0])


def curve(result: TwoAFCResult, item: str) -> Chart:
    """Rows of answers, their shares, the fitted curve with its band, and the PSE's intervals.

    Where the curve does not describe the answers, its residuals stand below.
    """
    alphas = np.linspace(0, 1, 201)
    share, low, high = result.psi(item, alphas)
    answers = result.responses(item=item)
    answered = np.isfinite(answers).any(axis=(0, 1))
    observed = np.nanmean(answers[..., answered], axis=(0, 1))
    below = _estimates(result, item)
    fitted: tuple[Mark, ...] = (
        Band(x=100 * alphas, low=100 * low, high=100 * high, colour=NEUTRAL, alpha=0.25),
        Line(x=100 * alphas, y=100 * share),
    )
    marks = (
        *_OBSERVERS.get(result.raw.kind, _rows)(result, item),
        Rule(at=50, dashed=True, label="neutral 50 %"),
        Rule(at=50, axis="y", dashed=True),
        *(fitted if np.isfinite(share).all() else ()),  # trials may have no curve
        Points(x=100 * result.stimuli[answered], y=100 * observed, shape="ring", size=2.5),
        *below,
    )
    cue_1, cue_2 = ends(result)
    panel = Panel(
        x=Axis(
            low=0,
            high=100,
            label=stimulus_label(result),
            ends=((cue_1, GROUP_1_TEXT), (cue_2, GROUP_2_TEXT)),
        ),
        y=Axis(low=-14 if below else -2, high=102, label=answer_label(result), ticks=_QUARTERS),
        marks=marks,
        width=640,
        height=320,
    )
    title = joined(result.verdict_spans(item))
    i, check = result.index(item), result.fit_check
    panels: tuple[tuple[Panel, ...], ...] = ((panel,),)
    if check is not None and not check.describes[i]:
        panels = (*panels, (residuals_panel(check, i, panel.width),))
    return Chart(title=title, note=result.caveat(item), panels=panels)


def pses(result: TwoAFCResult, adjust: Adjust = "holm") -> Chart:
    """PSE of every item, sorted, with its interval and its verdict.

    Colours and shapes are corrected for the number of items unless `adjust` is ``none``.
    """
    low, high = _reach(result)
    axis = Axis(low=low, high=high, label=f"PSE, % {share_of(result)}")
    verdicts = {"verdict": [joined(result.verdict_spans(item)) for item in result.items]}
    leans, note = result.leans(adjust), result.caveat()
    if (leans != result.leans()).any():
        note += f" Marks are corrected for {len(leans)} items at once (Holm), verdicts are not."
    panel = estimates(
        result, "pse", axis, more=verdicts, hover=(("", "@verdict"),), leans=leans.tolist()
    )
    title = (
        f"PSE of {len(result.items)} items, {100 * result.level:.0f} % over {result.corpus_kind}"
    )
    if len(result.items) <= _WORDED:
        title = finding(result)
    return Chart(title=title, note=note.strip(), panels=((panel,),))


def _reach(result: TwoAFCResult) -> tuple[float, float]:
    """The axis of PSEs, in percent: all of them with their intervals, and the neutral one."""
    values = np.append(np.append(result.pooled.corpus, result.pooled.pse), 0.5)
    finite = 100 * values[np.isfinite(values)]
    margin = max(2.0, 0.05 * float(np.ptp(finite)))
    return float(finite.min()) - margin, float(finite.max()) + margin


def _rows(result: TwoAFCResult, item: str) -> list[Cells]:
    """Each observer's answers: cue 1 up to its switch point, cue 2 from there."""
    switch = np.sort(result.balance[:, result.index(item)].ravel())
    edges = 100 * np.clip(np.nan_to_num(switch, nan=0.5), 0, 1)
    count = len(edges)
    cells = _cells(
        np.concatenate([np.zeros(count), edges]),
        np.concatenate([edges, np.full(count, 100.0)]),
        np.tile(np.arange(count), 2),
        count,
        [GROUP_1_TINT] * count + [GROUP_2_TINT] * count,
    )
    return [cells]


def _shades(result: TwoAFCResult, item: str) -> list[Cells]:
    """Each observer's graded answers: a cell around each stimulus, tinted by the answer to it."""
    answered = result.raw.answered[:, result.index(item)]
    alphas = result.stimuli
    answers = result.responses(item=item)[answered].reshape(-1, len(alphas))
    answers = answers[np.isfinite(answers).any(axis=1)]
    if not len(answers):
        return []
    edges = 100 * np.concatenate([[0.0], (alphas[1:] + alphas[:-1]) / 2, [1.0]])
    cells = []
    # As those that answer in a step: who answers cue 2 soonest is lowest.
    for n, row in enumerate(answers[np.argsort(-np.nanmean(answers, axis=1), kind="stable")]):
        shades = np.where(np.isnan(row), _NO_ANSWER, np.round(row * SHADES)).astype(int)
        begins = np.flatnonzero(np.diff(shades, prepend=_NO_ANSWER - 1))
        for begin, end in zip(begins, [*begins[1:], len(shades)], strict=True):
            if shades[begin] == _NO_ANSWER:
                continue
            cells.append((edges[begin], edges[end], n, shade(shades[begin])))
    left, right, rows, colours = zip(*cells, strict=True)
    return [_cells(np.array(left), np.array(right), np.array(rows), len(answers), list(colours))]


_OBSERVERS = {Graded.kind: _shades, Chosen.kind: _shades}


def _cells(left: Floats, right: Floats, row: Any, count: int, colours: list[str]) -> Cells:
    height = 100 / count
    top = height * (row + 1) - min(0.4, 0.2 * height)
    return Cells(left=left, right=right, bottom=height * row, top=top, colour=colours)


def _estimates(result: TwoAFCResult, item: str) -> list[Mark]:
    """The PSE on the curve, and its intervals below; none where there is no PSE."""
    i = result.index(item)
    pse = 100 * float(result.pse[i])
    if not np.isfinite(pse):
        return []
    within = min(max(pse, 0.0), 100.0)
    side: dict[str, Any] = {"anchor": "start" if within < 75 else "end"}
    text = f"PSE {percent(pse / 100)} % {share_of(result)}"
    sign = 1 if within < 75 else -1
    marks: list[Mark] = [
        Points(x=pse, y=50, shape="ring", size=5),
        Texts(x=within, y=50, words=[text], shift=(12 * sign, 18), bold=True, **side),
    ]
    over = result.corpus_kind.replace("resampled ", "")
    for row, (name, interval, width) in enumerate(
        (
            (f"{100 * result.level:.0f} % over {over}", result.pooled.corpus[i], 2.5),
            (f"of the PSE of {result.n_observers}", result.pooled.monte_carlo[i], 1.0),
        )
    ):
        if np.isfinite(interval).all():
            low, high = (float(end) for end in interval)
            label = f"{name}: {percent(low, row)}–{percent(high, row)} %"
            right = 100 * high < 62
            at, y = 100 * min(max(high if right else low, 0.0), 1.0), -4.0 - 5.5 * row
            marks += [
                Intervals(low=100 * low, high=100 * high, y=y, width=width),
                Texts(x=at, y=y, words=[label], colour=INK_2, shift=(10 if right else -10, 4),
                      anchor="start" if right else "end"),
            ]  # fmt: skip
    return marks
