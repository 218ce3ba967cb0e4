"""Slow looks at a distance model: NUTS beside the exact sampler, and models compared."""

from __future__ import annotations

import biaslab as bl
from biaslab.jobs import JobContext
from biaslab.probes.association import DistanceModelResult
from biaslab.probes.association.distance_model_result import model_scores
from biaslab_widgets.benches.association.fields import Check, Score


def check_by_nuts(exact: DistanceModelResult, context: JobContext | None = None) -> Check:
    """Draw a model by NUTS too, and say how far its contrasts are from the exact ones."""
    nuts = bl.distance_model(
        exact.table,
        model=exact.model,  # type: ignore[arg-type]  # one of the three
        priors=exact.priors,
        level=exact.level,
        engine="nuts",
        context=context,
    )
    pairs = zip(exact.contrasts, nuts.contrasts, strict=True)
    gap = max(abs(a.mean - b.mean) for a, b in pairs)
    diagnostics = nuts.diagnostics
    rhat = next((v for name, v in diagnostics.items() if "hat" in name.lower()), None)
    ess = next((v for name, v in diagnostics.items() if "ess" in name.lower()), None)
    return {
        "state": "done",
        "text": f"NUTS and the exact sampler differ by at most {gap:.3f} in a contrast.",
        "rhat": rhat,
        "ess": ess,
    }


def score_models(model: DistanceModelResult, context: JobContext | None = None) -> list[Score]:
    """Return LOO of all models of a table."""
    results = bl.association.compare_models(
        model.table, priors=model.priors, level=model.level, context=context
    )
    return [
        {
            "model": score.model,  # type: ignore[typeddict-item]  # one of the models
            "elpd": round(score.elpd, 1),
            "se": round(score.se, 1),
            "behind": round(score.behind, 1),
            "behind_se": round(score.behind_se, 1),
            "unreliable": score.unreliable,
        }
        for score in model_scores(results)
    ]
