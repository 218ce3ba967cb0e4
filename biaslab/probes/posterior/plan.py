"""The plan of a posterior's run: settings, checked, with defaults filled in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from biaslab.errors import PosteriorError, SubjectError
from biaslab.probes.posterior.prior import Prior
from biaslab.probes.posterior.result import ENGINES, Engine, PosteriorResult
from biaslab.probes.posterior.size import bytes_of_draws, too_many_draws
from biaslab.probes.posterior.subject import Chooser
from biaslab.subjects.classifier.base import Classifier
from biaslab.subjects.pretrained.memory import free_memory

#: Default chains, draws and warm-up of each engine; warm-up after a warm start.
DEFAULTS: dict[str, tuple[int, int, int, int]] = {
    "vectorised": (64, 1_000, 300, 100),
    "nuts": (4, 1_000, 500, 200),
    "exact": (64, 1_000, 0, 0),
    "choices": (64, 1_000, 500, 200),
}
PAPER = (1, 10_000, 10_000, 10_000)
FEWEST = 4


@dataclass(frozen=True)
class Plan:
    """What a run samples from, how, and how much."""

    prior: Prior
    engine: Engine
    chains: int
    draws: int
    warmup: int
    notes: tuple[str, ...]


def plan_of(
    classifier: Classifier | Chooser,
    prior: Any,
    width: float,
    engine: str | None,
    chains: int | None,
    draws: int | None,
    warmup: int | None,
    paper_mode: bool,
    start: PosteriorResult | None,
) -> Plan:
    """Return the complete plan: requested settings, checked, with defaults filled in."""
    black_box = isinstance(classifier, Chooser)
    named = engine or ("nuts" if paper_mode else "choices" if black_box else "vectorised")
    if named not in ENGINES:
        raise PosteriorError(f"engine={engine!r}: choose one of {', '.join(ENGINES)}.")
    if black_box and named != "choices":
        raise PosteriorError(
            f"{classifier.name} only chooses between stimuli, so it can only be sampled with"
            " engine='choices'."
        )
    notes: tuple[str, ...] = ()
    if prior is None:
        known = classifier.stimuli is not None and not paper_mode
        prior = "stimuli" if known else "standard"
        if not known and not paper_mode:
            notes = ("The classifier does not know its training stimuli, so the prior is N(0, I).",)
    widened = _prior(classifier, prior).widened(width)
    if widened.dim != classifier.dim:
        raise PosteriorError(
            f"The prior has {widened.dim} dimensions, {classifier.name} has {classifier.dim}."
        )
    if start is not None and start.dim != classifier.dim:
        raise PosteriorError(
            f"start has {start.dim} dimensions, {classifier.name} has {classifier.dim}: start from"
            " a result of this classifier."
        )
    usual = PAPER if paper_mode and named == "nuts" else DEFAULTS[named]
    chains = usual[0] if chains is None else chains
    draws = usual[1] if draws is None else draws
    warmup = usual[2 if start is None else 3] if warmup is None else warmup
    if named == "exact" and warmup:
        raise PosteriorError("engine='exact' has no warm-up: leave out warmup.")
    fewest = 1 if named == "nuts" else 2
    if chains < fewest or draws < FEWEST or warmup < 0:
        raise PosteriorError(
            f"chains={chains}, draws={draws}, warmup={warmup}: at least {fewest} chains"
            f" (convergence is judged by their agreement), {FEWEST} draws each, and no negative"
            " warm-up."
        )
    if bytes_of_draws(chains, draws, classifier.dim) > (free := free_memory("cpu")):
        raise PosteriorError(too_many_draws(chains, draws, classifier.dim, free))
    return Plan(widened, named, chains, draws, warmup, notes)  # type: ignore[arg-type]


def label_of(classifier: Classifier | Chooser, label: str) -> str:
    """Return the label as the classifier spells it."""
    if isinstance(classifier, Chooser):
        if label != classifier.label:
            raise SubjectError(
                f"{classifier.name} has no label {label!r}. Its label is {classifier.label!r}."
            )
        return label
    return classifier.labels[classifier.label_index(label)]


def _prior(classifier: Classifier | Chooser, prior: Any) -> Prior:
    if isinstance(prior, Prior):
        return prior
    if isinstance(prior, str):
        if prior == "standard":
            return Prior.standard(classifier.dim)
        if prior == "stimuli":
            return Prior.of_stimuli(classifier)  # type: ignore[arg-type]
        if prior == "words":
            return Prior.of_words(classifier)  # type: ignore[arg-type]
    elif hasattr(prior, "log_prob") and hasattr(prior, "event_shape"):
        return Prior.pyro(prior)
    raise PosteriorError(
        f"prior={prior!r}: choose 'stimuli', 'standard' or 'words', or pass a Prior or a Pyro"
        " distribution."
    )


def moved(classifier: Classifier, device: str) -> Classifier:
    """Return the classifier on a device."""
    if str(classifier.device) == device:
        return classifier
    to = getattr(classifier, "to", None)
    if to is None:
        raise PosteriorError(
            f"{classifier.name} is on {classifier.device} and cannot be moved. Load it with"
            f" device={device!r}."
        )
    moved: Classifier = to(device)
    return moved
