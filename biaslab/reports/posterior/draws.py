"""Words and chart for the draws of a posterior: its chains, and whether to trust them."""

from __future__ import annotations

from typing import Any

import numpy as np

from biaslab.probes.posterior.result import ENGINES, PosteriorResult
from biaslab.records.wording import Span, counted, joined
from biaslab.reports.chart import (
    Axis,
    Band,
    Cells,
    Chart,
    Line,
    Mark,
    Panel,
    Row,
    Rows,
    Rule,
    axis_over,
    finding,
)


def verdict(result: PosteriorResult) -> tuple[Span, ...]:
    """The finding in plain words, as pieces of text with their roles."""
    mixing = result.diagnostics
    total = f"{result.chains * result.n_draws:,} draws"
    if not result.trust:
        return (
            ("Do not trust yet", "strong"),
            (f", because {'; '.join(result.reasons)}.", "plain"),
        )
    if result.engine == "exact":
        return (("Trust these draws", "strong"), (f": {total}, all independent.", "plain"))
    agree = f"Chains agree (worst R-hat {mixing.largest_rhat:.3f})"
    if result.exact is not None and result.exact.agrees:
        agree += ", exact draws agree with them"
    return (
        ("Trust these draws", "strong"),
        (f". {agree}, and the smallest effective sample is ", "plain"),
        (f"{min(mixing.smallest_bulk, mixing.smallest_tail):,.0f}", "strong"),
        (f" of {total}.", "plain"),
    )


def caveat(result: PosteriorResult) -> str:
    """One line: prior, engine, what was cut short, what limits it."""
    parts = [f"Prior: {result.prior.described}.", f"Engine: {ENGINES[result.engine]}."]
    if result.partial:
        parts.append(
            f"Stopped after {result.n_draws:,} of {result.asked:,} draws per chain; these are kept."
        )
    if result.thinned > 1:
        parts.append(f"1 in {result.thinned} draws was stored; logit and |s|² in full.")
    return " ".join([*parts, *result.notes])


def brief(result: PosteriorResult) -> str:
    """The number of draws, for a card."""
    return f"{result.chains * result.n_draws:,} draws"


def headline(result: PosteriorResult) -> str:
    """One line for a list of runs."""
    sentence = joined(verdict(result))
    return f"What {result.provenance.subject} imagines for {result.label!r}. {sentence}"


def summary(result: PosteriorResult) -> str:
    """Plain words, then the method and its limits."""
    mixing = result.diagnostics
    rate = {
        "exact": f"{100 * result.acceptance:.3g} % of the prior’s draws kept",
        "choices": f"{100 * result.acceptance:.3g} % of the proposals chosen",
    }.get(result.engine, f"acceptance {result.acceptance:.2f}, {result.divergences:,} divergences")
    size = f"{counted(result.chains, 'chain')} of {counted(result.n_draws, 'draw')}"
    lines = [headline(result), f"{size} in {result.seconds:.1f} s; {rate}.", caveat(result)]
    if result.exact is not None:
        lines.append(f"Compared with exact draws: {result.exact.sentence()}")
    elif result.exact_reason:
        lines.append(f"Not compared with exact draws: {result.exact_reason}")
    if np.isfinite(result.log_evidence):
        lines.append(
            f"Over the prior the classifier says {result.label!r} with probability"
            f" {np.exp(result.log_evidence):.3g}."
        )
    if mixing.is_defined.any():
        worst = mixing.names[mixing.worst]
        lines.append(
            f"Mixes worst: {worst}, bulk ESS {mixing.smallest_bulk:,.0f}, tail ESS"
            f" {mixing.smallest_tail:,.0f}. Intervals of the table are Monte Carlo ones, of the"
            " means over the posterior."
        )
    return "\n".join(lines)


_MOST = 400  # steps drawn: more are averaged over neighbours
_HEIGHT = 110


def traces(result: PosteriorResult) -> Chart:
    """Traces and autocorrelations of the logit, |s|² and the dimension that mixes worst.

    A trace is drawn as three bands over chains (their range, the middle 90 % and the middle half)
    and their median, which should look alike from left to right; warm-up is left of 0.
    """
    mixing = result.diagnostics
    worst = mixing.worst_dimension
    panels = [
        (_trace(mixing.names[i], values, warm, result.thinned if i > 1 else 1), _lags(result, i))
        for i, values, warm in (
            (0, result.logit, result.warmup_logit),
            (1, result.square, result.warmup_square),
            (2 + worst, result.draws[:, :, worst], None),
        )
        if mixing.is_defined[i]
    ]
    shown: tuple[tuple[Panel, ...], ...] = tuple(panels) or ((_EMPTY,),)
    return Chart(title=finding(result), note=result.caveat(), panels=shown)


_EMPTY = Panel(
    x=Axis(low=0, high=1, ticks=()),
    y=Rows(rows=(Row("Too few draws for a chart"),)),
    marks=(),
    width=400,
)


def _trace(name: str, values: Any, warm: Any, every: int) -> Panel:
    early = 0 if warm is None else warm.shape[1]
    together = values if warm is None else np.concatenate([warm, values], axis=1)
    steps = together.shape[1]
    width = max(1, -(-steps // _MOST))
    cut = steps // width * width
    # Neighbouring steps of all chains are one sample of where the chains were.
    blocks = together[:, :cut].reshape(len(together), -1, width).transpose(1, 0, 2)
    pooled = blocks.reshape(len(blocks), -1).astype(np.float64)
    at = (np.arange(len(blocks)) + 0.5) * width * every - early
    edges = np.quantile(pooled, [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1], axis=1)
    marks: list[Mark] = [
        Band(x=at, low=edges[low], high=edges[high], alpha=alpha)
        for low, high, alpha in ((0, 6, 0.12), (1, 5, 0.2), (2, 4, 0.35))
    ]
    marks.append(Line(x=at, y=edges[3], width=1.5))
    if early:
        marks.append(Rule(at=0, label="warm-up ends"))
    return Panel(
        x=Axis(low=-early, high=(steps - early) * every, label="draw of each chain"),
        y=axis_over(edges, label=name),
        marks=tuple(marks),
        width=420,
        height=_HEIGHT,
    )


def _lags(result: PosteriorResult, i: int) -> Panel:
    mixing = result.diagnostics
    values = np.asarray(mixing.autocorrelation[i])
    lag = np.arange(len(values))
    rhat = f"R-hat {mixing.rhat[i]:.3f}" if np.isfinite(mixing.rhat[i]) else "no R-hat"
    return Panel(
        title=f"{rhat}, ESS {mixing.ess_bulk[i]:,.0f}",
        x=Axis(low=-0.75, high=len(values) - 0.25, label="lag"),
        y=Axis(low=-0.3, high=1.05, label="autocorrelation"),
        marks=(
            Rule(at=0, axis="y"),
            Cells(left=lag - 0.25, right=lag + 0.25, bottom=0, top=values),
        ),
        width=230,
        height=_HEIGHT,
    )
