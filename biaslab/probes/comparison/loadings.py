"""Compare one model with itself, opened in two ways: quantised, in a chat template, and so on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from biaslab.errors import ArgumentError
from biaslab.probes.comparison.of_choices import Measure
from biaslab.probes.comparison.probe import compare
from biaslab.probes.comparison.result import Comparison
from biaslab.results import Result
from biaslab.subjects.opening.load import load


def compare_loadings(
    source: str | Path,
    probe: Callable[..., Result],
    *asked: Any,
    first: Mapping[str, Any] | None = None,
    second: Mapping[str, Any],
    kind: str | None = None,
    measure: Measure = "pse",
    **options: Any,
) -> Comparison:
    """Open a model in two ways, ask it the same in both, and compare the results.

    It shows how far quantisation, a precision or a chat template shifts an estimate. One of the
    two is in memory at a time.

    Parameters
    ----------
    source : str or Path
        A model as `biaslab.load` takes it.
    probe : callable
        Such as `biaslab.stereotype_score`: its first argument is the subject.
    *asked, **options
        Further arguments of the probe.
    first, second : mapping of str to Any
        Options of `biaslab.load` of either; none is the model as it is by default.
    kind : str, optional
        Of the model, as of `biaslab.load`.
    measure : str
        As of `biaslab.compare`.

    Returns
    -------
    Comparison
        Of the second less the first, paired over what both were asked.

    Raises
    ------
    ArgumentError
        When both ways are the same.
    SubjectError
        When the model cannot be opened in one of these ways.
    QueryError
        As `biaslab.compare` and the probe.

    Examples
    --------
    >>> import biaslab as bl
    >>> half = compare_loadings(
    ...     "wiki-clm", bl.two_afc, ["nurse"], [("she", "he")], second={"dtype": "bfloat16"},
    ...     observers=2,
    ... )  # doctest: +SKIP
    >>> half.names  # doctest: +SKIP
    ('wiki-clm', 'wiki-clm, dtype=bfloat16')
    """
    ways = dict(first or {}), dict(second)
    if ways[0] == ways[1]:
        raise ArgumentError(
            f"first and second are both {ways[0] or 'the default'}: give two different ways to open"
            ' the model, such as second={"dtype": "bfloat16"}.'
        )
    if kind is not None:
        ways = ({"kind": kind, **ways[0]}, {"kind": kind, **ways[1]})
    results = [_asked(source, way, probe, asked, options) for way in ways]
    return compare(*results, measure=measure)


def _asked(
    source: str | Path,
    way: Mapping[str, Any],
    probe: Callable[..., Result],
    asked: tuple[Any, ...],
    options: Mapping[str, Any],
) -> Result:
    """Ask a model opened in one way; it is closed when this returns."""
    loading: dict[str, Any] = {"name": _name(source, way), **way}
    return probe(load(source, **loading), *asked, **options)


def _name(source: str | Path, way: Mapping[str, Any]) -> str:
    """Return a name that says how the model was opened."""
    base = Path(str(source).removeprefix("hf:")).name
    return ", ".join([base, *(f"{key}={value}" for key, value in way.items() if key != "kind")])
