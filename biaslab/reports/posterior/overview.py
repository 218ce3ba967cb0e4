"""Words for what a classifier imagines for either of two labels."""

from __future__ import annotations

import math

from biaslab.probes.posterior.overview_result import PosteriorOverview
from biaslab.records.wording import Span, joined


def finding(result: PosteriorOverview, label: str) -> tuple[Span, ...]:
    """Whether the draws can be trusted, and which group lies closer."""
    spans = list(result.of(label).verdict_spans())
    groups = result.reading.groups.get(label)
    if groups is not None and result.of(label).trust:
        spans += [(" ", "plain"), *groups.verdict_spans()]
    return tuple(spans)


def verdict(result: PosteriorOverview) -> tuple[Span, ...]:
    """The finding on the first label."""
    return finding(result, next(iter(result.posteriors)))


def brief(result: PosteriorOverview) -> str:
    """Which group lies closer to the first label, for a card and the list of runs."""
    label = next(iter(result.posteriors))
    groups = result.reading.groups.get(label)
    if groups is None or not result.of(label).trust:
        return headline(result)
    if not groups.excludes_null:
        one, two = (group.name for group in groups.groups)
        return f"no clear difference between {one} and {two} words"
    near = groups.groups[0 if groups.difference < 0 else 1].name
    return f"{near} words closer to “{label}”"


def headline(result: PosteriorOverview) -> str:
    """One line for a list of runs."""
    posterior = next(iter(result.posteriors.values()))
    sentence = joined(finding(result, posterior.label))
    return f"What {result.provenance.subject} imagines for {posterior.label!r}. {sentence}"


def summary(result: PosteriorOverview) -> str:
    """Each label's draws, then what was read off them."""
    read = result.reading
    parts = [result.failure] if result.failure else []
    parts += [one.summary() for one in result.posteriors.values()]
    if result.oracle_reason:
        parts.append(f"No exact draws beside them: {result.oracle_reason}")
    parts += [one.summary() for one in (*read.groups.values(), *read.lexicon.values())]
    if read.plane is not None:
        parts.append(read.plane.summary())
    for name in ("plane", "lexicon", "groups"):
        if reason := getattr(read, f"{name}_reason"):
            parts.append(f"No {name}: {reason}")
    return "\n\n".join(parts)


def oracle_sentence(result: PosteriorOverview, label: str) -> str:
    """Whether exact draws agree with those of the engine."""
    if label in result.agreements:
        largest = result.agreements[label].largest
        if math.isnan(largest):
            return ""
        if result.agreements[label].agrees:
            return f"exact sampler agrees within {max(largest, 0.1):.1f} MCSE"
        return f"exact sampler disagrees by {largest:.1f} MCSE"
    return f"no exact draws: {result.oracle_reason}" if result.oracle_reason else ""
