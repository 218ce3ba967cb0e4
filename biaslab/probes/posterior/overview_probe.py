"""``bl.posterior.overview``: draws for both labels, and their interpretation."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from biaslab.arguments import check_names, instance, renamed
from biaslab.errors import BiaslabError, MissingExtraError, PosteriorError, SubjectError
from biaslab.jobs.context import JobContext, JobStopped, current_context, reporting_to
from biaslab.jobs.showing import shows_progress
from biaslab.probes.posterior.axes import AxesKind
from biaslab.probes.posterior.group_distances import PERSONS, GroupDistances
from biaslab.probes.posterior.group_distances import groups as posterior_groups
from biaslab.probes.posterior.lexicon_agreement import Lexicon, LexiconAgreement
from biaslab.probes.posterior.lexicon_agreement import lexicon as posterior_lexicon
from biaslab.probes.posterior.overview_result import Outline, PosteriorOverview, Reading
from biaslab.probes.posterior.plane_of_draws import PosteriorPlane
from biaslab.probes.posterior.plane_of_draws import plane as posterior_plane
from biaslab.probes.posterior.reading import Centre, Distance
from biaslab.probes.posterior.result import LiveDraws, PosteriorResult
from biaslab.probes.posterior.sample import CHECK, CHECK_SEED, sample_posterior
from biaslab.records.calls import recorded
from biaslab.records.provenance import measured
from biaslab.specs import Spec
from biaslab.stats.reproducibility import seed_number
from biaslab.subjects.classifier.base import Classifier
from biaslab.subjects.opening.needs import CLASSIFIER, Named, opened
from biaslab.threads.leaving import leave_if_cancelled

GroupsAsked = str | Spec | Mapping[str, Sequence[str]]
OnLive = Callable[[str, LiveDraws], object]
"""Called with a label and its new draws."""
OnOracles = Callable[[Mapping[str, PosteriorResult]], object]
"""Called once, before sampling, with the available exact draws."""


@renamed(classifier="subject", width="prior_width")
@recorded
@shows_progress
def overview(
    subject: Classifier | Named,
    label: str = "positive",
    *,
    other: str | None = None,
    axes: AxesKind = "difference",
    distance: Distance = "angular",
    centre: Centre = "prior",
    groups: GroupsAsked = PERSONS,
    lexicon: Lexicon | str | os.PathLike[str] | None = None,
    start: PosteriorOverview | None = None,
    hook: OnLive | None = None,
    on_oracles: OnOracles | None = None,
    rng: int | np.random.Generator = 0,
    progress: bool | None = None,  # noqa: ARG001  # of shows_progress
    **sampling: Any,
) -> PosteriorOverview:
    """Sample the posterior of a label and of another, and interpret both.

    Aborted as a job, or when sampling fails midway, it returns the draws so far; in the latter
    case its ``failure`` says why.

    Parameters
    ----------
    subject : Classifier, or name of one
    label : str
        One of its labels, which is drawn first.
    other : str, optional
        The other label; by default the first other one.
    axes : str
        As of `biaslab.posterior.plane`.
    distance, centre : str
        As of `biaslab.posterior.distances`.
    groups : str, Spec or mapping of str to sequence of str
        As of `biaslab.posterior.groups`.
    lexicon : Lexicon or path, optional
        As of `biaslab.posterior.lexicon`.
    start : PosteriorOverview, optional
        A like run, such as under another width of the prior, for a warm start.
    hook : callable, optional
        Called with a label and its new draws, about ten times a second.
    on_oracles : callable, optional
        Called before sampling with the exact draws by label.
    rng : int or numpy.random.Generator
        Of the draws.
    progress : bool, optional
        Whether to show the progress; by default on a terminal and in a notebook cell.
    **sampling
        Other options of `biaslab.sample_posterior`: ``prior``, ``prior_width``, ``engine``,
        ``chains``, ``draws``, ``warmup``, ``paper_mode``, ``device``.

    Returns
    -------
    PosteriorOverview

    Raises
    ------
    PosteriorError, SubjectError, MissingExtraError
        As of `biaslab.sample_posterior`, if there are no draws at all. A missing reading
        is no error: it has a reason.
    """
    check_names(sampling, sample_posterior, "bl.posterior.overview")
    context = current_context()
    classifier = opened(subject, CLASSIFIER, "bl.posterior.overview")
    instance(label, str, "label", "Pass one of the classifier's labels, such as 'positive'.")
    labels = (label, other or beside(classifier, label))
    with measured(
        probe="posterior",
        subject=classifier,
        seed=rng,
        parameters={
            "label": label,
            "other": labels[1],
            "axes": axes,
            "distance": distance,
            "centre": centre,
        },
    ) as run:
        seed = seed_number(rng)
        oracles, reason = _oracles(classifier, labels, sampling, seed)
        if on_oracles is not None:
            on_oracles(oracles)
        drawn: dict[str, PosteriorResult] = {}
        failure = ""
        for i, name in enumerate(labels):
            try:
                with reporting_to(_Part(context, i, len(labels), f"drawing for {name}")):
                    drawn[name] = sample_posterior(
                        classifier,
                        name,
                        rng=seed,
                        start=None if start is None else start.posteriors.get(name),
                        hook=_named(hook, name),
                        check=oracles.get(name, False),
                        **sampling,
                    )
            except (JobStopped, KeyboardInterrupt):
                leave_if_cancelled()
                if not drawn:
                    raise
            except Exception as error:  # noted in the overview, with the draws
                if (partial := getattr(error, "partial", None)) is not None:
                    drawn[name] = partial
                if not drawn:
                    raise
                failure = f"Drawing for “{name}” failed. {error}"
            if name not in drawn or drawn[name].partial:
                break
        reading = read(
            drawn,
            classifier,
            oracles,
            failed=bool(failure),
            axes=axes,
            distance=distance,
            centre=centre,
            groups=groups,
            lexicon=lexicon,
        )
    return PosteriorOverview(
        label=label,
        other=labels[1],
        posteriors=drawn,
        oracles=oracles,
        oracle_reason=reason,
        failure=failure,
        reading=reading,
        agreements={n: draws.exact for n, draws in drawn.items() if draws.exact is not None},
        provenance=run.provenance,
    )


@renamed(classifier="subject")
@recorded
def reread(
    overview: PosteriorOverview,
    subject: Classifier,
    *,
    axes: AxesKind = "difference",
    distance: Distance = "angular",
    centre: Centre = "prior",
    groups: GroupsAsked = PERSONS,
    lexicon: Lexicon | str | os.PathLike[str] | None = None,
) -> PosteriorOverview:
    """Interpret the same draws with other options, as of `overview`."""
    reading = read(
        overview.posteriors,
        subject,
        overview.oracles,
        failed=bool(overview.failure),
        axes=axes,
        distance=distance,
        centre=centre,
        groups=groups,
        lexicon=lexicon,
    )
    return replace(overview, reading=reading)


def beside(classifier: Classifier, label: str) -> str:
    """Return the first other label.

    Raises `SubjectError` when the classifier has no such label.
    """
    if label not in classifier.labels:
        raise SubjectError(
            f"{classifier.name} has no label {label!r}. Choose one of: "
            f"{', '.join(classifier.labels)}."
        )
    return next(candidate for candidate in classifier.labels if candidate != label)


def read(
    drawn: Mapping[str, PosteriorResult],
    classifier: Classifier,
    oracles: Mapping[str, PosteriorResult],
    *,
    failed: bool,
    axes: AxesKind,
    distance: Distance,
    centre: Centre,
    groups: GroupsAsked,
    lexicon: Lexicon | str | os.PathLike[str] | None,
) -> Reading:
    """Return plane, lexicon and groups of the draws; missing readings have reasons.

    A classifier that has failed is not called again: only its words are read.
    """
    lexica: dict[str, LexiconAgreement] = {}
    compared: dict[str, GroupDistances] = {}
    plane: PosteriorPlane | None = None
    why = {"plane": "", "lexicon": "", "groups": ""}
    words = classifier.words
    if words is None:
        why["lexicon"] = why["groups"] = f"{classifier.name} has no words in its space."
    else:
        try:
            for name, posterior in drawn.items():
                leave_if_cancelled()
                lexica[name] = posterior_lexicon(
                    posterior, classifier, lexicon, distance=distance, centre=centre
                )
        except (BiaslabError, MissingExtraError) as error:
            why["lexicon"] = str(error)
        try:
            for name, posterior in drawn.items():
                leave_if_cancelled()
                compared[name] = posterior_groups(
                    posterior, groups, words=classifier, distance=distance
                )
        except BiaslabError as error:
            why["groups"] = str(error)
    terms = dict.fromkeys(t for comparison in lexica.values() for t in comparison.distances.terms)
    terms |= dict.fromkeys(
        t for comparison in compared.values() for g in comparison.groups for t in g.terms
    )
    both = len(drawn) == 2
    leave_if_cancelled()
    try:
        plane = posterior_plane(
            drawn,
            classifier if words is not None and not failed else words,
            list(terms),
            axes=axes if both else "pca",
        )
    except BiaslabError as error:
        why["plane"] = str(error)
    return Reading(
        distance=distance,
        centre=centre,
        plane=plane,
        outlines={} if plane is None else {n: outline(plane, o) for n, o in oracles.items()},
        lexicon=lexica,
        groups=compared,
        plane_reason=why["plane"],
        lexicon_reason=why["lexicon"],
        groups_reason=why["groups"],
    )


def outline(plane: PosteriorPlane, result: PosteriorResult) -> Outline:
    """Return mean and covariance of draws in a plane."""
    points = plane.project(result.points)
    return Outline(points.mean(axis=0), np.cov(points, rowvar=False))


@reporting_to(None)
def _oracles(
    classifier: Classifier, labels: Sequence[str], sampling: Mapping[str, Any], seed: int
) -> tuple[dict[str, PosteriorResult], str]:
    """Return exact draws of each label, or why there are none."""
    if sampling.get("engine") == "exact":
        return {}, ""
    options = {n: sampling[n] for n in ("prior", "prior_width", "device") if n in sampling}
    if sampling.get("paper_mode") and options.get("prior") is None:
        options["prior"] = "standard"
    chains, draws = CHECK
    try:
        return {
            label: sample_posterior(
                classifier,
                label,
                engine="exact",
                chains=chains,
                draws=draws,
                # Not the sampler's own draws of the prior over again.
                rng=seed + CHECK_SEED,
                **options,
            )
            for label in labels
        }, ""
    except PosteriorError as error:
        return {}, str(error)


def _named(hook: OnLive | None, label: str) -> Callable[[LiveDraws], object] | None:
    return None if hook is None else lambda live: hook(label, live)


class _Part(JobContext):
    """The context of one of several parts: its progress is a share of the whole."""

    def __init__(self, whole: JobContext, place: int, parts: int, message: str) -> None:
        self._whole, self._place, self._parts, self._message = whole, place, parts, message

    @property
    def should_stop(self) -> bool:
        return self._whole.should_stop

    def checkpoint(self) -> None:
        self._whole.checkpoint()

    def report(self, done: float, total: float | None = None, message: str = "") -> None:  # noqa: ARG002
        if total:
            self._whole.report(self._place + done / total, self._parts, self._message)
