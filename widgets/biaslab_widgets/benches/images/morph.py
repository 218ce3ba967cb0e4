"""The morph explorer: portraits between a woman and a man, and where the model's answer turns."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import biaslab as bl
from biaslab.errors import BiaslabError, QueryError
from biaslab.images.drawn import drawable
from biaslab.images.image import term_key
from biaslab.images.morphs import DrawnMorphs, Morphs
from biaslab.jobs.job import Job, JobContext, JobGroup, JobStatus
from biaslab.probes.psychometrics import TwoAFCResult
from biaslab.probes.psychometrics.morphed_model import MorphedModel
from biaslab.records.wording import prose
from biaslab_widgets.benches.images.fields import ImageBenchState, Morph, MorphAt, MorphPicture
from biaslab_widgets.benches.images.morph_picture import morph_picture, strip_of
from biaslab_widgets.benches.images.own_morphs import OwnMorphs
from biaslab_widgets.benches.images.thumbnails import DETAIL_SIDE, data_address
from biaslab_widgets.benches.images.words import ImageWords
from biaslab_widgets.core.answers.background import Background
from biaslab_widgets.core.answers.cache import Latest
from biaslab_widgets.core.state.fields import empty
from biaslab_widgets.core.subjects.sources import Source

DRAWN, OWN = "drawn", "own"
LEVELS = 13
"""Stimuli of a curve where any can be shown."""
SLOW_S = 0.5
"""A model that takes longer for one portrait answers no drag,"""
PATIENCE = 2
"""when it did so many times in a row: the first answer of all may wait for a library to load."""
EARLY = 8
"""Portraits that are asked first, for a curve that is there soon."""
CUES = ("woman", "man")
_DRAWN_ABOUT = (
    "Drawn portraits: the same two people in every occupation; clothes and tools stay the same."
)
_STOPPED = "It was stopped. Finished answers are kept. Start again to continue."


@dataclass(frozen=True)
class MorphTask:
    """What a curve depends on, and who is asked.

    - `name`: the model's, on the screen.
    """

    name: str
    model: MorphedModel
    source: str
    item: str
    level: float

    @property
    def key(self) -> object:
        """Equal where the answers are the same."""
        return (self.name, id(self.model), self.source, self.item)


class MorphExplorer:
    """Holds the explorer's state; asks in the background and answers a drag at once.

    - `look`: lets the bench look at the explorer; called from any thread.
    - `own`: a person's own morphs.
    - `jobs`: those of the bench.
    """

    def __init__(self, look: Callable[[], object], own: OwnMorphs, jobs: JobGroup) -> None:
        self._look, self._jobs = look, jobs
        self._own = own
        self._opened = False
        self._models: dict[object, tuple[Any, MorphedModel]] = {}
        self._drawn: dict[int, DrawnMorphs] = {}
        self._asking: Background[None] = Background(look, lambda _: look())
        self._early: set[object] = set()
        self._failed: dict[object, str] = {}
        self._made: Latest[MorphPicture] = Latest()
        self._result: Latest[TwoAFCResult] = Latest()
        self._strip: Latest[tuple[list[float], list[str]]] = Latest()
        self._at: Latest[MorphAt] = Latest()
        self._slow: dict[str, int] = {}
        self._morph = empty(Morph)

    # What is shown.

    def outputs(
        self, snapshot: ImageBenchState, words: ImageWords, sources: Mapping[str, Source[Any]]
    ) -> dict[str, Any]:
        """What has changed of ``morph`` and ``morph_at``.

        - `snapshot`: the bench's state.
        - `words`: whose occupations come first.
        """
        if snapshot.step < 3 and not self._opened:
            return {} if snapshot.morph["picture"] is None else {"morph": empty(Morph)}
        changed: dict[str, Any] = {}
        try:
            task = self._task(snapshot, words, sources)
        except BiaslabError as error:
            task = prose(error)
        at = empty(MorphAt)
        if isinstance(task, MorphTask):
            try:
                at = self._morph_at(task, snapshot)
            except BiaslabError as error:
                task = prose(error)
        if at != snapshot.morph_at:
            changed["morph_at"] = at
        morph = self._state(task, snapshot, words)
        if morph != snapshot.morph:
            changed["morph"] = morph
        return changed

    def result(
        self, snapshot: ImageBenchState, words: ImageWords, sources: Mapping[str, Source[Any]]
    ) -> TwoAFCResult:
        """The result behind the curve on the screen.

        Raises `QueryError` when there is none; the message says why.
        """
        task = self._task(snapshot, words, sources)
        if isinstance(task, str):
            raise QueryError(task)
        if not self._is_known(task.model, task.item):
            raise QueryError(
                "The morph explorer has no curve yet: open it, or wait until all portraits are"
                " tested."
            )
        return self._asked(task, task.model)

    def _task(
        self, snapshot: ImageBenchState, words: ImageWords, sources: Mapping[str, Source[Any]]
    ) -> MorphTask | str:
        """What is asked; or why nothing can be, empty while the model is being opened."""
        names = [name for name in snapshot.models if name in sources]
        chosen = snapshot.morph_model
        name = chosen if chosen in names else next(iter(names), "")
        if not name:
            return "No model is chosen: choose one in step 1."
        source = sources[name]
        if not source.is_open:
            return ""
        which = snapshot.morph_source if snapshot.morph_source in (DRAWN, OWN) else DRAWN
        if which == OWN and self._own.morphs is None:
            return self._own.problem or "There are no morphs of your own yet. Upload some."
        vlm = source.open()
        morphs = self._morphs(which, snapshot.seed)
        unknown = vlm.resolve(list(CUES)).unknown
        if unknown:
            reasons = "; ".join(f"“{one.term}”: {one.reason}" for one in unknown)
            return f"{name} cannot be tested with woman or man ({reasons}). Choose another model."
        items = items_of(morphs, words)
        item = snapshot.morph_item if snapshot.morph_item in items else items[0]
        return MorphTask(name, self._model(vlm, morphs), which, item, snapshot.level)

    def _morphs(self, which: str, seed: int) -> Morphs:
        if which == OWN and self._own.morphs is not None:
            return self._own.morphs
        if seed not in self._drawn:
            self._drawn[seed] = DrawnMorphs(seed=seed)
        return self._drawn[seed]

    def _model(self, vlm: Any, morphs: Morphs) -> MorphedModel:
        # Both are held, so that no other object gets the same id.
        key = (id(vlm), id(morphs))
        if key not in self._models:
            self._models[key] = (vlm, MorphedModel(vlm, morphs))
        return self._models[key][1]

    def _morph_at(self, task: MorphTask, snapshot: ImageBenchState) -> MorphAt:
        """The portrait under the slider, and the answer to it."""
        morphs = task.model.morphs
        observer = observer_of(morphs, task.item, snapshot.morph_observer)
        key = (task.key, observer, snapshot.alpha)

        def unanswered() -> MorphAt:
            stimulus = task.model.picture(task.item, observer, snapshot.alpha)
            return {
                "item": task.item,
                "model": task.name,
                "observer": observer,
                "alpha": float(stimulus.alpha),
                "picture": data_address(stimulus.picture(), DETAIL_SIDE),
                "alt": stimulus.alt,
                "answer": None,
            }

        at = self._at.of(key, unanswered)
        if at["answer"] is None:
            answer = self._answer_now(task, observer, at["alpha"])
            if answer is not None:
                at = {**at, "answer": round(answer, 5)}
                self._at.put(key, at)
        return at

    def _answer_now(self, task: MorphTask, observer: int, alpha: float) -> float | None:
        """The answer to the portrait; None where a drag would have to wait for it."""
        if self._slow.get(task.name, 0) >= PATIENCE:
            return None  # the curve tells about where it lies
        lock = getattr(task.model.vlm, "lock", None)
        if lock is not None and not lock.acquire(blocking=False):
            return None  # it is asked something else: the next look tries again
        began = time.perf_counter()
        try:
            return float(task.model.answer(task.item, observer, CUES, alpha))
        finally:
            if lock is not None:
                lock.release()
            slow = time.perf_counter() - began > SLOW_S
            self._slow[task.name] = self._slow.get(task.name, 0) + 1 if slow else 0

    def _state(self, task: MorphTask | str, snapshot: ImageBenchState, words: ImageWords) -> Morph:
        which = snapshot.morph_source if snapshot.morph_source in (DRAWN, OWN) else DRAWN
        offered = self._offers(which, snapshot.seed, words)
        last = self._made.newest
        if isinstance(task, str):
            state = "error" if task and self._opened else "closed"
            return {**offered, "state": state, "message": task, "picture": last}  # type: ignore[typeddict-item]
        steps = task.model.morphs.alphas
        offered["steps"] = list(steps) if steps is not None else []
        if not self._opened:
            return {**offered, "state": "closed"}
        if (why := self._failed.get(task.key)) is not None:
            return {**offered, "state": "error", "message": why, "picture": last}
        if self._is_known(task.model, task.item):
            return {**offered, "state": "ready", "picture": self._picture(task, snapshot, None)}
        self._begin(task)
        early = task.model.using(EARLY)
        if task.key in self._early and self._is_known(early, task.item):
            last = self._picture(task, snapshot, early)
        job, total = self._asking.job, len(task.model.observers)
        done = int(job.progress.done / len(stimuli_of(task.model.morphs))) if job else 0
        return {**offered, "state": "asking", "done": done, "total": total, "picture": last}

    def _offers(self, which: str, seed: int, words: ImageWords) -> Morph:
        own = self._own.morphs
        morphs = self._morphs(which, seed) if which == DRAWN or own is not None else None
        sources = [{"key": DRAWN, "label": "drawn portraits", "about": _DRAWN_ABOUT}]
        if own is not None or self._own.problem:
            about = self._own.about if own is not None else self._own.problem
            sources.append({"key": OWN, "label": "own morphs", "about": about})
        return {
            **empty(Morph),
            "items": list(items_of(morphs, words)) if morphs is not None else [],
            "observers": list(morphs.observers) if morphs is not None else [],
            "cues": CUES,
            "sources": sources,  # type: ignore[typeddict-item]  # these three
            "about": "drag the blend; clothes and tools stay the same"
            if which == DRAWN
            else self._own.about,
        }

    def _picture(
        self, task: MorphTask, snapshot: ImageBenchState, early: MorphedModel | None
    ) -> MorphPicture:
        model = early or task.model
        morphs = task.model.morphs
        observer = observer_of(morphs, task.item, snapshot.morph_observer)
        key = (task.key, task.level, observer, early is not None)
        return self._made.of(
            key,
            lambda: morph_picture(
                self._asked(task, model),
                task.item,
                task.name,
                observer,
                self._strip_of(morphs, task.item, observer),
            ),
        )

    def _strip_of(self, morphs: Morphs, item: str, observer: int) -> tuple[list[float], list[str]]:
        key = (id(morphs), item, observer)
        return self._strip.of(key, lambda: strip_of(morphs, item, observer))

    # Asking.

    def _is_known(self, model: MorphedModel, item: str) -> bool:
        return model.is_known([item], [CUES], stimuli_of(model.morphs))

    def _asked(self, task: MorphTask, model: MorphedModel) -> TwoAFCResult:
        """The probe over answers that are there."""
        key = (task.key, task.level, len(model.observers))
        return self._result.of(
            key, lambda: bl.two_afc(model, [task.item], CUES, levels=LEVELS, level=task.level)
        )

    def open(self) -> str:
        """Begin with what is chosen; again what has failed or was stopped."""
        self._opened = True
        self._failed.clear()
        return ""

    def stop(self) -> str:
        """Stop asking; what is answered stays known."""
        if not self._asking.running:
            return "Nothing is running."
        self._failed[self._asking.key] = _STOPPED
        self._asking.cancel()
        return "Finished answers are kept."

    def close(self) -> None:
        """As it was at first, but for answers, which stay known."""
        self._asking.forget()
        self._opened = False
        self._made.forget()
        self._failed.clear()

    def _begin(self, task: MorphTask) -> None:
        """Ask in the background; what is being asked otherwise is given up."""
        if self._asking.works_on(task.key):
            return

        def early() -> None:
            self._early.add(task.key)
            self._look()

        job = self._jobs.start(_ask, task.model, task.item, early)
        self._asking.begin(task.key, job, partial(self._ended, task.key))

    def _ended(self, key: object, job: Job[None]) -> None:
        if (error := job.exception) is not None:
            self._failed[key] = prose(error)
        elif job.status is not JobStatus.DONE:
            self._failed[key] = _STOPPED  # as by an interrupt of the kernel


def _ask(
    model: MorphedModel, item: str, early: Callable[[], object], context: JobContext | None = None
) -> None:
    """Ask some portraits first, then all; the answers stay with the model."""
    context = context or JobContext()
    stimuli = stimuli_of(model.morphs)
    total = len(model.observers) * len(stimuli)

    def told(done: int, _total: int) -> None:
        context.report(done, total, "portraits shown")

    for part in (model.using(EARLY), model):
        part.ask([item], [CUES], stimuli, between=context.checkpoint, on_progress=told)
        early()
    _ = model.content_hash  # for the result's provenance; some seconds of a large model


def stimuli_of(morphs: Morphs) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Shares at which a curve is asked."""
    steps = morphs.alphas
    return np.linspace(0, 1, LEVELS) if steps is None else np.asarray(steps, dtype=np.float64)


def items_of(morphs: Morphs, words: ImageWords) -> tuple[str, ...]:
    """What there are morphs of: the occupations of the lists first."""
    wanted: list[str] = []
    for term, _ in words.terms:
        what = drawable(term)
        wanted += [term_key(term)] if what is None else [what.occupation]
    there = {term_key(item): item for item in morphs.items}
    first = [there[one] for one in dict.fromkeys(wanted) if one in there]
    return (*first, *(item for item in morphs.items if item not in first))


def observer_of(morphs: Morphs, item: str, wanted: int) -> int:
    """The portrait that is wanted, or the first that there is of this item."""
    numbers: Sequence[int] = range(len(morphs.observers))
    if wanted in numbers and morphs.has(item, wanted):
        return wanted
    return next((n for n in numbers if morphs.has(item, n)), 0)
