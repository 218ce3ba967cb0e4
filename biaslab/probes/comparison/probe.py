"""``bl.compare``: two runs of one kind, or one model opened in two ways, row by row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from biaslab.arguments import described, renamed
from biaslab.errors import ArgumentError, QueryError
from biaslab.probes.comparison.result import Comparison, aspects
from biaslab.probes.comparison.rows import (
    Compared,
    Measure,
    Single,
    as_interval,
    independent_interval,
    totals_of,
)
from biaslab.records.calls import recorded
from biaslab.records.kinds import imported, kind_of
from biaslab.records.provenance import measured
from biaslab.records.result import Result, kinds
from biaslab.stats.significance import Adjust
from biaslab.subjects.opening.load import load

_MOST_NAMED: Final = 3


@renamed(a="first", b="second")
@recorded
def compare(
    first: Result | str,
    second: Result | str,
    *,
    measure: Measure = "pse",
    adjust: Adjust = "holm",
    rng: int = 0,
) -> Comparison:
    """Compare two runs of one kind: two models, two dates, or before and after debiasing.

    Rows that both runs have are matched by their label. The interval of each change is a paired
    one where the runs share their observations (the same cue pairs, sentences, pictures or words):
    it is then narrower than two intervals side by side suggest. Elsewhere it is the interval of
    the difference of independent estimates; `Comparison.paired` says which. Stereotype scores on
    other sentences, such as templates first and sentences that a model wrote second, are paired by
    attribute: the first of the `totals` says whether writing the sentences amplifies the bias.

    Parameters
    ----------
    first, second : Result or str
        Results of one probe, or ids of runs in the person's own store.
    measure : str
        Of results that have a point of subjective equality: ``pse``, or ``jnd``, how sharply the
        answers switch. Changes of the JND are those of independent estimates.
    adjust : str
        Of points of subjective equality: ``holm`` corrects the leans of either run for the number
        of its items, as its own verdict does; with ``none`` each item leans by itself.
    rng : int
        Seed of the bootstrap.

    Returns
    -------
    Comparison
        With `totals`, `differs` and `equal`.

    Raises
    ------
    QueryError
        When the results cannot be compared; the message says why.
    ArgumentError
        When one is no result, or the measure is not one of these results.

    References
    ----------
    Zou and Donner (2008), "Construction of confidence limits about effect measures: a general
    approach", Statistics in Medicine 27, for independent estimates. Zou (2007), "Toward using
    confidence intervals to compare correlations", Psychological Methods 12.
    """
    one, two = opened(first, "first"), opened(second, "second")
    if why := why_not(one, two):
        raise QueryError(why)
    if measure not in measures_of(one):
        raise ArgumentError(
            f"measure is {measure!r}; results of the kind {_kind(one)} are compared by "
            f"{' or '.join(map(repr, measures_of(one)))}."
        )
    names = one.provenance.subject, two.provenance.subject
    with measured(
        probe="compare",
        subject=" and ".join(dict.fromkeys(names)),
        parameters={"kind": _kind(one), "measure": measure, "adjust": adjust},
        seed=rng,
    ) as run:
        compared = imported(kind_of(type(one)).comparison)(
            one, two, measure=measure, adjust=adjust, seed=rng
        )
        fields = _comparison(one, two, compared, rng)
    return Comparison(**fields, provenance=run.provenance)


@renamed(a="first", b="second")
def why_not(first: Result, second: Result) -> str:
    """Return why two results cannot be compared; empty if they are of one kind that can."""
    if type(first) is not type(second):
        return (
            f"These are results of different kinds: {_plain(_kind(first))} and"
            f" {_plain(_kind(second))}. Compare"
            " two of one kind."
        )
    if not kind_of(type(first)).comparison:
        known = ", ".join(
            sorted(_plain(name) for name, kind in kinds().items() if kind_of(kind).comparison)
        )
        kind = _plain(_kind(first))
        return f"Results of the kind {kind} cannot be compared. Those that can: {known}."
    return ""


def measures_of(result: Result) -> tuple[str, ...]:
    """Return the measures by which two results of this kind can be compared, the default first."""
    return kind_of(type(result)).measures


def opened(given: Result | str, name: str) -> Result:
    """Return a result, or the one that has this id in the person's own store."""
    if isinstance(given, str):
        stored: Result = imported("biaslab.store:Store")().open(given)
        return stored
    if not isinstance(given, Result):
        raise ArgumentError(f"{name} is {described(given)}. Pass a result or the id of a run.")
    return given


