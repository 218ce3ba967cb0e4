"""One run over portraits: the question, the chains, exact weighting, and the result."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from biaslab.arguments import check_choice, instance
from biaslab.errors import PosteriorError
from biaslab.jobs.context import JobContext, JobStopped, current_context
from biaslab.probes.posterior.diagnostics import Agreement, Diagnostics, diagnose
from biaslab.probes.posterior.portraits.chains import Chains
from biaslab.probes.posterior.portraits.question import Question, check_times, log_mean, log_odds
from biaslab.probes.posterior.portraits.result import ODDS, OF_PRIOR, WOMAN, By, PortraitPosterior
from biaslab.probes.posterior.portraits.space import COLUMNS, DrawnPortrait, Floats, People, Space
from biaslab.probes.posterior.portraits.weighting import weighted
from biaslab.records.provenance import measured
from biaslab.stats.chains import FEWEST
from biaslab.stats.reproducibility import seed_number
from biaslab.subjects.opening.needs import VISION_LANGUAGE_MODEL, opened

CHAINS, DRAWS, WARMUP = 8, 1_800, 100
PORTRAITS: Final = 3_000
TIMES: Final = 4.0
_KEPT_OF_WARMUP: Final = 20
_AT_ONCE: Final = 64
MESSAGE: Final = "imagining portraits"
_BESIDE: Final = "weighing portraits"


def sample_portraits(
    subject: Any,
    word: str,
    *,
    against: str | Sequence[str] | None = None,
    times: float = TIMES,
    by: By = "probabilities",
    clothes: str = "pullover",
    vary: Sequence[str] = (),
    templates: Sequence[str] | None = None,
    chains: int | None = None,
    draws: int | None = None,
    warmup: int | None = None,
    check: bool = True,
    rng: int | np.random.Generator = 0,
) -> PortraitPosterior:
    """Draw portraits from p(word | portrait)^k p(portrait): see `biaslab.sample_posterior`."""
    vlm: Any = opened(subject, VISION_LANGUAGE_MODEL, "bl.sample_posterior(space='portraits')")
    instance(word, str, "word", "Pass a word that the model can say of a portrait: 'nurse'.")
    check_choice(by, ("probabilities", "choices"), "by")
    check_times(times)
    space = Space(clothes, tuple(vary))
    question = Question.of(vlm, word, against, templates)
    chains = CHAINS if chains is None else chains
    draws = DRAWS if draws is None else draws
    warmup = WARMUP if warmup is None else warmup
    if chains < 2 or draws < FEWEST or warmup < 0:
        raise PosteriorError(
            f"chains={chains}, draws={draws}, warmup={warmup}: at least 2 chains (convergence is"
            f" judged by their agreement), {FEWEST} draws each, and no negative warm-up."
        )
    parameters = {
        "space": "portraits",
        "word": word,
        "against": question.against,
        "times": float(times),
        "by": by,
        "clothes": clothes,
        "vary": space.vary,
        "templates": question.wordings,
        "chains": chains,
        "draws": draws,
        "warmup": warmup,
        "check": check,
    }
    seed = seed_number(rng)
    with measured(probe="sample_posterior", subject=vlm, parameters=parameters, seed=seed) as run:
        made = _Run(question, space, float(times), by, chains, draws, warmup, seed)
        fields = made.sampled()
        beside = made.prior(PORTRAITS if check else 0)
        diagnostics = _diagnosed(fields["draws"], fields["appearance"], fields["says"])
    return PortraitPosterior(
        provenance=run.provenance,
        word=word,
        against=question.against,
        times=float(times),
        by=by,
        templates=question.wordings,
        clothes=clothes,
        vary=space.vary,
        asked=draws,
        warmup_asked=warmup,
        diagnostics=diagnostics,
        exact=_agreement(diagnostics, beside, float(times)),
        notes=tuple(getattr(vlm, "notes", ())),
        **fields,
        **beside,
    )


class _Run:
    """Chains of one question, with every draw kept."""

    def __init__(
        self,
        question: Question,
        space: Space,
        times: float,
        by: By,
        chains: int,
        draws: int,
        warmup: int,
        seed: int,
    ) -> None:
        self.question, self.space, self.times, self.by = question, space, times, by
        self.count, self.draws, self.warmup, self.seed = chains, draws, warmup, seed
        self.context: JobContext = current_context()

    def sampled(self) -> dict[str, Any]:
        """Run the chains, until their end or until they are stopped; return fields of a result."""
        start = time.perf_counter()
        steps = self.warmup + self.draws
        kept = _Kept(self.count, steps)
        try:
            chains = self._chains()
            for step in range(steps):
                if self.context.should_stop:
                    break
                chains.step(adapt=step < self.warmup)
                kept.add(chains)
                if step == self.warmup - 1:
                    chains.forget()
                self.context.report(step + 1, steps, MESSAGE)
        except (JobStopped, KeyboardInterrupt):
            if kept.done <= self.warmup:
                raise
        if kept.done <= self.warmup:
            self.context.checkpoint()
            raise KeyboardInterrupt
        accepted = chains.accepted / np.maximum(chains.proposed, 1)
        return {
            **kept.fields(self.warmup),
            "acceptance": chains.acceptance,
            "acceptance_whole": float(accepted[0]),
            "seconds": time.perf_counter() - start,
        }

    def _chains(self) -> Chains:
        rng = np.random.default_rng([self.seed, 0])

        def log_p(pictures: list[DrawnPortrait]) -> Floats:
            return log_mean(self.question.shares(pictures))

        return Chains(
            self.space, self.question.size, self.count, rng, log_p=log_p, times=self.times,
            by_choices=self.by == "choices",
        )  # fmt: skip

    def prior(self, count: int) -> dict[str, Any]:
        """Return fields of a result about portraits of the prior, of which `count` are shown."""
        rng = np.random.default_rng([self.seed, 1])
        many = self.space.people(self.space.drawn(OF_PRIOR, rng)).attributes
        people = self.space.people(self.space.drawn(count, rng))
        shares = np.zeros((0, len(self.question.wordings)))
        parts: list[Floats] = []
        try:
            for at in range(0, count, _AT_ONCE):
                some = People(
                    people.attributes[at : at + _AT_ONCE], people.appearance[at : at + _AT_ONCE]
                )
                pictures = self.space.portraits(some, self.question.size)
                parts.append(self.question.shares(pictures))
                self.context.report(at + len(pictures), count, _BESIDE)
        except (JobStopped, KeyboardInterrupt):
            pass  # the chains' draws are kept, with fewer portraits beside them
        shares = np.concatenate([shares, *parts])
        kept = slice(len(shares))
        return {
            "prior_draws": people.attributes[kept].astype(np.float32),
            "prior_appearance": people.appearance[kept].astype(np.float32),
            "prior_is_woman": rng.random(len(shares)) < people.womanly[kept],
            "prior_says": shares.astype(np.float32),
            "prior_mean": many.mean(axis=0),
            "prior_sd": np.where(np.ptp(many, axis=0) > 0, many.std(axis=0), 0.0),
        }


class _Kept:
    """Every step of the chains."""

    def __init__(self, chains: int, steps: int) -> None:
        self.attributes = np.empty((chains, steps, len(COLUMNS)), dtype=np.float32)
        self.appearance = np.empty((chains, steps), dtype=np.float32)
        self.is_woman = np.empty((chains, steps), dtype=bool)
        self.says = np.empty((chains, steps), dtype=np.float32)
        self.done = 0

    def add(self, chains: Chains) -> None:
        """Keep the present state of all chains."""
        at = self.done
        self.attributes[:, at] = chains.people.attributes
        self.appearance[:, at] = chains.people.appearance
        self.is_woman[:, at] = chains.is_woman
        self.says[:, at] = np.exp(chains.log_p)
        self.done += 1

    def fields(self, warmup: int) -> dict[str, Any]:
        """Return all draws after warm-up, and some of its steps."""
        after = slice(warmup, self.done)
        steps = np.unique(np.linspace(0, max(warmup - 1, 0), _KEPT_OF_WARMUP).astype(np.int64))
        steps = steps[:warmup]
        return {
            "draws": self.attributes[:, after],
            "appearance": self.appearance[:, after],
            "is_woman": self.is_woman[:, after],
            "says": self.says[:, after],
            "warmup": self.attributes[:, steps],
            "warmup_appearance": self.appearance[:, steps],
            "warmup_is_woman": self.is_woman[:, steps],
            "warmup_says": self.says[:, steps],
            "warmup_steps": steps,
        }


def _diagnosed(draws: Any, appearance: Any, says: Any) -> Diagnostics:
    womanly = People(draws, appearance.astype(np.float64).ravel()).womanly
    with np.errstate(divide="ignore"):
        odds = log_odds(np.log(says.astype(np.float64)))
    return diagnose(draws, womanly.reshape(says.shape), odds, names=(WOMAN, ODDS, *COLUMNS))


def _agreement(diagnostics: Diagnostics, beside: dict[str, Any], times: float) -> Agreement | None:
    """Compare the chains' means with those of the weighted portraits."""
    says = beside["prior_says"].astype(np.float64)
    if len(says) < 2:
        return None
    people = People(beside["prior_draws"], beside["prior_appearance"].astype(np.float64))
    exact = weighted(np.column_stack([people.womanly, people.attributes]), log_mean(says), times)
    names = (WOMAN, *COLUMNS)
    rows = [diagnostics.names.index(name) for name in names]
    error = np.hypot(diagnostics.mcse_mean[rows], exact.error)
    with np.errstate(invalid="ignore", divide="ignore"):
        return Agreement(names, (diagnostics.mean[rows] - exact.mean) / error)
