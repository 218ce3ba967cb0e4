"""A rating that goes on, or the last one of a service: fed by the job, looked at by the bench."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from biaslab.errors import BiaslabError, JobCancelledError
from biaslab.jobs.context import JobContext, reporting_to
from biaslab.probes.rating import Attribute, RatingDesign, RatingResult, Response, Rules, plan, rate
from biaslab.records.wording import prose
from biaslab_widgets.benches.rating.services import ServiceSource
from biaslab_widgets.core.answers.background import Tee
from biaslab_widgets.core.answers.cache import Latest

NOT_ASKED = "It was not tested"


def was_asked(response: Response) -> bool:
    """Whether an answer to the text came, or its failure."""
    return not response.failure.startswith(NOT_ASKED)


@dataclass(eq=False)
class Run:
    """A run of one service under one design.

    - `number`: counts the runs of a bench.
    - `result`: what is answered so far; None before the first block.
    - `failure`: why nothing was answered.
    - `stopped`: whether a person stopped it.
    - `position`: languages that are done, with the part of the one that goes on.
    - `calls`: that a language takes, if the store has nothing; empty before it began.
    """

    number: int
    source: ServiceSource
    attribute: Attribute
    design: RatingDesign
    rules: Rules
    result: RatingResult | None = None
    failure: str = ""
    stopped: bool = False
    position: float = 0.0
    calls: Mapping[str, int] = field(default_factory=dict)
    began: float = field(default_factory=time.perf_counter)
    seconds: float = 0.0
    running: bool = True
    ended: threading.Event = field(default_factory=threading.Event)
    version: int = 0

    @property
    def languages(self) -> tuple[str, ...]:
        """That it goes through, in order; ``""`` is directly."""
        return self.design.middles or ("",)

    @property
    def now(self) -> float:
        """Seconds since it began; of one that has ended, that it took."""
        return time.perf_counter() - self.began if self.running else self.seconds

    @property
    def total(self) -> int:
        """Calls in all, if the store has nothing."""
        return sum(self.calls.get(language, 0) for language in self.languages)

    @property
    def done(self) -> float:
        """Of those calls, how many need not be made any more."""
        place = int(self.position)
        each = [self.calls.get(language, 0) for language in self.languages]
        part = (self.position - place) * each[place] if place < len(each) else 0.0
        return sum(each[:place]) + part

    @property
    def complete(self) -> tuple[str, ...]:
        """Languages through which every text was asked."""
        if self.result is None:
            return ()
        return tuple(r.language for r in self.result.routes if r.responses.complete)

    def take(self, result: RatingResult) -> None:
        """Hold what is answered so far."""
        self.result = result
        self.version += 1

    def never_began(self) -> None:
        """It was stopped while it waited for its turn."""
        self.stopped, self.failure = True, "It was stopped before it began."
        self.end()

    def end(self) -> None:
        """Nothing more comes."""
        self.seconds, self.running = time.perf_counter() - self.began, False
        self.version += 1
        self.ended.set()


class _ObservedRun(Tee):
    """Passes progress on, and tells the run how far it is."""

    def __init__(self, whole: JobContext, run: Run, on_change: Callable[[], object]) -> None:
        super().__init__(whole, self._take)
        self._run, self._on_change = run, on_change

    def _take(self, result: RatingResult) -> None:
        self._run.take(result)
        self._on_change()

    def report(self, done: float, total: float | None = None, message: str = "") -> None:
        """Progress of all languages, of which each counts as many calls as it takes."""
        run = self._run
        run.position = len(run.languages) * done / total if total else 0.0
        super().report(run.done, run.total, message)
        self._on_change()


def run_rating(
    run: Run, on_change: Callable[[], object], context: JobContext | None = None
) -> RatingResult | None:
    """Ask the service everything, block after block; what is answered is kept in the store.

    - `on_change`: called from this thread whenever there is something new to show.
    - `context`: progress, and stops.
    - Returns: None where nothing was answered; the run says why.
    """
    context = context or JobContext()
    run.began = time.perf_counter()  # it may have waited for its turn
    observed = _ObservedRun(context, run, on_change)
    try:
        service = run.source.asked(run.attribute)
        needed = plan(service, run.design, keep=False, by_block=True)
        run.calls = {language: one.calls for language, one in needed.items()}
        on_change()
        with reporting_to(observed):
            run.take(rate(service, run.design, rules=run.rules, by_block=True))
    except JobCancelledError:
        run.stopped = True
    except BiaslabError as error:
        run.failure = prose(error)
    except Exception as error:  # noqa: BLE001  # the person is told, whatever it was
        run.failure = f"{type(error).__name__}: {error}"
    finally:
        run.stopped = run.stopped or context.should_stop
        run.end()
        on_change()
    if run.result is not None:
        _drag_once(run.result)
    return run.result


def _drag_once(result: RatingResult) -> None:
    """Give every block a share of the last value, as drags do: what they all need is made then."""
    for distribution in result.design.distributions:
        *named, last = distribution.shares
        most = named.index(max(named))
        named[most], last = named[most] / 2, last + named[most] / 2
        changes: dict[str, Any] = {distribution.kind: {distribution.name: (*named, last)}}
        _ = result.re_rate(**changes).ratings


@dataclass(frozen=True)
class Facts:
    """What is counted of the answers so far, whatever they are rated by.

    - `calls`, `from_store`: of all languages.
    - `failed`: texts without a usable answer.
    - `asked`: texts of a language's block that were asked.
    """

    calls: int = 0
    from_store: int = 0
    failed: int = 0
    asked: Mapping[tuple[str, int], int] = field(default_factory=dict)

    @classmethod
    def of(cls, result: RatingResult) -> Facts:
        """Count them; a drag need not."""
        design = result.design
        each, blocks = design.texts * design.repetitions, len(design.distributions)
        counts, failed = {}, 0
        for route in result.routes:
            known = [was_asked(response) for response in route.responses.responses]
            for b in range(blocks):
                counts[route.language, b] = sum(known[b * each : (b + 1) * each])
            failed += sum(known) - sum(response.answered for response in route.responses.responses)
        return cls(
            sum(route.responses.calls for route in result.routes),
            sum(route.responses.from_store for route in result.routes),
            failed,
            counts,
        )


@dataclass
class Shown:
    """A run with the rules and distributions on the screen.

    - `running`: whether it went on when it was looked at: the rest is at least as new.
    - `version`: of what is answered.
    - `result`: all that is answered.
    - `whole`: of the languages that are done and chosen: ratings and the verdict are of them alone.
    """

    run: Run
    running: bool
    version: int
    result: RatingResult | None
    whole: RatingResult | None
    facts: Facts

    def rates(self, language: str) -> bool:
        """Whether the language is one that is done."""
        return self.whole is not None and language in self.whole.languages


class ReRated:
    """Re-rates the newest result of a run; what does not change with a drag is kept."""

    def __init__(self) -> None:
        self._read: Latest[tuple[RatingResult, RatingResult | None, Facts]] = Latest()
        self._shown: Latest[Shown] = Latest()

    def of(
        self,
        run: Run,
        running: bool,
        rules: Rules,
        shares: list[tuple[float, ...]] | None,
        languages: tuple[str, ...],
    ) -> Shown:
        """The run under these rules.

        - `running`: looked at before what is answered: what has ended is whole then.
        - `shares`: of each block, in the order of the run's design; None: as they were run.
        - `languages`: that are chosen.
        - Raises `RatingError` when the shares are none.
        """
        version, result = run.version, run.result
        if result is None:
            return Shown(run, running, version, None, None, Facts())
        key = (run.number, version, languages)
        base, whole, facts = self._read.of(
            key, lambda: (*_bases(result, languages), Facts.of(result))
        )

        def shown() -> Shown:
            changes = _changes(result.design, shares)
            rated = _re_rated(base, rules, changes)
            if whole is base:
                return Shown(run, running, version, rated, rated, facts)
            rest = _re_rated(whole, rules, changes) if whole is not None else None
            return Shown(run, running, version, rated, rest, facts)

        question = (key, running, rules, None if shares is None else tuple(shares))
        return self._shown.of(question, shown)


def _bases(
    result: RatingResult, languages: tuple[str, ...]
) -> tuple[RatingResult, RatingResult | None]:
    chosen = tuple(r for r in result.routes if r.language in languages)
    if not chosen:
        chosen = result.routes
    is_all = chosen == result.routes
    shown = result if is_all else result.of_languages([r.language for r in chosen])
    done = tuple(r for r in chosen if r.responses.complete)
    if not done:
        return shown, None
    return shown, shown if done == chosen else result.of_languages([r.language for r in done])


def _re_rated(
    result: RatingResult, rules: Rules, changes: Mapping[str, Mapping[str, tuple[float, ...]]]
) -> RatingResult:
    """The result under other rules and shares; the same where they are as they were run."""
    changed: dict[str, Any] = {kind: shares for kind, shares in changes.items() if shares}
    if rules != result.rules:
        changed["rules"] = rules
    return result.re_rate(**changed) if changed else result


def _changes(
    design: RatingDesign, shares: list[tuple[float, ...]] | None
) -> dict[str, dict[str, tuple[float, ...]]]:
    changes: dict[str, dict[str, Any]] = {"unbiased": {}, "biased": {}}
    for distribution, now in zip(design.distributions, shares or (), strict=False):
        if now != distribution.shares:
            changes[distribution.kind][distribution.name] = now
    return changes