def _kind(result: Result) -> str:
    return result.schema.partition("/")[0]


_PLAIN = {"two-afc": "switch points", "weat": "WEAT", "mac": "MAC"}


def _plain(kind: str) -> str:
    """What results of a kind are called in a sentence."""
    return _PLAIN.get(kind, kind.replace("-", " "))


def _comparison(a: Result, b: Result, compared: Compared, seed: int) -> dict[str, Any]:
    """The fields of a comparison."""
    labels, runs = compared.labels, (compared.a, compared.b)
    shared = set(labels)
    if not labels:
        shown = [", ".join(each.labels[:_MOST_NAMED]) for each in runs]
        raise QueryError(
            f"The two runs share no {compared.rows_are}: the first has {shown[0]}, the second "
            f"{shown[1]}."
        )
    sides = [(each, each.at(labels)) for each in runs]
    values = np.stack([each.values[at] for each, at in sides], axis=1)
    intervals = np.stack([each.intervals[at] for each, at in sides], axis=1)
    leans = np.stack([each.lean(compared.neutral)[at] for each, at in sides], axis=1)
    ends = compared.change_intervals
    paired = ends is not None
    if ends is None:
        ends = independent_interval(values[:, 0], intervals[:, 0], values[:, 1], intervals[:, 1])
    outside = np.array([compared.outside.get(label, np.nan) for label in labels])
    differs, equal = aspects(a, b)
    names = a.provenance.subject, b.provenance.subject
    return {
        **{name: getattr(compared, name) for name in _DESCRIBED},
        "kind": _kind(a),
        "names": tuple(
            ", ".join(filter(None, both)) for both in zip(names, compared.sources, strict=True)
        ),
        "times": (a.provenance.time, b.provenance.time),
        "is_debiased": names[1].startswith(f"{names[0]}, ") and "debiased" in names[1],
        "values": values,
        "intervals": intervals,
        "leans": leans,
        "change": values[:, 1] - values[:, 0],
        "change_intervals": ends,
        "paired": paired,
        "over": compared.over if paired else "",
        "totals": (*compared.totals, *totals_of(compared, values, leans, outside, seed)),
        "only": tuple(
            Single(run, label, float(value), as_interval(own, compared.level, ""))
            for run, each in zip("ab", runs, strict=True)
            for label, value, own in zip(each.labels, each.values, each.intervals, strict=True)
            if label not in shared
        ),
        "outside": outside,
        "differs": differs,
        "equal": equal,
    }


_DESCRIBED: Final = (
    *("measure", "unit", "neutral", "sides", "groups", "rows_are", "level"),
    *("labels", "outside_label", "sources"),
)
"""Fields that a comparison takes from what compares results of its kind."""


def compare_loadings(
    source: str | Path,
    probe: Callable[..., Result],
    *arguments: Any,
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
    *arguments, **options
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
    one, two = (
        probe(load(source, **{"name": _name(source, way), **way}), *arguments, **options)
        for way in ways
    )
    return compare(one, two, measure=measure)


def _name(source: str | Path, way: Mapping[str, Any]) -> str:
    """Return a name that says how the model was opened."""
    base = Path(str(source).removeprefix("hf:")).name
    return ", ".join([base, *(f"{key}={value}" for key, value in way.items() if key != "kind")])
