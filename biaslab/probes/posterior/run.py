"""One run of a sampler of a classifier's posterior."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from biaslab.errors import BiaslabError, PosteriorError
from biaslab.jobs.context import JobContext
from biaslab.probes.posterior.diagnostics import diagnose
from biaslab.probes.posterior.plan import Plan
from biaslab.probes.posterior.result import Hook, PosteriorResult
from biaslab.probes.posterior.subject import Chooser
from biaslab.records.provenance import measured
from biaslab.stats.chains import CHAINS
from biaslab.stats.threads import sampler_turn
from biaslab.subjects.classifier.base import Classifier
from biaslab.threads.leaving import leave_if_cancelled

if TYPE_CHECKING:
    import torch

    from biaslab.probes.posterior.recorder import Recorder

_TRIED = 512  # prior draws in a trial before sampling
_EVIDENCE = 20_000  # prior draws behind the evidence


class Run:
    """One run of a sampler: created, run, and turned into a result after any end."""

    def __init__(
        self,
        classifier: Classifier | Chooser,
        label: str,
        plan: Plan,
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
