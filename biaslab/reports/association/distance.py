"""Words and chart of a distance model."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from biaslab.probes.association import CONNECTIONS
from biaslab.probes.association.distance_model_result import DistanceModelResult
from biaslab.probes.association.distance_parameters import CROSSED, Contrast
from biaslab.probes.association.distances import REPEATED, DistanceTable
from biaslab.records.wording import (
    Span,
    counted,
    decimals_of,
    interval_text,
    joined,
    number,
    would_show,
)
from biaslab.reports.chart import (
    Chart,
    Intervals,
    Mark,
    Panel,
    Points,
    Row,
    Rows,
    Rule,
    axis_over,
    finding,
)
from biaslab.reports.palette import CONNECTION_MARKS, CONNECTION_NAMES, INK
from biaslab.reports.palette import CONNECTIONS as COLOURS
from biaslab.stats.chains import CHAINS, RHAT
from biaslab.stats.significance import smallest_effect_of

COEFFICIENTS_WARNING = (
    "Only the priors tell these from the protected words’ means: all coefficients up by 0.1 and "
    "all means down by 0.1 fit the data as well. Read the contrasts."
)
_SPREAD = {
    "sigma": "single distances",
    "word": "protected words",
    "slope": "connection effects over protected words",
    "attribute": "attribute words",
    "pairing": "attribute words over groups",
}
_KIND = {"stereotype": "stereotypes", "human": "human words", "none": "neutral words"}
_TYPE = {
    "associated": "its own stereotypes",
    "different": "the other groups’ stereotypes",
    "human": "human control words",
    "none": "neutral words",
}

_CLEARLY = 1.05
"""Ratio of widths from which an interval is called wider."""


def ends(contrast: Contrast) -> str:
    """An interval in words."""
    return interval_text(contrast.interval.low, contrast.interval.high)


def verdict(result: DistanceModelResult) -> list[Span]:
    """The verdict: what a person can judge first, what the models make of it second."""
    return [*_answer(result), *_disagreement(result)]


def _disagreement(result: DistanceModelResult) -> list[Span]:
    """The crossed model and the paper's answer a question differently."""
    disputed = _apart(result)
    if not disputed:
        return []
    paper = [_TYPE[c.of] for c, other in disputed if other.excludes_null]
    crossed = [_TYPE[c.of] for c, other in disputed if not other.excludes_null]
    parts: list[Span] = [(" The models disagree: ", "strong")]
    finds = "calls the difference from"
    if paper:
        why = "only the paper’s model, which treats distances as independent,"
        parts.append((f"{why} {finds} {_listed(paper)} clear.", "plain"))
    if crossed:
        only = "only" if not paper else " Only"
        parts.append((f"{only} the crossed model {finds} {_listed(crossed)} clear.", "plain"))
    if result.model == "pooled":
        parts.append((" The numbers here are those of the paper’s model.", "plain"))
    return parts


def _apart(result: DistanceModelResult) -> list[tuple[Contrast, Contrast]]:
    """Headline contrasts of the crossed and the paper's model that say different things."""
    first = result.contrasts[0].minus
    paper = {c.name: c for c in result.beside["pooled"]}
    return [
        (c, paper[c.name])
        for c in result.beside["crossed"]
        if c.minus == first and c.name in paper and c.excludes_null != paper[c.name].excludes_null
    ]


def _answer(result: DistanceModelResult) -> list[Span]:
    headline = result.headline_contrasts
    # The farthest type leads: of a full table neutral words, then what is less easily told.
    lead, rest = headline[-1], headline[:-1][:1]
    base, other = _TYPE[lead.minus], _TYPE[lead.of]
    if lead.excludes_null:
        size, closer, between = _apart_by(lead)
        parts: list[Span] = [
            ("A group’s words stand ", "plain"),
            (f"{size} {closer}", "strong"),
            (f" {_to(closer, base)} than {_to(closer, other)} ({between})", "plain"),
        ]
    else:
        parts = [
            (f"Whether a group’s words stand closer to {base} than to {other} ", "plain"),
            ("is open", "strong"),
            (f": the difference is {_open(lead)}", "plain"),
        ]
    for contrast in rest:
        parts += _further(contrast, lead)
    return [*parts, (".", "plain")]


def _further(contrast: Contrast, lead: Contrast) -> list[Span]:
    """Another contrast with the same stereotypes, in the same sentence."""
    size, closer, between = _apart_by(contrast)
    other = _TYPE[contrast.of]
    if contrast.excludes_null:
        joint = " and " if lead.excludes_null and closer == _apart_by(lead)[1] else "; they stand "
        return [
            (joint, "plain"),
            (f"{size} {closer}", "strong"),
            (f" than {_to(closer, other)} ({between})", "plain"),
        ]
    if not lead.excludes_null:
        return [(f"; than to {other}, {_open(contrast)}", "plain")]
    return [
        (f"; whether closer than to {other} ", "plain"),
        ("is open", "strong"),
        (f": {_open(contrast)}", "plain"),
    ]


