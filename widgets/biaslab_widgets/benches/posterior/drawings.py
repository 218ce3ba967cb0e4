"""Traces and clouds of the posterior bench, which travel apart from its picture."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.posterior.axes import fit_axes
from biaslab.probes.posterior.overview_result import Outline
from biaslab_widgets.benches.posterior import parts as parts
from biaslab_widgets.benches.posterior.fields import Picture, Plane, PosteriorBenchState
from biaslab_widgets.benches.posterior.run import LiveRun, Shown
from biaslab_widgets.core.state.fields import empty

LIVE_POINTS, DRAWN_POINTS = 3_000, 50_000
"""Draws of each label in the plane while a run goes on, and after: a notebook stores these."""
_LIVE_AXES = {"difference": ("mean difference", "at right angles"), "pca": ("PC 1", "PC 2")}

Points = Sequence[tuple[str, NDArray[np.floating]]]


@dataclass(frozen=True)
class Drawings:
    """What is to be drawn, each with a key that changes when it does."""

    run: int
    traces_key: object
    clouds_key: object
    traces: Callable[[], dict[str, Any]]
    clouds: Callable[[], dict[str, Any]] | None


class SentDrawings:
    """Remembers what was sent, so that nothing is sent twice."""

    def __init__(self) -> None:
        self._sent: dict[str, object] = {}
        self._version = 0

    def changed(self, drawings: Drawings) -> dict[str, Any]:
        """Outputs that are new."""
        made: dict[str, Any] = {}
        for name, key, make in (
            ("traces", drawings.traces_key, drawings.traces),
            ("clouds", drawings.clouds_key, drawings.clouds),
        ):
            if make is not None and self._sent.get(name) != key:
                self._sent[name] = key
                self._version += 1
                made[name] = {"run": drawings.run, "version": self._version, **make()}
        return made


def drawings(shown: Shown, picture: Picture, snapshot: PosteriorBenchState) -> Drawings | None:
    """Traces of the label shown, and the clouds of all labels."""
    drawn = shown.drawn
    if drawn is None:
        return None
    names = tuple((q["name"], q["label"]) for q in picture["quantities"])
    run = (shown.number, shown.run is not None)
    # Not the steps of the picture: more may have come since these draws were looked at.
    steps = tuple(one.steps for one in shown.draws.values())
    axes = snapshot.axes
    plane = picture["plane"]

    def traces() -> dict[str, Any]:
        quantities = [parts.trace(drawn, *one) for one in names]
        return {"label": shown.label, "quantities": quantities}

    def clouds() -> dict[str, Any]:
        assert plane is not None  # noqa: S101  # else it is not called
        return {"axes": plane["axes"], "clouds": parts.clouds_of(_points(shown, axes))}

    return Drawings(
        shown.number,
        (run, drawn.steps, shown.label, names),
        (run, steps, axes, shown.version),
        traces,
        clouds if plane is not None else None,
    )


def _points(shown: Shown, axes: str) -> Points:
    """Draws of each label in the plane."""
    if shown.run is None:
        overview = shown.overview
        plane = None if overview is None else overview.reading.plane
        if overview is None or plane is None:
            return []
        clouds = {cloud.label: cloud.points for cloud in plane.clouds}
        points = {
            label: plane.project(_few(result.draws, DRAWN_POINTS))
            for label, result in overview.posteriors.items()
        }
        # What was read off draws that were stored thinned has more of them.
        return [(label, max(some, clouds[label], key=len)) for label, some in points.items()]
    fitted = _provisional(shown, shown.run, axes)
    return [] if fitted is None else _drawn_points(shown, *fitted)


def live_plane(shown: Shown, run: LiveRun, axes: str) -> Plane | None:
    """The plane of the exact draws, until that of the run's own can be had."""
    fitted = _provisional(shown, run, axes)
    if fitted is None:
        return None
    origin, basis = fitted
    points = {name: (one.points - origin) @ basis for name, one in run.oracles.items()}
    every = list(points.values()) or [points for _, points in _drawn_points(shown, origin, basis)]
    outlines = [
        parts.outline(name, Outline(p.mean(axis=0), np.cov(p, rowvar=False)), exact=True)
        for name, p in points.items()
    ]
    return {
        **empty(Plane),
        "axes": "pca" if axes == "pca" else "difference",
        "axis_labels": _LIVE_AXES["pca" if axes == "pca" else "difference"],
        "extent": parts.extent(every),
        "outlines": outlines,
    }


def _drawn_points(shown: Shown, origin: NDArray[Any], basis: NDArray[Any]) -> Points:
    return [(name, (_few(one.points) - origin) @ basis) for name, one in shown.draws.items()]


def _provisional(shown: Shown, run: LiveRun, axes: str) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """Origin and basis of the plane while a run goes on; None before there is anything."""
    draws = [one.draws for one in run.oracles.values()]
    if len(draws) < 2:
        draws = [one.points for one in shown.draws.values() if one.n >= _ENOUGH]
    if not draws:
        return None
    kind = "difference" if axes == "difference" and len(draws) == 2 else "pca"
    key = (kind, len(run.oracles), *(one.shape[1] for one in draws))
    if run.plane is None or run.plane[0] != key:
        fitted = fit_axes(draws, kind)  # type: ignore[arg-type]  # one of the two
        run.plane = (key, fitted.origin, fitted.basis)
    return run.plane[1:]


_ENOUGH = 8
"""Draws of each chain from which axes can be fitted to them."""


def _few(points: NDArray[np.floating], most: int = LIVE_POINTS) -> NDArray[np.floating]:
    """At most so many draws, evenly over chains and time."""
    chains, n, _ = points.shape
    places = np.arange(0, chains * n, max(math.ceil(chains * n / most), 1))
    return np.asarray(points[places % chains, places // chains])
