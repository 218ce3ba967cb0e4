"""``bl.sample_posterior``: sample the posterior of a classifier's label, or of a word.

After Liang and Acuna (2020), eq. 7.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from biaslab.arguments import check_choice, instance, renamed
from biaslab.errors import MissingExtraError, PosteriorError
from biaslab.jobs.context import current_context, reporting_to
from biaslab.jobs.showing import shows_progress
from biaslab.probes.posterior.plan import FEWEST, label_of, moved, plan_of
from biaslab.probes.posterior.portraits.options import Portraits
from biaslab.probes.posterior.portraits.result import PortraitPosterior
from biaslab.probes.posterior.portraits.run import sample_portraits
from biaslab.probes.posterior.prior import Prior
from biaslab.probes.posterior.result import Engine, Hook, PosteriorResult, agreement
from biaslab.probes.posterior.run import Run
from biaslab.probes.posterior.subject import Chooser, fitting_threads
from biaslab.records.calls import recorded
from biaslab.records.provenance import measured
from biaslab.stats.reproducibility import seed_number
from biaslab.subjects.classifier.base import Classifier
from biaslab.subjects.opening.needs import CLASSIFIER, Named, opened

if TYPE_CHECKING:
    from biaslab.subjects.vision_language.model import VisionLanguageModel

CHECK = (8, 500)
"""Chains (of independent draws, for the form's sake) and draws of the exact sampler beside."""
CHECK_SEED = 1_000_003
_CHECK_TRIED = 200_000  # prior draws that a comparison may take
SPACES = ("vectors", "portraits")


@overload
def sample_posterior(
    subject: Classifier | Chooser | Named,
    label: str = "positive",
    *,
    space: Literal["vectors"] = "vectors",
    prior: str | Prior | Any = None,
    prior_width: float = 1.0,
    engine: Engine | None = None,
    chains: int | None = None,
    draws: int | None = None,
    warmup: int | None = None,
    paper_mode: bool = False,
    start: PosteriorResult | None = None,
    hook: Hook | None = None,
    check: bool | PosteriorResult = True,
    device: str | None = None,
    rng: int | np.random.Generator = 0,
    progress: bool | None = None,
) -> PosteriorResult: ...
@overload
def sample_posterior(
    subject: VisionLanguageModel | Named | Any,
    label: str,
    *,
    space: Literal["portraits"] | Portraits,
    chains: int | None = None,
    draws: int | None = None,
    warmup: int | None = None,
    check: bool = True,
    rng: int | np.random.Generator = 0,
    progress: bool | None = None,
) -> PortraitPosterior: ...
@renamed(classifier="subject", width="prior_width")
@recorded
@shows_progress
def sample_posterior(
    subject: Classifier | Chooser | VisionLanguageModel | Named | Any,
    label: str = "positive",
    *,
    space: Literal["vectors", "portraits"] | Portraits = "vectors",
    prior: str | Prior | Any = None,
    prior_width: float = 1.0,
    engine: Engine | None = None,
    chains: int | None = None,
    draws: int | None = None,
    warmup: int | None = None,
    paper_mode: bool = False,
    start: PosteriorResult | None = None,
    hook: Hook | None = None,
    check: bool | PosteriorResult = True,
    device: str | None = None,
    rng: int | np.random.Generator = 0,
    progress: bool | None = None,  # noqa: ARG001  # of shows_progress
) -> PosteriorResult | PortraitPosterior:
    """Draw stimuli from p(s | label) ∝ p(label | s) p(s), or portraits from p(portrait | word).

    Stopped from the keyboard (Ctrl-C, a notebook's stop button) or aborted as a job, it returns the
    draws so far, as a result that is ``partial``.

    Parameters
    ----------
    subject : Classifier, VisionLanguageModel, name of one, or Chooser
        A `Chooser` with ``engine="choices"`` only; a vision-language model with
        ``space="portraits"``.
    label : str
        One of the classifier's labels; of portraits, a word that the model can say of one.
    space : str or Portraits
        ``vectors`` (default): stimuli of a classifier. ``portraits``: drawn portraits, or as
        `biaslab.posterior.Portraits` says: which portraits, and how the model is asked.
    prior : str, Prior or Pyro distribution
        ``stimuli``: normal, fitted to the stimuli that the classifier was trained on; the default
        if these are known. ``standard``: N(0, I), the default otherwise. ``words``: normal,
        fitted to word vectors. Or a `Prior`, or a Pyro distribution over vectors.
    prior_width : float
        Multiplies the prior's standard deviations.
    engine : str
        ``vectorised`` (default): Hamiltonian Monte Carlo on all chains at once. ``nuts``: Pyro's
        own. ``exact``: independent draws, if the label is frequent enough under the prior.
        ``choices``: the classifier only chooses which of two stimuli fits the label better.
    chains : int
        By default 64; 4 of ``nuts``, which makes them one after the other; 8 of portraits.
    draws, warmup : int
        Per chain; by default 1,000 after a warm-up of 300, 100 after a warm start (``nuts`` and
        ``choices`` 500, 200; portraits 1,800 after 100). ``exact`` has no warm-up.
    paper_mode : bool
        The settings of Liang and Acuna (2020), section 4.3: one chain of NUTS, 10,000 draws after
        10,000, here under N(0, I), as the paper states no prior. Arguments given besides take
        precedence.
    start : PosteriorResult, optional
        A result of a like posterior, such as under another width: chains begin at its draws (of
        four chains or more), with its step size and reference, and warm up briefly.
    hook : callable, optional
        Called about ten times a second with the new draws, as `LiveDraws`, in this thread.
    check : bool or PosteriorResult
        Whether to compare the chains' means with exact draws, where the prior meets the label often
        enough (by default it does); or the exact draws themselves, a result of ``exact``. Of
        portraits, whether to compare them with 3,000 weighted portraits of the prior.
    device : str, optional
        A torch device; by default that of the classifier.
    rng : int or numpy.random.Generator
        Of the draws.
    progress : bool, optional
        Whether to show the progress; by default on a terminal and in a notebook cell.

    Returns
    -------
    PosteriorResult or PortraitPosterior

    Raises
    ------
    PosteriorError
        When it cannot be sampled as requested: names the remedy. When sampling fails
        midway, ``error.partial`` (and the job's ``partial``) has the draws so far.
    SubjectError
        When the classifier has no such label.
    QueryError
        When the model cannot be asked about a word, or has none to compare it with.
    MissingExtraError
        When torch or Pyro is not installed.
    """
    if not isinstance(space, Portraits):
        check_choice(space, SPACES, "space")
    if space != "vectors":
        _refuse_idle(
            prior=prior, engine=engine, start=start, hook=hook, device=device,
            paper_mode=paper_mode or None, prior_width=None if prior_width == 1 else prior_width,
        )  # fmt: skip
        check = instance(check, bool, "check", "Pass True or False.")
        chosen = space if isinstance(space, Portraits) else Portraits()
        return sample_portraits(
            subject, label, chosen, chains=chains, draws=draws, warmup=warmup, check=check, rng=rng
        )
    _require_pyro()
    classifier: Any = subject
    if not isinstance(subject, Chooser):
        classifier = opened(subject, CLASSIFIER, "bl.sample_posterior")
    instance(label, str, "label", "Pass one of the classifier's labels, such as 'positive'.")
    label = label_of(classifier, label)
    plan = plan_of(classifier, prior, prior_width, engine, chains, draws, warmup, paper_mode, start)
    context = current_context()
    context.checkpoint()
    parameters = {
        "label": label,
        "prior": plan.prior.described,
        "engine": plan.engine,
        "chains": plan.chains,
        "draws": plan.draws,
        "warmup": plan.warmup,
        "paper_mode": paper_mode,
        "warm_start": start is not None,
    }
    if isinstance(classifier, Classifier) and device is not None:
        classifier = moved(classifier, device)
    begun = measured(probe="sample_posterior", subject=classifier, parameters=parameters, seed=rng)
    with fitting_threads(classifier), begun as run:
        seed = seed_number(rng)
        result = Run(classifier, label, plan, start, hook, seed, context).result(run)
    if plan.engine == "exact" or not isinstance(classifier, Classifier):
        return result
    return _compared(result, classifier, check, seed)


def _refuse_idle(**settings: object) -> None:
    """Refuse arguments that do nothing with portraits."""
    if given := [name for name, value in settings.items() if value is not None]:
        raise PosteriorError(
            f"{given[0]}= does nothing with portraits: leave it out, or sample with"
            " space='vectors'."
        )


def _compared(
    result: PosteriorResult, classifier: Classifier, check: bool | PosteriorResult, seed: int
) -> PosteriorResult:
    """Return the result with its agreement with exact draws, or why it has none."""
    if check is False:
        return result
    if check is True:
        if result.partial:
            return replace(result, exact_reason="The run was stopped.")
        try:
            check = _exact_draws(result, classifier, seed)
        except Exception as error:  # noqa: BLE001  # the draws are kept, with the reason
            return replace(result, exact_reason=str(error))
        except KeyboardInterrupt:
            return replace(result, exact_reason="The run was stopped.")
    return replace(result, exact=agreement(result, check))


@reporting_to(None)
def _exact_draws(result: PosteriorResult, classifier: Classifier, seed: int) -> PosteriorResult:
    """Return exact draws of the same posterior, fewer if the label is rare."""
    chains, most = CHECK
    kept = math.exp(result.log_evidence) if math.isfinite(result.log_evidence) else 1.0
    draws = min(max(int(kept * _CHECK_TRIED / chains), FEWEST), most)
    # Another seed: the prior's draws would otherwise be those that the chains began at.
    return sample_posterior(
        classifier,
        result.label,
        prior=result.prior,
        engine="exact",
        chains=chains,
        draws=draws,
        rng=seed + CHECK_SEED,
    )


@renamed(classifier="subject")
@reporting_to(None)
def prepare(subject: Classifier | None = None) -> None:
    """Import and try the sampler's dependencies, so that the first run begins at once.

    A bench calls it in the background when it opens; torch and Pyro take seconds to import.

    Parameters
    ----------
    subject : Classifier, optional
        Also makes a run of some steps of it.
    """
    _require_pyro()
    importlib.import_module("biaslab.probes.posterior.kernels")
    importlib.import_module("biaslab.probes.posterior.kernels")
    if subject is not None:
        sample_posterior(
            subject, subject.labels[0], prior="standard", chains=2, draws=4, warmup=4, check=False
        )


def _require_pyro() -> None:
    for package in ("torch", "pyro"):
        if importlib.util.find_spec(package) is None:
            raise MissingExtraError(
                f"sample_posterior needs {package}: pip install 'biaslab[bayes]'."
            )
