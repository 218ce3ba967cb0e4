"""``bl.sample_posterior``: sample the posterior of a classifier's label, or of a word.

After Liang and Acuna (2020), eq. 7.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from biaslab.arguments import check_choice, instance, renamed
from biaslab.errors import BiaslabError, MissingExtraError, PosteriorError, SubjectError
from biaslab.jobs.context import JobContext, current_context, reporting_to
from biaslab.jobs.showing import shows_progress
from biaslab.probes.posterior.diagnostics import diagnose
from biaslab.probes.posterior.portraits.options import Portraits
from biaslab.probes.posterior.portraits.result import PortraitPosterior
from biaslab.probes.posterior.portraits.run import sample_portraits
from biaslab.probes.posterior.prior import Prior
from biaslab.probes.posterior.result import ENGINES, Engine, Hook, PosteriorResult, agreement
from biaslab.probes.posterior.size import bytes_of_draws, too_many_draws
from biaslab.probes.posterior.subject import Chooser, fitting_threads
from biaslab.records.calls import recorded
from biaslab.records.provenance import measured
from biaslab.stats.chains import CHAINS
from biaslab.stats.reproducibility import seed_number
from biaslab.stats.threads import sampler_turn
from biaslab.subjects.classifier.base import Classifier
from biaslab.subjects.opening.needs import CLASSIFIER, Named, opened
from biaslab.subjects.pretrained.memory import free_memory
from biaslab.threads.leaving import leave_if_cancelled

if TYPE_CHECKING:
    import torch

    from biaslab.probes.posterior.recorder import Recorder
    from biaslab.subjects.vision_language.model import VisionLanguageModel

#: Default chains, draws and warm-up of each engine; warm-up after a warm start.
DEFAULTS: dict[str, tuple[int, int, int, int]] = {
    "vectorised": (64, 1_000, 300, 100),
    "nuts": (4, 1_000, 500, 200),
    "exact": (64, 1_000, 0, 0),
    "choices": (64, 1_000, 500, 200),
}
PAPER = (1, 10_000, 10_000, 10_000)
FEWEST = 4
CHECK = (8, 500)
"""Chains (of independent draws, for the form's sake) and draws of the exact sampler beside."""
CHECK_SEED = 1_000_003
_CHECK_TRIED = 200_000  # prior draws that a comparison may take
SPACES = ("vectors", "portraits")
_TRIED = 512  # prior draws in a trial before sampling
_EVIDENCE = 20_000  # prior draws behind the evidence


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
    label = _label(classifier, label)
    plan = _plan(classifier, prior, prior_width, engine, chains, draws, warmup, paper_mode, start)
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
        classifier = _moved(classifier, device)
    begun = measured(probe="sample_posterior", subject=classifier, parameters=parameters, seed=rng)
    with fitting_threads(classifier), begun as run:
        seed = seed_number(rng)
        result = _Run(classifier, label, plan, start, hook, seed, context).result(run)
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


@dataclass(frozen=True)
class _Plan:
    prior: Prior
    engine: Engine
    chains: int
    draws: int
    warmup: int
    notes: tuple[str, ...]


def _require_pyro() -> None:
    for package in ("torch", "pyro"):
        if importlib.util.find_spec(package) is None:
            raise MissingExtraError(
                f"sample_posterior needs {package}: pip install 'biaslab[bayes]'."
            )


def _plan(
    classifier: Classifier | Chooser,
    prior: Any,
    width: float,
    engine: str | None,
    chains: int | None,
    draws: int | None,
    warmup: int | None,
    paper_mode: bool,
    start: PosteriorResult | None,
) -> _Plan:
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
    return _Plan(widened, named, chains, draws, warmup, notes)  # type: ignore[arg-type]


def _label(classifier: Classifier | Chooser, label: str) -> str:
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


def _moved(classifier: Classifier, device: str) -> Classifier:
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


class _Run:
    """One run of a sampler: created, run, and turned into a result after any end."""

    def __init__(
        self,
        classifier: Classifier | Chooser,
        label: str,
        plan: _Plan,
        start: PosteriorResult | None,
        hook: Hook | None,
        seed: int,
        context: JobContext,
    ) -> None:
        import torch

        from biaslab.probes.posterior.recorder import Recorder
        from biaslab.probes.posterior.target import Target, coordinates

        self.classifier, self.label, self.plan = classifier, label, plan
        self.start, self.seed, self.context = start, seed, context
        self.notes = list(plan.notes)
        self.target = None
        logit = None
        if isinstance(classifier, Classifier):
            self.target = Target(classifier, label, plan.prior)
            self.coordinates = self.target.coordinates
            logit = self.target.logit
        else:
            self.coordinates = coordinates(plan.prior, "cpu", torch.float64)
        self.device = torch.device(classifier.device)
        self.generator = self._generator(0)
        self.kernel: Any = None
        self.recorder: Recorder = Recorder(
            plan.chains, plan.draws, plan.warmup, classifier.dim, logit, hook, context
        )

    def result(self, run: measured) -> PosteriorResult:
        """Sample, and return the result."""
        from biaslab.probes.posterior.recorder import Stopped

        try:
            self._try_out()
            self._sample_until_stopped()
        except (Stopped, KeyboardInterrupt) as reason:
            self.recorder.look()
            if self.recorder.n_draws < 1:
                raise KeyboardInterrupt from reason
        except Exception as error:  # noqa: BLE001  # raised again, with the draws so far
            self._fail(error, run)
        return self._result(run)

    def _fail(self, error: Exception, run: measured) -> None:
        """Raise `error` again, with the draws so far."""
        partial = None
        self.recorder.save()
        if self.recorder.n_draws:
            partial = self._result(run, evidence=False)
            self.context.keep(partial)
        elif isinstance(error, BiaslabError):
            raise error
        kept = f" {self.recorder.n_draws} draws per chain are kept." if partial else ""
        raise PosteriorError(f"Sampling stopped: {error}{kept}", partial) from error

    def _generator(self, stream: int) -> torch.Generator:
        import torch

        seeds = np.random.SeedSequence([self.seed, stream]).generate_state(2, np.uint32)
        generator = torch.Generator(device=self.device)
        generator.manual_seed(int(seeds[0]) << 31 ^ int(seeds[1]))
        return generator

    def _try_out(self) -> None:
        """Try a few draws of the prior, to find errors before sampling."""
        import torch

        if self.target is None:
            return
        z = self.coordinates.draw(_TRIED, self._generator(1))
        points = self.coordinates.points(z).detach().requires_grad_()
        log_p = self.target.log_likelihood(points)
        logit = self.target.logit(points.detach())
        spread = float(logit.max() - logit.min())
        self.flat = not spread > 1e-6 * max(1.0, float(logit.abs().max()))
        if self.flat:
            p = float(torch.exp(log_p.detach()[0]))
            self.notes.append(
                f"{self.classifier.name} gives the same answer everywhere (p = {p:.3g}), so the"
                " posterior is the prior."
            )
        needs = self.plan.engine in ("vectorised", "nuts") and not self.flat
        if needs and not (log_p.requires_grad and _has_slope(log_p, points)):
            raise PosteriorError(
                f"{self.classifier.name} has no gradient, which engine={self.plan.engine!r} needs."
                " Use engine='exact' or engine='choices'."
            )

    def _sample_until_stopped(self) -> None:
        if self.target is not None:
            self.target.between = self.recorder.stop_if_requested
        try:
            self._sample()
        finally:
            if self.target is not None:
                self.target.between = None

    def _sample(self) -> None:
        import torch

        plan, start = self.plan, self._start_points()
        if plan.engine == "exact":
            from biaslab.probes.posterior.target import Rejection

            assert self.target is not None  # noqa: S101  # a black box has no other engine
            self.kernel = Rejection(self.coordinates, self.target.log_likelihood, self.generator)
            self.kernel.run(self.recorder, plan.draws)
            return
        self.kernel = self._kernel(start)
        from pyro.infer import MCMC

        sampler = MCMC(
            self.kernel,
            num_samples=plan.draws,
            warmup_steps=plan.warmup,
            disable_progbar=True,
            hook_fn=lambda kernel, params, _stage, _i: self.recorder.add(params["points"], kernel),
        )
        with sampler_turn(self.recorder.stop_if_requested):
            if plan.engine != "nuts":
                sampler.run()
                return
            # Stock kernels draw from the global generators, whose states are restored.
            devices = [] if self.device.type == "cpu" else [self.device]
            with torch.random.fork_rng(devices=devices):
                torch.manual_seed(self.generator.initial_seed())
                sampler.run()

    def _kernel(self, start: torch.Tensor | None) -> Any:
        plan, before = self.plan, self.start
        alike = before is not None and before.engine == plan.engine
        step = before.step_size if before is not None and alike else None
        if plan.engine == "choices":
            from biaslab.probes.posterior.kernels import ChoiceKernel, by_asking, by_probability

            if self.target is None:
                assert isinstance(self.classifier, Chooser)  # noqa: S101
                choose = by_asking(self.classifier.choose)
            else:
                choose = by_probability(self.target.log_likelihood, self._generator(2))
            return ChoiceKernel(
                self.coordinates, choose, plan.chains, self.generator, start=start, width=step
            )
        assert self.target is not None  # noqa: S101  # only `choices` takes a black box
        if plan.engine == "nuts":
            from biaslab.probes.posterior.kernels import NutsSideBySide

            return NutsSideBySide(
                self.target, plan.chains, self.generator, start=start, step_size=step
            )
        from biaslab.probes.posterior.kernels import VectorisedHMC

        reference = before.reference if before is not None and alike else None
        return VectorisedHMC(
            self.target,
            plan.chains,
            self.generator,
            start=start,
            reference=reference,
            step_size=step,
        )

    def _start_points(self) -> torch.Tensor | None:
        """Return the start points of a warm start: its last draws, relative to the prior."""
        import torch

        before = self.start
        if before is None or before.draws.shape[1] == 0:
            return None
        if before.chains < CHAINS:  # all would begin in the modes that these few have found
            return None
        last = before.draws[:, -1]
        if len(last) < self.plan.chains:  # fewer chains: go back in time
            last = before.points[:: -(before.points.shape[0] // self.plan.chains) or -1]
        if len(last) < self.plan.chains:
            last = np.resize(last, (self.plan.chains, before.dim))
        last = last[: self.plan.chains]
        if not (before.prior.is_normal and self.plan.prior.is_normal):
            return self.coordinates.of_points(last)
        z = before.prior.whiten(last.astype(np.float64))
        dtype = getattr(self.classifier, "dtype", torch.float64)
        return torch.as_tensor(z, device=self.device, dtype=dtype)

    def _result(self, run: measured, evidence: bool = True) -> PosteriorResult:
        recorder, kernel, plan = self.recorder, self.kernel, self.plan
        seconds = recorder.seconds
        arrays = recorder.arrays()
        diagnostics = diagnose(arrays["draws"], arrays["logit"], arrays["square"])
        log_evidence, error = self._evidence() if evidence else (math.nan, math.nan)
        return PosteriorResult(
            provenance=run.provenance,
            label=self.label,
            labels=self.classifier.labels,
            prior=plan.prior,
            engine=plan.engine,
            **arrays,
            # From the last step: stock kernels forget it at clean-up.
            acceptance=float(recorder.acceptance),
            divergences=int(recorder.divergences),
            step_size=float(recorder.step_size),
            seconds=seconds,
            asked=plan.draws,
            diagnostics=diagnostics,
            reference=getattr(kernel, "reference", None),
            log_evidence=log_evidence,
            log_evidence_error=error,
            notes=tuple(self.notes),
        )

    def _evidence(self) -> tuple[float, float]:
        """Log p(label) and its standard error, from draws of the prior."""
        import torch

        if self.target is None:
            return math.nan, math.nan
        generator = self._generator(3)
        parts = []
        with torch.no_grad():
            for _ in range(_EVIDENCE // 2_000):
                leave_if_cancelled()
                points = self.coordinates.points(self.coordinates.draw(2_000, generator))
                parts.append(self.target.log_likelihood(points))
        log_p = torch.cat(parts).double()
        log_mean = float(torch.logsumexp(log_p, 0)) - math.log(len(log_p))
        share = torch.exp(log_p - log_mean)  # mean 1
        return log_mean, float(share.std()) / math.sqrt(len(log_p))


def _has_slope(log_p: torch.Tensor, points: torch.Tensor) -> bool:
    import torch

    (slope,) = torch.autograd.grad(log_p.sum(), points, allow_unused=True)
    return slope is not None and bool(slope.any())