def _open(contrast: Contrast) -> str:
    """A difference that is not clear, and which one would be."""
    size, closer, between = _apart_by(contrast)
    smallest = would_show(smallest_effect_of(contrast.interval), "")
    return f"{size}{f' {closer}' * bool(size.strip('0.'))} ({between}){smallest}"


def _to(closer: str, words: str) -> str:
    return f"{'to' if closer == 'closer' else 'from'} {words}"


def _apart_by(contrast: Contrast) -> tuple[str, str, str]:
    """Return size and direction of a contrast, and its interval in that direction."""
    low, high = contrast.interval.low, contrast.interval.high
    size = number(abs(contrast.mean), decimals_of(low, high))
    if contrast.mean >= 0:
        return size, "closer", interval_text(low, high)
    return size, "farther", interval_text(-high, -low)


def note(result: DistanceModelResult) -> list[Span]:
    """The line under the verdict."""
    times, percent = result.narrower, f"{100 * result.level:.0f} %"
    using = {
        "crossed": "The verdict uses the crossed model",
        "crossed-equal": "The verdict uses the crossed model with one SD for all kinds of words",
        "pooled": "The verdict uses the paper’s model",
        "per-word": "The verdict uses separate coefficients per word, distances independent",
    }[result.model]
    if times < 1.1:
        return [
            ("The paper’s model would be about as certain. ", "plain"),
            (f"{using}, {percent}.", "plain"),
        ]
    lead = "would be" if result.model in CROSSED else "is"
    why = (
        f"its intervals are up to {times:.1f} times narrower, as it takes distances as independent"
    )
    amount = "more certain"
    if wider := _wider(result):
        amount += " of some differences"
        why += f"; that of the difference from {_listed(wider)} is wider"
    return [
        (f"The paper’s model {lead} {amount}:", "strong"),
        (f" {why}. {using}, {percent}.", "plain"),
    ]


def _wider(result: DistanceModelResult) -> list[str]:
    """Headline contrasts of which the paper's model is clearly less certain."""
    first = result.contrasts[0].minus
    crossed = {c.name: c.width for c in result.beside["crossed"]}
    return [
        _TYPE[c.of]
        for c in result.beside["pooled"]
        if c.minus == first and c.width > _CLEARLY * crossed.get(c.name, c.width)
    ]


def debiased(before: DistanceModelResult, after: DistanceModelResult, method: str) -> list[Span]:
    """What debiasing changed, in the contrast with the other groups' stereotypes."""
    was = before.headline_contrasts[0]
    now = next((c for c in after.headline_contrasts if c.name == was.name), None)
    if now is None:
        return []
    start = f" After {method} debiasing, "
    if not now.excludes_null:
        is_open = "is no longer clear" if was.excludes_null else "is still open"
        return [
            (
                f"{start}whether a group’s words stand closer to {_TYPE[was.minus]} than to ",
                "plain",
            ),
            (f"{_TYPE[was.of]} ", "plain"),
            (is_open, "strong"),
            (f": {_open(now)}.", "plain"),
        ]
    size, closer, between = _apart_by(now)
    spans: list[Span] = [
        (f"{start}a group’s words stand ", "plain"),
        (f"{size} {closer}", "strong"),
        (f" {_to(closer, _TYPE[was.minus])} than {_to(closer, _TYPE[was.of])}", "plain"),
        (f" ({between})", "plain"),
    ]
    if not was.excludes_null:
        return [*spans, ("; before, that was open.", "plain")]
    old, _, old_between = _apart_by(was)
    # Both speak of the same words: intervals that do not meet are a difference beyond doubt.
    less, more = now.interval.high < was.interval.low, now.interval.low > was.interval.high
    change = "less than " if less else "more than " if more else ""
    return [*spans, (f", {change}{old} before ({old_between}).", "plain")]


