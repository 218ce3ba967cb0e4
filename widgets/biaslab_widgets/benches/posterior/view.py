"""From a run of the posterior probe to everything that its bench draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from biaslab.probes.posterior import Prior
from biaslab.probes.posterior.overview_probe import beside
from biaslab.probes.posterior.result import ENGINES
from biaslab.records.wording import counted
from biaslab.subjects.classifier.base import Classifier
from biaslab_widgets.benches.posterior import parts as parts
from biaslab_widgets.benches.posterior.drawings import live_plane
from biaslab_widgets.benches.posterior.fields import (
    Picture,
    PosteriorBenchState,
    PriorOption,
    Quantity,
    Review,
    RunState,
    Trust,
)
from biaslab_widgets.benches.posterior.run import Shown
from biaslab_widgets.core.state.records import Span, finite

OWN = "own"


def priors_of(subject: Classifier, own: Any = None) -> list[PriorOption]:
    """A person's own prior, those fitted to what the classifier knows, and N(0, I)."""
    options: list[PriorOption] = []
    if own is not None:
        prior = own if isinstance(own, Prior) else Prior.pyro(own)
        options.append({"key": OWN, "name": prior.name, "text": prior.text})
    if subject.stimuli is not None:
        text = f"normal, fitted to its {subject.stimuli.n:,} training stimuli"
        options.append({"key": "stimuli", "name": "Fitted to its stimuli", "text": text})
    if subject.words is not None:
        text = "normal, fitted to the vectors of all its words"
        options.append({"key": "words", "name": "Fitted to word vectors", "text": text})
    text = "standard normal, most likely the prior of Liang and Acuna (2020)"
    return [*options, {"key": "standard", "name": "N(0, I)", "text": text}]


_DRAWING: Trust = {"state": "running", "text": "Drawing"}


def picture_of(shown: Shown, snapshot: PosteriorBenchState) -> Picture:
    """Everything drawn but traces and clouds."""
    label, subject, overview = shown.label, shown.subject, shown.overview
    drawn = shown.drawn
    diagnostics = None if drawn is None else drawn.diagnostics
    state = _run_state(shown)
    if shown.run is not None:
        plane, trust = live_plane(shown, shown.run, snapshot.axes), _DRAWING
    else:
        plane = None if overview is None else parts.plane_of(overview, label, shown.located)
        trust = parts.trust_of(overview, label)
    words = None
    if overview is not None and shown.has_draws:
        words = parts.words_of(overview, label, snapshot.rows, shown.located)
    return {
        "run": state,
        "label": label,
        "labels": list(subject.labels),
        "other": beside(subject, label),
        "engine": ENGINES[shown.settings.engine],
        "prior": shown.prior,
        "width": shown.settings.width,
        "trust": trust,
        "verdict": _verdict(shown, state),
        "facts": _facts(shown, state),
        "quantities": _quantities(shown, snapshot),
        "worst_dimension": 0 if diagnostics is None else diagnostics.worst_dimension,
        "dimensions": subject.dim,
        "oracle": "" if overview is None else overview.oracle_sentence(label),
        "plane": plane,
        "words": words,
        "groups": None if overview is None else parts.groups_of(overview, label),
        "groups_reason": "" if overview is None else overview.reading.groups_reason,
        "correlations": [] if overview is None else parts.correlations_of(overview),
        "reviews": _reviews(shown),
        "reviews_reason": shown.near_reason,
        "caveat": overview.of(label).caveat() if overview is not None and shown.has_draws else "",
        "footer": _footer(shown),
        "portraits": None,
    }


def _quantities(shown: Shown, snapshot: PosteriorBenchState) -> list[Quantity]:
    drawn, dim = shown.drawn, shown.subject.dim
    if drawn is None:
        return []
    dimensions = snapshot.shown_dimensions
    worst_of = dim if not dimensions and drawn.diagnostics is not None else None
    return [
        parts.quantity(drawn, name, parts.title(name, shown.label, worst_of=worst_of))
        for name in parts.names_shown(drawn.diagnostics, dimensions, dim)
    ]


def _run_state(shown: Shown) -> RunState:
    run, drawn = shown.run, shown.drawn
    stage, steps, total = run.progress() if run is not None else ("done", 1, 1)
    seconds, left = 0.0, None
    if run is not None:
        seconds = run.seconds
        left = seconds * (total - steps) / steps if steps else None
    elif shown.overview is not None:
        seconds = sum(r.seconds for r in shown.overview.posteriors.values())
    return {
        "number": shown.number,
        "running": run is not None,
        "stage": stage,
        "done": steps,
        "total": total,
        "seconds": round(seconds, 2),
        "seconds_left": left,
        "draws": 0 if drawn is None else drawn.n,
        "chains": 0 if drawn is None else drawn.chains,
        "acceptance": None if drawn is None else finite(drawn.acceptance),
        "divergences": 0 if drawn is None else drawn.divergences,
        "stale": shown.stale,
        "partial": shown.partial,
    }


def _verdict(shown: Shown, state: RunState) -> list[Span]:
    spans: list[tuple[str, Any]]
    if shown.run is not None:
        spans = [
            (f"Drawing what it imagines for “{shown.run.current}”", "plain"),
            (f": {state['stage']}.", "quiet"),
        ]
    elif shown.overview is None or not shown.has_draws:
        spans = [(f"There are no draws for “{shown.label}” yet: run again.", "plain")]
    else:
        spans = unbadged(shown.overview.finding(shown.label))
    if shown.word_reason:
        spans.append((f" {shown.word_reason}", "quiet"))
    return [{"text": text, "role": role} for text, role in spans]


def unbadged(spans: Sequence[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """A finding without its first words, which stand in the badge."""
    (text, role), *rest = spans[1:]
    text = text.lstrip(".,: ")
    return [(text[:1].upper() + text[1:], role), *rest]


def _facts(shown: Shown, state: RunState) -> list[str]:
    facts = []
    if shown.overview is not None and shown.has_draws:
        result = shown.overview.of(shown.label)
        facts.append(f"{counted(result.n_draws, 'draw')} per chain in {result.seconds:.1f} s")
    if state["acceptance"] is not None:
        facts.append(f"acceptance {state['acceptance']:.2f}")
    count = state["divergences"]
    facts.append(f"{count:,} divergence{'' if count == 1 else 's'}")
    if shown.overview is not None and (said := shown.overview.oracle_sentence(shown.label)):
        facts.append(said)
    return facts


def _reviews(shown: Shown) -> list[Review]:
    if shown.near is None:
        return []
    return [
        {"text": one.excerpt, "label": one.label, "distance": one.distance}
        for one in shown.near.nearest[0]
    ]


def _footer(shown: Shown) -> list[str]:
    settings, overview = shown.settings, shown.overview
    if overview is None:
        return [settings.subject, f"seed {settings.seed}"]
    content = (overview.provenance.subject_hash or "")[:8]
    return [
        f"{overview.provenance.subject} {content}".strip(),
        f"seed {settings.seed}",
        f"{parts.DISTANCES[overview.reading.distance]} distance",
    ]
