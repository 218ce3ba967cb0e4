"""From a result of the association probe to the numbers that its bench draws."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.association import (
    CONNECTIONS,
    AssociationResult,
    DistanceModelResult,
    DistanceTable,
    WeatResult,
    WeatSimulation,
)
from biaslab.probes.association.distance_parameters import Contrast as Found
from biaslab.probes.association.human_effects import human_effect
from biaslab.records.wording import Span as SpanText
from biaslab.records.wording import counted
from biaslab.reports.association.distance import debiased
from biaslab.reports.association.simulation import drawn_text, words_of
from biaslab.reports.association.weat import human_text
from biaslab_widgets.benches.association.fields import (
    Check,
    Coefficient,
    Connection,
    ConnectionKey,
    Contrast,
    Estimate,
    ModelName,
    Picture,
    Posterior,
    Scores,
    Side,
    Simulation,
    Weat,
)
from biaslab_widgets.core.state.fields import empty
from biaslab_widgets.core.state.records import Span

LABELS: dict[ConnectionKey, str] = {
    "associated": "associated",
    "different": "different group",
    "human": "human control",
    "none": "neutral control",
}
_KEYS: tuple[ConnectionKey, ...] = ("associated", "different", "human", "none")
_NEAR = (0.001, 0.999)
_REPLICATE = re.compile(r", replicate (\d+)$")
NO_CHECK = empty(Check)
NO_SCORES = empty(Scores)

Floats = NDArray[np.floating[Any]]


def picture_of(
    result: AssociationResult,
    after: AssociationResult | None,
    *,
    method: str = "",
    after_reason: str = "",
    simulation: WeatSimulation | None = None,
    check: Check = NO_CHECK,
    scores: Scores = NO_SCORES,
    one_of: str = "",
) -> Picture:
    """Everything drawn, of a subject and, where it was debiased, of what became of it."""
    model, table = result.distance_model, result.distance_model.table
    verdict = [*model.verdict_spans()]
    if after is not None:
        verdict += debiased(model, after.distance_model, method)
    results = [result] if after is None else [result, after]
    sides = [_side(side) for side in results]
    return {
        "protected": [
            {"word": word, "group": group}
            for word, group in zip(table.words, table.groups, strict=True)
        ],
        "terms": [
            {"term": term, "list": name}
            for term, name in zip(table.attributes, table.lists, strict=True)
        ],
        "axis": _axis(np.concatenate([_distances(side.distance_model.table) for side in results])),
        "posterior_axis": _axis(_ends(sides), margin=0.06),
        "before": sides[0],
        "after": sides[1] if len(sides) > 1 else None,
        "after_reason": after_reason,
        "verdict": _spans(verdict),
        "warning": _spans(model.note()),
        "caveat": f"{one_of} {model.caveat()}".strip(),
        "coefficient_warning": model.coefficients_warning,
        "simulation": _simulation(simulation) if simulation is not None else None,
        "check": check,
        "scores": scores,
        "replicates": table.n_replicates,
        "interval_level": model.level,
        "footer": _footer(result),
    }


def _side(result: AssociationResult) -> Side:
    model, table = result.distance_model, result.distance_model.table
    mean = _mean_distances(table)
    cells = [
        [np.flatnonzero(row == c) for c in range(len(CONNECTIONS))] for row in table.connection
    ]
    by_connection = result.mac.by_connection
    return {
        "name": result.provenance.subject,
        "connections": [_connection(key, table.counts, by_connection) for key in _KEYS],
        "distances": [[mean[i, at].tolist() for at in columns] for i, columns in enumerate(cells)],
        "terms": [[at.tolist() for at in columns] for columns in cells],
        "means": [_numbers(row) for row in table.means().mean(axis=0)],
        "total": table.n,
        "mac": _number(result.mac.mac),
        "posteriors": _posteriors(model, 1000 * result.provenance.seconds),
        "weat": _weat(result.weat) if result.weat is not None else None,
        "weat_reason": result.weat_reason,
    }


def _mean_distances(table: DistanceTable) -> Floats:
    """Over replicates, as they are drawn: (I, J)."""
    return np.asarray(np.round(table.distance.mean(axis=0), 4))


def _distances(table: DistanceTable) -> Floats:
    return np.asarray(_mean_distances(table)[table.connection >= 0])


def _connection(key: ConnectionKey, counts: Any, mac: dict[str, float]) -> Connection:
    return {
        "key": key,
        "label": LABELS[key],
        "distances": counts[key],
        "mac": _number(mac[key]) if key in mac else None,
    }


def _posteriors(model: DistanceModelResult, milliseconds: float) -> list[Posterior]:
    """The chosen model's answer, and the contrasts of the others beside it."""
    chosen: ModelName = model.model  # type: ignore[assignment]  # checked by the probe
    own: Posterior = {
        "model": chosen,
        "words": _estimates(model),
        "contrasts": [_contrast(c) for c in model.headline_contrasts],
        "coefficients": [
            _coefficient(name, mean, ends.low, ends.high) for name, mean, ends in model.coefficients
        ],
        "milliseconds": round(milliseconds, 1),
    }
    first = model.contrasts[0].minus
    beside = [
        _beside(name, [c for c in estimates if c.minus == first])
        for name, estimates in model.beside.items()
        if name != chosen
    ]
    return [own, *beside]