def caveat(result: DistanceModelResult) -> str:
    """What the verdict leaves out."""
    table, far = result.table, result.headline_contrasts[-1].of
    spread = f"those to {_TYPE[far]} have a standard deviation of {_spread_of(table, far):.2f}"
    scale = f"{table.n:,} cosine distances: 1 is unrelated, and {spread}."
    parts = [f"{100 * result.level:.0f} % HPDI, {scale}"]
    if table.n_replicates > 1:
        parts.append(
            f"Draws from {counted(table.n_replicates, 'replicate')} are mixed in equal parts: "
            "intervals range over other words and over other corpora."
        )
    else:
        parts.append("One embedding: intervals range over other words, not over other corpora.")
    missing = [name for name in ("human", "none") if name not in result.connections]
    if missing:
        kinds = " and no ".join({"human": "human", "none": "neutral"}[m] for m in missing)
        parts.append(f"No {kinds} control words: nothing shows how close unrelated words are.")
    lists = [name for name in ("associated", "different") if name not in result.connections]
    parts += [f"No distance of the type {name}." for name in lists]
    single = [g for g in dict.fromkeys(table.groups) if table.groups.count(g) == 1]
    if single:
        parts.append(
            f"One word in {_listed(single)}: its own effect cannot be separated from the group’s."
        )
    if table.missing:
        parts.append(f"{table.missing:,} rows without a distance (sentinel) left out.")
    if table.repeated:
        parts.append(
            f"{table.repeated:,} rows repeat a pair and its distance; each pair counts once."
        )
    if count := sum(one.role != REPEATED for one in table.dropped):
        parts.append(f"{count} {'word' if count == 1 else 'words'} left out.")
    parts += _trouble(result)
    return " ".join(parts)


def _spread_of(table: DistanceTable, of: str) -> float:
    """Return the standard deviation of single distances, over all words: a scale to judge by."""
    distances = table.distance[:, table.connection == CONNECTIONS.index(of)]
    return float(distances.std(axis=1).mean())


def _trouble(result: DistanceModelResult) -> list[str]:
    diagnostics, parts = result.diagnostics, []
    if result.engine == "nuts":
        limit, chains = diagnostics.get("R-hat limit", RHAT), diagnostics.get("chains", CHAINS)
        if chains < CHAINS:
            missed = f"{'One chain' if chains == 1 else counted(int(chains), 'chain')} cannot"
            parts.append(
                f"{missed} show that they missed a mode: run {CHAINS} or more, or the exact engine."
            )
        elif diagnostics.get("R-hat", 1.0) >= limit or diagnostics.get("divergences", 0) > 0:
            parts.append(
                f"The chains have not converged (R-hat {diagnostics['R-hat']:.3f}, should be below"
                f" {limit:.3f}; {diagnostics['divergences']:.0f} divergences): take more draws, or"
                " the exact engine."
            )
    elif result.model in CROSSED and diagnostics.get("effective grid points", 100.0) < 30:
        parts.append("The grid is coarse for these data: interval ends are rough.")
    return parts


def summary(result: DistanceModelResult) -> str:
    """All of it in plain words."""
    lines = [joined(verdict(result)), joined(note(result)), caveat(result)]
    for model in dict.fromkeys((result.model, "crossed", "pooled")):
        shown = result.contrasts if model == result.model else result.beside[model]
        text = "; ".join(f"{c.name} {number(c.mean, 3)} ({ends(c)})" for c in shown)
        lines.append(f"Contrasts, {model} model: {text}.")
    text = "; ".join(
        f"{name} {number(mean, 3)} ({number(ends.low)} to {number(ends.high)})"
        for name, mean, ends in result.coefficients
    )
    lines.append(f"Coefficients: {text}. {COEFFICIENTS_WARNING}")
    text = "; ".join(
        f"{_spread(name)} {mean:.3f} ({low:.3f} to {high:.3f})"
        for name, (mean, low, high) in result.spreads.items()
    )
    lines.append(f"Standard deviations: {text}.")
    for dropped in result.dropped[:20]:
        offer = f" (nearest known: {', '.join(dropped.suggestions)})" if dropped.suggestions else ""
        lines.append(f"Dropped {dropped.role} {dropped.term!r}: {dropped.reason}{offer}.")
    if len(result.dropped) > 20:
        lines.append(f"... and {len(result.dropped) - 20} more dropped: see .dropped.")
    return "\n".join(lines)


def _spread(name: str) -> str:
    """Name a standard deviation."""
    what, _, kind = name.partition("_")
    of = _KIND.get(kind)
    return f"{_SPREAD[what]} ({of})" if of else _SPREAD[what]


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


_MODELS: Final = {
    "pooled": "the paper’s model",
    "crossed": "crossed model",
    "crossed-equal": "crossed model, one SD",
    "per-word": "model per word",
}
_MOST_POINTS = 20_000
_ENDS = (("", "@word"), ("", "@mean{0.000} (@low{0.000} to @high{0.000})"))


def chart(result: DistanceModelResult) -> Chart:
    """Every distance beside the posterior of every protected word; below, the contrasts."""
    note = joined(result.note())
    words = posterior(result)
    return Chart(
        title=finding(result),
        note=f"{note} {result.caveat()}",
        panels=((points(result), words), (contrasts(result),)),
        small=words,
    )


