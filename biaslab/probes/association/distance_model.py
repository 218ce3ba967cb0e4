"""``bl.distance_model``: Bayesian models of distances, with WEAT and MAC."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from biaslab.arguments import check_names
from biaslab.errors import QueryError
from biaslab.jobs.context import JobContext, current_context
from biaslab.jobs.showing import shows_progress
from biaslab.probes.association.distance_model_result import DistanceModelResult
from biaslab.probes.association.distance_parameters import (
    MODELS,
    Contrast,
    DrawnSpreads,
    Model,
    Priors,
    connection_contrasts,
    contrast_draws,
    contrasts,
)
from biaslab.probes.association.distances import DistanceTable, distances
from biaslab.probes.association.exact_engine import ConnectionFit, Fit, fit, fit_connections
from biaslab.probes.association.lists import SpecSource, Words
from biaslab.records.calls import recorded
from biaslab.records.provenance import measured
from biaslab.stats.crossed.layout import Moments
from biaslab.stats.reproducibility import seed_number
from biaslab.stats.significance import check_level
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.opening.needs import WORD_VECTORS, Named, opened

Floats = NDArray[np.float64]
Engine = Literal["exact", "nuts"]
FEWEST_DRAWS = 200
_F = TypeVar("_F", Fit, ConnectionFit)
_KINDS = ("stereotypes", "human words", "neutral words")


@recorded
@shows_progress
def distance_model(
    subject: EmbeddingSubject | DistanceTable | Named,
    spec: SpecSource | None = None,
    *,
    groups: Sequence[str] | None = None,
    targets: Words | None = None,
    attributes: Words | Sequence[str] | None = None,
    attribute_groups: Words | None = None,
    controls: Words | None = None,
    model: Model = "crossed",
    priors: Priors | None = None,
    engine: Engine = "exact",
    draws: int = 2000,
    level: float = 0.89,
    replicates: int | None = None,
    rng: int | np.random.Generator = 0,
    progress: bool | None = None,  # noqa: ARG001  # of shows_progress
) -> DistanceModelResult:
    """Fit a model to every distance between protected words and attribute words.

    Parameters
    ----------
    subject : EmbeddingSubject, name of one, or DistanceTable
        The embedding to probe, or distances measured before.
    spec : Spec, AssociationLists, name or path of a spec
        Not with a table.
    groups, targets, attributes, attribute_groups, controls
        As of `biaslab.association.distances`; not with a table.
    model : str
        ``crossed`` (default): protected words and attribute words at random, connection effects
        vary over both, and stereotypes, human and neutral words have SDs of their own.
        ``crossed-equal``: the same with one SD for all kinds of words. ``pooled``: the manuscript's
        μ = m + co, which takes distances as independent. ``per-word``: its separate coefficients
        for every protected word.
    priors : Priors, optional
    engine : str
        ``exact``: independent draws, conjugate given the spreads, in milliseconds; ``nuts``:
        Pyro's sampler, in minutes, with diagnostics.
    draws : int
        In all; over B replicates a B-th of them from each.
    level : float
        Of the highest posterior density intervals.
    replicates : int, optional
        How many of the subject's replicates; by default all.
    rng : int or numpy.random.Generator
        Of the draws.
    progress : bool, optional
        Whether to show the progress; by default on a terminal and in a notebook cell.

    Returns
    -------
    DistanceModelResult

    Raises
    ------
    QueryError
        When fewer than two connection types have distances, or the distances do not vary.
    MissingExtraError
        When ``nuts`` is requested and Pyro is not installed.
    ValueError
        When an option is out of range.

    References
    ----------
    The manuscript is "A Bayesian method of cosine-based word2vec bias estimation", which names no
    authors.
    """
    if not isinstance(subject, DistanceTable):
        subject = opened(subject, WORD_VECTORS, "bl.distance_model")
    context = current_context()
    priors = priors or Priors()
    if model not in MODELS:
        raise ValueError(f"model is {model!r}; choose one of {', '.join(MODELS)}.")
    if engine not in ("exact", "nuts"):
        raise ValueError(f"engine is {engine!r}; choose 'exact' or 'nuts'.")
    check_level(level, usual=0.89)
    if draws < FEWEST_DRAWS:
        raise ValueError(f"draws is {draws}; an interval's ends need {FEWEST_DRAWS} or more.")
    parameters = {
        "model": model,
        "engine": engine,
        "draws": draws,
        "level": level,
        "replicates": replicates,
        "priors": priors,
    }
    with measured(
        probe="distance_model",
        subject=subject.source if isinstance(subject, DistanceTable) else subject,
        seed=rng,
        parameters=parameters,
    ) as run:
        lists = {
            "groups": groups, "targets": targets, "attributes": attributes,
            "attribute_groups": attribute_groups, "controls": controls,
        }  # fmt: skip
        table = _table(subject, spec, replicates, lists)
        seed = seed_number(rng)
        setting = _Setting(table, model, priors, draws, level, seed)
        setting.check()
        if engine == "exact":
            drawn = setting.exact(context)
        else:
            from biaslab.probes.association.nuts_engine import run as run_nuts

            drawn = setting.gather(run_nuts(table, model, priors, setting.shares(), seed, context))
        beside = {name: setting.beside(name, drawn) for name in ("pooled", "crossed")}
    provenance = run.provenance
    if table.subject_hash or table.spec_hash:
        from dataclasses import replace

        provenance = replace(provenance, subject_hash=table.subject_hash, spec_hash=table.spec_hash)
    return DistanceModelResult(
        table=table,
        model=model,
        engine=engine,
        priors=priors,
        level=level,
        draws=drawn.arrays,
        spread_names=DrawnSpreads.of(model, table.layout.counts).names,
        contrasts=drawn.contrasts,
        by_replicate=drawn.by_replicate,
        beside=beside,
        diagnostics=drawn.diagnostics,
        dropped=table.dropped,
        provenance=provenance,
    )


@dataclass(frozen=True, eq=False)
class _Draws:
    arrays: dict[str, NDArray[Any]]
    contrasts: tuple[Contrast, ...]
    by_replicate: Floats
    diagnostics: dict[str, float]
    draws_of_contrasts: Floats


@dataclass(frozen=True, eq=False)
class _Setting:
    """Settings of a model of a table."""

    table: DistanceTable
    model: Model
    priors: Priors
    draws: int
    level: float
    seed: int

    def check(self) -> None:
        """Refuse a table that no model can be fitted to.

        Raises `QueryError`.
        """
        table = self.table
        types = table.connections
        if len(types) < 2:
            raise QueryError(
                f"All distances have the connection type {types[0] if types else '(none)'!r}, so "
                "there is nothing to compare. Say which group each attribute list is the "
                "stereotype of, with attribute_groups={list: [group]}, or add control words.",
                dropped=table.dropped,
            )
        if len(table.attributes) < 2:
            raise QueryError(
                "There is only one attribute word. Give two or more: one word says nothing about"
                " others.",
                dropped=table.dropped,
            )
        for b, moments in enumerate(self.moments):
            squares, free = moments.within_cells(table.layout)
            same = (free > 0) & (squares <= 1e-18 * moments.n)
            if not free.any():  # every cell has one distance: only cells vary
                same[:] = moments.sd**2 <= 1e-18
            if same.any():
                where = f" in replicate {b}" if table.n_replicates > 1 else ""
                kinds = " and ".join(_KINDS[k] for k in np.flatnonzero(same))
                raise QueryError(
                    f"The distances to {kinds} do not vary{where}: σ would be 0. Check that the "
                    "vectors differ.",
                    dropped=table.dropped,
                )

    @cached_property
    def moments(self) -> tuple[Moments, ...]:
        """Moments of each replicate's distances less their prior mean."""
        layout, mean = self.table.layout, self.priors.word_mean
        return tuple(Moments.of(layout, distance - mean) for distance in self.table.distance)

    def shares(self) -> list[int]:
        """Return the number of draws from each replicate; the sum is at least `draws`."""
        b = self.table.n_replicates
        return [max(-(-self.draws // b), 2)] * b

    @property
    def kind(self) -> str:
        many = self.table.n_replicates > 1
        return "posterior over words and replicates" if many else "posterior"

    def fits(self, fit: Callable[..., _F], model: Model, context: JobContext) -> list[_F]:
        """Fit each replicate with `fit` or `fit_connections`, starting where the last one ended."""
        layout = self.table.layout
        fits: list[_F] = []
        for b, n in enumerate(self.shares()):
            context.checkpoint()
            # A separate seed per model makes each model's draws independent of the others.
            seed = (self.seed, MODELS.index(model), b)
            start = fits[-1].mode if fits else None
            fits.append(fit(layout, self.moments[b], model, self.priors, n, seed, start=start))
            context.report(b + 1, self.table.n_replicates, f"{model} model, replicates")
        return fits

    def exact(self, context: JobContext) -> _Draws:
        fits = self.fits(fit, self.model, context)
        # Every replicate has the same share of the draws (Kish's effective number).
        effective = len(fits) ** 2 / sum(1 / f.effective for f in fits)
        return self.gather((fits, {"effective grid points": effective}))

    def gather(self, run: tuple[list[Fit], dict[str, float]]) -> _Draws:
        """Combine draws of all replicates and their contrasts."""
        fits, diagnostics = run
        types = self.table.connections
        per = [contrast_draws(f.draws, self.model, types) for f in fits]
        drawn = np.concatenate(per)
        counts = [len(f.spreads) for f in fits]
        arrays: dict[str, NDArray[Any]] = {
            "cells": _together([f.draws.cells for f in fits]),
            "connection": _together([f.draws.connection for f in fits]),
            "word": _together([f.draws.word for f in fits]),
            "spreads": _together([f.spreads for f in fits]),
            "replicate": np.repeat(np.arange(len(fits), dtype=np.int32), counts),
        }
        for array in arrays.values():
            array.flags.writeable = False
        return _Draws(
            arrays,
            contrasts(drawn, types, self.level, self.kind),
            np.array([p.mean(axis=0) for p in per]),
            diagnostics,
            drawn,
        )

    def beside(self, model: Model, drawn: _Draws) -> tuple[Contrast, ...]:
        """Return the contrasts of another model on the same distances."""
        if model == self.model:
            return drawn.contrasts
        types = self.table.connections
        # The same draws as where this model is the one that is asked for.
        fits = self.fits(fit_connections, model, JobContext())
        every = np.concatenate([connection_contrasts(f.connection, types) for f in fits])
        return contrasts(every, types, self.level, self.kind)


def _together(parts: list[Floats]) -> NDArray[np.float32]:
    """Concatenate arrays of all replicates, in single precision."""
    return np.concatenate(parts, dtype=np.float32, casting="same_kind")


def _table(
    subject: EmbeddingSubject | DistanceTable,
    spec: SpecSource | None,
    replicates: int | None,
    lists: dict[str, Any],
) -> DistanceTable:
    if isinstance(subject, DistanceTable):
        if spec is not None or any(each is not None for each in lists.values()):
            raise TypeError("A table already has its lists: leave out the spec.")
        return subject.first(replicates)
    return distances(subject, spec, replicates=replicates, **lists)


def compare_models(
    subject: EmbeddingSubject | DistanceTable | Named,
    spec: SpecSource | None = None,
    *,
    models: Sequence[Model] = MODELS,
    replicates: int | None = None,
    rng: int | np.random.Generator = 0,
    **options: Any,
) -> dict[str, DistanceModelResult]:
    """Fit several models to the same distances; return results by name.

    Parameters
    ----------
    subject, spec, replicates, rng
        As of `distance_model`.
    models : sequence of str
    **options
        Other options of `distance_model`; word lists too.

    Returns
    -------
    dict of str to DistanceModelResult
    """
    check_names(options, distance_model, "bl.association.compare_models")
    if not isinstance(subject, DistanceTable):
        subject = opened(subject, WORD_VECTORS, "bl.association.compare_models")
    named = ("groups", "targets", "attributes", "attribute_groups", "controls")
    lists = {name: options.pop(name) for name in named if name in options}
    table = _table(subject, spec, replicates, lists)
    seed = seed_number(rng)
    return {model: distance_model(table, model=model, rng=seed, **options) for model in models}