def _beside(name: str, estimates: Sequence[Found]) -> Posterior:
    return {
        "model": name,  # type: ignore[typeddict-item]  # pooled or crossed
        "words": [],
        "contrasts": [_contrast(c) for c in estimates],
        "coefficients": [],
        "milliseconds": 0.0,
    }


def _estimates(model: DistanceModelResult) -> list[list[Estimate | None]]:
    rows: list[list[Estimate | None]] = []
    for means, ends in zip(model.means, model.intervals, strict=True):
        rows.append(
            [
                {"value": _float(v), "low": _float(low), "high": _float(high)}
                if np.isfinite(v)
                else None
                for v, (low, high) in zip(means, ends, strict=True)
            ]
        )
    return rows


def _contrast(contrast: Found) -> Contrast:
    return {
        "first": contrast.of,  # type: ignore[typeddict-item]  # one of CONNECTIONS
        "second": contrast.minus,  # type: ignore[typeddict-item]
        "label": contrast.name,
        "value": _float(contrast.mean),
        "low": _float(contrast.interval.low),
        "high": _float(contrast.interval.high),
    }


def _coefficient(name: str, mean: float, low: float, high: float) -> Coefficient:
    return {
        "key": name,  # type: ignore[typeddict-item]  # one of CONNECTIONS
        "value": _float(mean),
        "low": _float(low),
        "high": _float(high),
    }


def _weat(weat: WeatResult) -> Weat:
    first, second = weat.lists.groups
    a, b = weat.lists.attributes
    ends, of_difference = weat.effect_size_intervals[-1], weat.statistic_intervals[-1]
    test = weat.test
    return {
        "groups": (first, second),
        "attributes": (a, b),
        "statistic": _float(weat.statistic),
        "statistic_low": _number(of_difference.low),
        "statistic_high": _number(of_difference.high),
        "effect_size": _number(weat.effect_size),
        "low": _number(ends.low),
        "high": _number(ends.high),
        "ceiling": _float(weat.ceiling),
        "ddof": weat.ddof,
        "p": float(weat.p),
        "exceed": int(weat.exceed),
        "partitions": int(weat.partitions),
        "exact": bool(weat.exact),
        "null_edges": _plain(test.edges),
        "null_counts": test.counts.tolist(),
        "replicates": [v for v in _numbers(weat.effect_size_by_replicate) if v is not None],
        "people": human_text(human_effect(weat.lists)),
    }


def _simulation(simulation: WeatSimulation) -> Simulation:
    ends, (n_x, _, n_a, _) = simulation.interval, simulation.sizes
    names = words_of(simulation)
    return {
        "edges": _plain(simulation.edges),
        "counts": simulation.counts.tolist(),
        "mean": _number(simulation.mean) or 0.0,
        "low": _number(ends.low) or 0.0,
        "high": _number(ends.high) or 0.0,
        "ceiling": _float(simulation.ceiling),
        "share_beyond": _float(simulation.share_reaching(1)),
        "words": [
            {
                "name": names[i],
                "to_a": _plain(simulation.example[i, :n_a]),
                "to_b": _plain(simulation.example[i, n_a:]),
                "association": _float(simulation.association[i]),
            }
            for i in (0, 1, n_x, n_x + 1)
        ],
        "drawn": drawn_text(simulation),
        "text": simulation.summary(),
    }


def _ends(sides: Sequence[Side]) -> list[float]:
    return [
        end
        for side in sides
        for posterior in side["posteriors"]
        for row in posterior["words"]
        for estimate in row
        if estimate is not None
        for end in (estimate["low"], estimate["high"])
    ]


def _axis(values: Sequence[float] | Floats, margin: float = 0.02) -> tuple[float, float]:
    """An axis that holds 1, unrelated, and nearly all values, in steps of 0.05."""
    low, high = (float(q) for q in np.quantile(values, _NEAR)) if len(values) else (0.9, 1.1)
    low, high = min(low, 1.0) - margin, max(high, 1.0) + margin
    return float(np.floor(low * 20) / 20), float(np.ceil(high * 20) / 20)


def _spans(spans: Sequence[SpanText]) -> list[Span]:
    return [{"text": text, "role": role} for text, role in spans]


def _footer(result: AssociationResult) -> list[str]:
    provenance, table = result.provenance, result.distance_model.table
    content = (provenance.subject_hash or "")[:8]
    return [
        f"{_counted_from_one(provenance.subject)} {content}".strip(),
        f"seed {provenance.seed}",
        f"{table.n:,} distances kept, {counted(len(result.dropped), 'word')} dropped",
        f"{1000 * provenance.seconds:.0f} ms",
    ]


def _counted_from_one(subject: str) -> str:
    """Name a replicate as the list of replicates on the screen does."""
    return _REPLICATE.sub(lambda found: f", replicate {int(found[1]) + 1}", subject)


def _float(value: float) -> float:
    return round(float(value), 5)


def _number(value: float) -> float | None:
    return _float(value) if np.isfinite(value) else None


def _numbers(values: Floats) -> list[float | None]:
    return [_number(v) for v in np.asarray(values, dtype=float).tolist()]


def _plain(values: Floats) -> list[float]:
    return [float(v) for v in np.round(np.asarray(values, dtype=float), 4).tolist()]