def points(result: DistanceModelResult) -> Panel:
    """Every distance by protected word and connection type, of the first replicate."""
    frame = result.table.first(1).to_frame()
    name = result.connections[0]
    mean = float(np.nanmean(result.table.means()[0, :, CONNECTIONS.index(name)]))
    marks: list[Mark] = [
        Rule(at=1.0, label="unrelated 1.0"),
        # What MAC makes of the first connection type: one number for all of its points.
        Rule(at=mean, label=f"mean of means {mean:.2f}", colour=INK, dashed=True),
    ]
    for name in result.connections:
        part = frame[frame["connection"] == name].iloc[:_MOST_POINTS]
        marks.append(
            Points(
                x=part["distance"].to_numpy(),
                y=_places(result, name, part["word"].tolist()),
                colour=COLOURS[name],
                shape="tick",
                size=3,
                alpha=0.4 if name == "none" else 0.85,
                data={"attribute": part["attribute"].tolist()},
                hover=(("", "@attribute"), ("distance", "@x{0.000}")),
            )
        )
    shown = result.table.distance[0][result.table.connection >= 0]
    return Panel(
        title="Every distance",
        x=axis_over(shown, label="cosine distance"),
        y=_rows(result),
        marks=tuple(marks),
        width=340,
    )


def posterior(result: DistanceModelResult) -> Panel:
    """Posterior mean and interval of every protected word by connection type."""
    marks: list[Mark] = [Rule(at=1.0, label="unrelated 1.0")]
    for name in result.connections:
        c = CONNECTIONS.index(name)
        rows = np.flatnonzero(np.isfinite(result.means[:, c]))
        words = [result.words[i] for i in rows]
        low, high = result.intervals[rows, c].T
        looks: dict[str, Any] = {"y": _places(result, name, words), "colour": COLOURS[name]}
        marks += [
            Intervals(low=low, high=high, width=1.6, **looks),
            Points(
                x=result.means[rows, c],
                shape=CONNECTION_MARKS[name],
                size=3.4,
                name=CONNECTION_NAMES[name],
                data={"word": words, "mean": result.means[rows, c], "low": low, "high": high},
                hover=_ENDS,
                **looks,
            ),
        ]
    return Panel(
        title=f"What the data support, {100 * result.level:.0f} % HPDI",
        x=axis_over(result.intervals, 0.98, 1.02, label="cosine distance"),
        y=_rows(result, named=False),
        marks=tuple(marks),
        width=340,
    )


def contrasts(result: DistanceModelResult) -> Panel:
    """Contrasts of this model, and beside them those of the paper's and of the crossed one."""
    headline = [c.name for c in result.headline_contrasts]
    models = dict.fromkeys((result.model, "pooled", "crossed"))
    by_model = {model: {c.name: c for c in result.beside.get(model, ())} for model in models}
    by_model[result.model] = {c.name: c for c in result.contrasts}
    rows: list[Row] = []
    marks: list[Mark] = [Rule(at=0.0, label="no difference 0")]
    values = [0.0]
    for name in headline:
        for model in models:
            if drawn := by_model[model].get(name):
                low, high = drawn.interval.low, drawn.interval.high
                between = f"{number(low, 3)} to {number(high, 3)}"
                crossed = model == "crossed"
                marks += [
                    Intervals(low=low, high=high, y=len(rows), dashed=crossed),
                    Points(
                        x=drawn.mean,
                        y=len(rows),
                        shape="ring" if crossed else "circle",
                        data={"word": [name], "mean": [drawn.mean], "low": [low], "high": [high]},
                        hover=_ENDS,
                    ),
                ]
                values += [low, high]
                rows.append(Row(_MODELS[model], name, (number(drawn.mean, 3), between)))
    return Panel(
        title="Contrasts between connection types",
        x=axis_over(values, label="difference in cosine distance"),
        y=Rows(rows=tuple(rows), heads=("mean", f"{100 * result.level:.0f} % HPDI"), line=22),
        marks=tuple(marks),
        width=460,
    )


def _order(result: DistanceModelResult) -> list[int]:
    """Words by group, in the order of the groups."""
    groups = list(dict.fromkeys(result.table.groups))
    return sorted(range(len(result.words)), key=lambda i: groups.index(result.table.groups[i]))


def _rows(result: DistanceModelResult, *, named: bool = True) -> Rows:
    rows = tuple(Row(result.words[i], result.table.groups[i]) for i in _order(result))
    return Rows(rows=rows, line=30, named=named)


def _places(result: DistanceModelResult, kind: str, words: list[str]) -> list[float]:
    """The row of each word, a little up or down by connection type."""
    row = {result.words[i]: k for k, i in enumerate(_order(result))}
    kinds = list(result.connections)
    shift = 0.72 / len(kinds) * (kinds.index(kind) - (len(kinds) - 1) / 2)
    return [row[word] + shift for word in words]
