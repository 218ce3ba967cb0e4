"""One run over portraits: the question, the chains, exact weighting, and the result."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from biaslab.arguments import instance
from biaslab.errors import PosteriorError
from biaslab.jobs.context import JobContext, JobStopped, current_context
from biaslab.portraits.drawing import SMALLEST
from biaslab.probes.posterior.diagnostics import Agreement, Diagnostics, diagnose
from biaslab.probes.posterior.portraits.chains import Chains
from biaslab.probes.posterior.portraits.choosing import PairQuestion, by_chooser, by_pairs
from biaslab.probes.posterior.portraits.labels import LABELS
from biaslab.probes.posterior.portraits.options import By, Portraits
from biaslab.probes.posterior.portraits.question import Question, log_mean, log_odds
from biaslab.probes.posterior.portraits.result import ODDS, OF_PRIOR, WOMAN, PortraitPosterior
from biaslab.probes.posterior.portraits.space import COLUMNS, Floats, People, Space
from biaslab.probes.posterior.portraits.weighting import weighted
from biaslab.probes.posterior.size import bytes_of_draws, too_many_draws
from biaslab.probes.posterior.subject import Chooser
from biaslab.records.provenance import measured
from biaslab.stats.chains import FEWEST
from biaslab.stats.reproducibility import seed_number
from biaslab.subjects.opening.needs import VISION_LANGUAGE_MODEL, opened
from biaslab.subjects.pretrained.memory import free_memory

CHAINS, DRAWS, WARMUP = 8, 1_800, 100
PORTRAITS: Final = 3_000
_KEPT_OF_WARMUP: Final = 20
_AT_ONCE: Final = 64
MESSAGE: Final = "imagining portraits"
_BESIDE: Final = "weighing portraits"


def sample_portraits(
    subject: Any,
    word: str,
    portraits: Portraits,
    *,
    chains: int | None = None,
    draws: int | None = None,
    warmup: int | None = None,
    check: bool = True,
    rng: int | np.random.Generator = 0,
) -> PortraitPosterior:
    """Draw portraits from p(word | portrait)^k p(portrait): see `biaslab.sample_posterior`."""
    instance(word, str, "label", "Pass a word that the model can say of a portrait: 'nurse'.")
    chains = CHAINS if chains is None else chains
    draws = DRAWS if draws is None else draws
    warmup = WARMUP if warmup is None else warmup
    if chains < 2 or draws < FEWEST or warmup < 0:
        raise PosteriorError(
            f"chains={chains}, draws={draws}, warmup={warmup}: at least 2 chains (convergence is"
            f" judged by their agreement), {FEWEST} draws each, and no negative warm-up."
        )
    if bytes_of_draws(chains, draws, len(COLUMNS)) > (free := free_memory("cpu")):
        raise PosteriorError(too_many_draws(chains, draws, len(COLUMNS), free))
    only_chooses = isinstance(subject, Chooser)
    by = portraits.by or ("choices" if only_chooses else "probabilities")
    clothes, times = portraits.clothes, float(portraits.times)
    space = Space(clothes, tuple(portraits.vary), portraits.levels)
    asked = _asked(subject, word, portraits.against, portraits.templates, by)
    parameters = {
        "space": "portraits",
        "word": word,
        "against": asked.against,
        "times": times,
        "by": by,
        "clothes": clothes,
        "vary": space.vary,
        "levels": space.levels,
        "templates": asked.wordings,
        "chains": chains,
        "draws": draws,
        "warmup": warmup,
        "check": check,
    }
    seed = seed_number(rng)
    begun = measured(
        probe="sample_posterior", subject=asked.subject, parameters=parameters, seed=seed
    )
    with begun as run:
        made = _Run(asked, space, times, by, chains, draws, warmup, seed)
        fields = made.sampled()
        is_weighed = check and asked.question is not None and made.failure is None
        beside = made.prior(PORTRAITS if is_weighed else 0)
        diagnostics = _diagnosed(fields["draws"], fields["appearance"], fields["says"])
    result = PortraitPosterior(
        provenance=run.provenance,
        word=word,
        against=asked.against,
        times=times,
        by=by,
        templates=asked.wordings,
        clothes=clothes,
        vary=space.vary,
        levels=space.levels,
        asked=draws,
        warmup_asked=warmup,
        diagnostics=diagnostics,
        exact=_agreement(diagnostics, beside, times, is_all=bool(space.levels)),
        notes=tuple(getattr(asked.subject, "notes", ())),
        **fields,
        **beside,
    )
    if made.failure is not None:
        made.context.keep(result)
        kept = f"{result.n_draws} draws per chain are kept."
        raise PosteriorError(f"Sampling stopped: {made.failure} {kept}", result) from made.failure
    return result


@dataclass(frozen=True)
class _Asked:
    """A subject with one of three ways to ask it.

    - `question`: p(word | picture); None for a subject that only chooses.
    - `pairs`: choices of a chat model between two portraits.
    """

    subject: Any
    question: Question | None = None
    pairs: PairQuestion | None = None

    @property
    def against(self) -> tuple[str, ...]:
        return () if self.question is None else self.question.against

    @property
    def wordings(self) -> tuple[str, ...]:
        if self.question is not None:
            return self.question.wordings
        return () if self.pairs is None else self.pairs.templates

    @property
    def size(self) -> int:
        either = self.question or self.pairs
        return SMALLEST if either is None else either.size


def _asked(
    subject: Any,
    word: str,
    against: str | Sequence[str] | None,
    templates: Sequence[str] | None,
    by: By,
) -> _Asked:
    if isinstance(subject, Chooser):
        if by != "choices":
            raise PosteriorError(
                f"{subject.name} only chooses between portraits: leave out by={by!r}."
            )
        if word != subject.label:
            raise PosteriorError(
                f"{subject.name} chooses by {subject.label!r}: ask for that, not for {word!r}."
            )
        if against is not None or templates is not None:
            raise PosteriorError(
                f"{subject.name} is asked nothing in words: leave out against= and templates=."
            )
        return _Asked(subject)
    vlm: Any = opened(subject, VISION_LANGUAGE_MODEL, "A sample of portraits")
    if by == "choices" and getattr(vlm, "chooses_by_letter", False):
        if against is not None:
            raise PosteriorError(
                f"against={against!r} does nothing where {vlm.name} chooses between two portraits:"
                " leave it out, or use by='probabilities'."
            )
        return _Asked(vlm, pairs=PairQuestion.of(vlm, word, templates))
    return _Asked(vlm, Question.of(vlm, word, against, templates))


class _Run:
    """Chains of one question, with every draw kept."""

    def __init__(
        self,
        asked: _Asked,
        space: Space,
        times: float,
        by: By,
        chains: int,
        draws: int,
        warmup: int,
        seed: int,
    ) -> None:
        self.asked, self.space, self.times, self.by = asked, space, times, by
        self.count, self.draws, self.warmup, self.seed = chains, draws, warmup, seed
        self.context: JobContext = current_context()
        self.failure: Exception | None = None

    def sampled(self) -> dict[str, Any]:
        """Run the chains, until their end or until they are stopped; return fields of a result.

        An error of the model after the first draws becomes `failure`.
        """
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
        except Exception as error:
            if kept.done <= self.warmup:
                raise
            self.failure = error
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
        question, choose = self.asked.question, None
        if self.asked.pairs is not None:
            of_choices = np.random.default_rng([self.seed, 2])
            choose = by_pairs(self.asked.pairs, self.times, of_choices)
        elif question is None:
            choose = by_chooser(self.asked.subject, self.times)
        return Chains(
            self.space,
            self.asked.size,
            self.count,
            rng,
            log_p=None if question is None else lambda seen: log_mean(question.shares(seen)),
            times=self.times,
            by_choices=self.by == "choices",
            choose=choose,
        )

    def prior(self, count: int) -> dict[str, Any]:
        """Return fields of a result about portraits of the prior, of which `count` are shown.

        Of a grid all are.
        """
        rng = np.random.default_rng([self.seed, 1])
        is_grid = bool(self.space.levels)
        z = self.space.grid() if is_grid else self.space.drawn(OF_PRIOR, rng)
        many = self.space.people(z).attributes
        people = self.space.people(z if is_grid and count else self.space.drawn(count, rng))
        shares = self._shares(people, is_grid)
        kept = slice(len(shares))
        return {
            "prior_draws": people.attributes[kept].astype(np.float32),
            "prior_appearance": people.appearance[kept].astype(np.float32),
            "prior_is_woman": rng.random(len(shares)) < people.womanly[kept],
            "prior_says": shares.astype(np.float32),
            "prior_mean": many.mean(axis=0),
            "prior_sd": np.where(np.ptp(many, axis=0) > 0, many.std(axis=0), 0.0),
        }

    def _shares(self, people: People, is_grid: bool) -> Floats:
        """Return p(word | portrait), (n, T); of fewer people if stopped, of a grid then of none."""
        question, count = self.asked.question, len(people.appearance)
        parts = [np.zeros((0, len(self.asked.wordings)))]
        if question is None:
            return parts[0]
        try:
            for at in range(0, count, _AT_ONCE):
                self.context.checkpoint()
                some = slice(at, at + _AT_ONCE)
                part = People(people.attributes[some], people.appearance[some])
                parts.append(question.shares(self.space.portraits(part, question.size)))
                self.context.report(min(at + _AT_ONCE, count), count, _BESIDE)
        except (JobStopped, KeyboardInterrupt):  # the chains' draws are kept
            if is_grid:
                return parts[0]
        return np.concatenate(parts)


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
    return diagnose(draws, womanly.reshape(says.shape), odds, names=(WOMAN, ODDS, *LABELS.values()))


def _agreement(
    diagnostics: Diagnostics, beside: dict[str, Any], times: float, *, is_all: bool
) -> Agreement | None:
    """Compare the chains' means with those of the weighted portraits."""
    says = beside["prior_says"].astype(np.float64)
    if len(says) < 2:
        return None
    people = People(beside["prior_draws"], beside["prior_appearance"].astype(np.float64))
    values = np.column_stack([people.womanly, people.attributes])
    exact = weighted(values, log_mean(says), times, is_all=is_all)
    names = (WOMAN, *LABELS.values())
    rows = [diagnostics.names.index(name) for name in names]
    error = np.hypot(diagnostics.mcse_mean[rows], exact.error)
    with np.errstate(invalid="ignore", divide="ignore"):
        return Agreement(names, (diagnostics.mean[rows] - exact.mean) / error)
