"""Results in the forms of other programs: Every Eval Ever, and a model card's metadata.

An estimate is a column of `Result.to_frame` with the ends of an interval beside it, ``pse`` with
``pse_low`` and ``pse_high``. The words of its row say what it is an estimate of.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from biaslab.records.result import Result
from biaslab.reports.tables import intervals_by_estimate

SCHEMA_VERSION: Final = "0.2.2"
"""Of Every Eval Ever (evaleval/every_eval_ever, eval.schema.json)."""
_BESIDE: Final = ("published", "chance", "clusters", "reference", "p", "p_adjusted")
"""Columns whose values are recorded beside an estimate."""


@dataclass(frozen=True)
class Estimate:
    """One number of a result: what it is of, its value, and its interval.

    `over` says what the interval ranges over; `details` holds other cells of its row, such as a
    published score.
    """

    subject: str
    name: str
    value: float
    low: float
    high: float
    over: str
    standard_error: float
    n: int | None
    details: dict[str, str]


def estimates_in(result: Result) -> Iterator[Estimate]:
    """Yield the estimates of a result that have intervals, row by row."""
    frame = result.to_frame()
    columns = {str(name): frame[name].tolist() for name in frame.columns}
    intervals = intervals_by_estimate(columns)
    for at in range(len(frame)):
        row = {name: values[at] for name, values in columns.items()}
        words = {name: text for name, text in row.items() if isinstance(text, str) and text}
        subject = words.pop("model", result.provenance.subject)
        count = row.get("n")
        for name, (over, ends) in intervals.items():
            value = _number(row[name])
            if math.isfinite(value):
                yield Estimate(
                    subject=subject,
                    name=", ".join([*words.values(), name.replace("_", " ")]),
                    value=value,
                    low=_number(ends[at][0]),
                    high=_number(ends[at][1]),
                    over=over,
                    standard_error=_number(row.get("standard_error")),
                    n=count if isinstance(count, int) else None,
                    details={key: str(row[key]) for key in _BESIDE if _is_shown(row.get(key))},
                )


def _is_shown(cell: Any) -> bool:
    return cell is not None and cell != "" and cell == cell  # not NaN


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else math.nan


def every_eval_ever(result: Result) -> list[dict[str, Any]]:
    """Return a record of Every Eval Ever for each model of a result; see `Result.to_eee`."""
    origin = result.provenance
    models: dict[str, list[Estimate]] = {}
    for one in estimates_in(result):
        models.setdefault(one.subject, []).append(one)
    time = str(datetime.fromisoformat(origin.time).timestamp()) if origin.time else "0"
    data = _dataset(result)
    return [
        {
            "schema_version": SCHEMA_VERSION,
            "evaluation_id": f"{data}/{model}/{time}",
            "evaluation_timestamp": time,
            "retrieved_timestamp": time,
            "source_metadata": {
                "source_type": "evaluation_run",
                "source_name": "biaslab",
                "source_organization_name": "unknown",
                "evaluator_relationship": "other",
            },
            "eval_library": {
                "name": "biaslab",
                "version": origin.versions.get("biaslab", "unknown"),
            },
            "model_info": {"name": model, "id": model},
            "evaluation_results": [_evaluation(one, result, data) for one in some],
        }
        for model, some in models.items()
    ]


def _dataset(result: Result) -> str:
    named = getattr(result, "benchmark", "") or getattr(result, "source", "")
    return str(named or result.provenance.probe)


def _evaluation(one: Estimate, result: Result, data: str) -> dict[str, Any]:
    over = getattr(result, "over", "") or one.over
    method = f"{result.provenance.probe}{f', over {over}' if over else ''}"
    uncertainty: dict[str, Any] = {}
    if math.isfinite(one.low + one.high):
        level = getattr(result, "level", None)
        uncertainty["confidence_interval"] = {
            "lower": one.low, "upper": one.high, "method": method,
            **({} if level is None else {"confidence_level": level}),
        }  # fmt: skip
    if math.isfinite(one.standard_error):
        uncertainty["standard_error"] = {"value": one.standard_error, "method": method}
    if one.n is not None:
        uncertainty["num_samples"] = one.n
    return {
        "evaluation_name": one.name,
        "source_data": {"dataset_name": data, "source_type": "other"},
        # Required by the schema, though of a bias neither direction is better.
        "metric_config": {"evaluation_description": one.name, "lower_is_better": False},
        "score_details": {"score": one.value, "details": one.details, "uncertainty": uncertainty},
    }


def model_index(results: Iterable[Result]) -> list[dict[str, Any]]:
    """Return the estimates of results as ``model-index``, the metadata of a model card."""
    models: dict[str, list[dict[str, Any]]] = {}
    for result in results:
        name = _dataset(result)
        for one in estimates_in(result):
            ends = f" ({one.low:.4g} to {one.high:.4g})" if one.low == one.low else ""
            models.setdefault(one.subject, []).append(
                {
                    "task": {"type": "bias", "name": "Social bias"},
                    "dataset": {"type": name.lower(), "name": name},
                    "metrics": [
                        {"type": one.name, "name": f"{one.name}{ends}", "value": one.value}
                    ],
                }
            )
    return [{"name": name, "results": some} for name, some in models.items()]
