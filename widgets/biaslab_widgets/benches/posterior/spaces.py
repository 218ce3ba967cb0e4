"""The posterior bench in both its spaces: vectors of a classifier, and portraits."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import biaslab as bl
from biaslab.errors import BiaslabError, JobCancelledError, QueryError
from biaslab.files.csv_text import frame_text
from biaslab.jobs.job import Job
from biaslab.jobs.memory import MEMORY
from biaslab.jobs.processes import heavy
from biaslab.jobs.progress import JobProgress
from biaslab.portraits import OCCUPATIONS, PLAIN
from biaslab.probes.posterior import PortraitPosterior
from biaslab.probes.posterior.portraits.run import MESSAGE as DRAWING
from biaslab.probes.posterior.portraits.run import PORTRAITS as PORTRAITS_BESIDE
from biaslab.probes.posterior.portraits.run import WARMUP
from biaslab.probes.posterior.size import bytes_of_draws
from biaslab.records.result import Result
from biaslab.records.wording import counted, percent
from biaslab.reports.posterior.portraits import moved_sentence
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.opening.needs import sees_pictures
from biaslab_widgets.benches.posterior.bench import (
    AGAIN,
    PATIENCE_S,
    STOPPED,
    PosteriorController,
    state_of,
)
from biaslab_widgets.benches.posterior.fields import Picture, PosteriorBenchState, RunState
from biaslab_widgets.benches.posterior.how import how_of_faces
from biaslab_widgets.benches.posterior.portraits import Drawn, drawn_faces, quantities_of
from biaslab_widgets.benches.posterior.view import unbadged
from biaslab_widgets.core.answers.background import Background
from biaslab_widgets.core.state.commands import Arguments, code_of
from biaslab_widgets.core.state.fields import empty
from biaslab_widgets.core.state.records import How, Message, Span, error_message, message
from biaslab_widgets.core.subjects.sources import Source

PORTRAITS, VECTORS = "portraits", "vectors"
FIRST_WORD = "nurse"
PULLOVER = "pullover"
WARDROBE = [PULLOVER, *(name for name in OCCUPATIONS if name != PLAIN)]
_ATTRIBUTES = 43
_COPIES = 2
_MOST_KEPT = 4
"""Words whose draws are kept."""


@dataclass(frozen=True)
class Imagined:
    """What portraits of one word are drawn with; two that are equal have the same draws."""

    subject: str
    word: str
    against: str
    clothes: str
    chains: int
    draws: int
    seed: int

    @property
    def bytes(self) -> int:
        """Memory of all draws, in this process and on their way to it."""
        return _COPIES * bytes_of_draws(self.chains, self.draws, _ATTRIBUTES)


def wanted_of(snapshot: PosteriorBenchState) -> tuple[Imagined, ...]:
    """What the screen asks for: one word, or two.

    Raises `QueryError` when two words are the same, or the second is empty.
    """
    word, other = snapshot.word.strip() or FIRST_WORD, snapshot.other.strip()
    if not other or word == other:
        raise QueryError(
            f"“{word}” has no other word to be compared with. Type one in “Rather than”, such as"
            " executive."
        )
    first = Imagined(
        snapshot.subject,
        word,
        other,
        snapshot.clothes,
        int(snapshot.portrait_chains),
        int(snapshot.portrait_draws),
        int(snapshot.seed),
    )
    return (first, replace(first, word=other, against=word))[: 2 if snapshot.show == "both" else 1]


class PortraitRun:
    """A run that goes on: one word after the other.

    - `number`: counts runs of the bench.
    - `words`: still to be drawn, the one that is being drawn first.
    - `ended`: set once everything is drawn, or nothing more comes.
    """

    def __init__(self, number: int, words: Sequence[Imagined]) -> None:
        self.number = number
        self.words = list(words)
        self.count = len(words)
        self.began = time.perf_counter()
        self.progress = JobProgress()
        self.ended = threading.Event()

    @property
    def share(self) -> float:
        """How much of it is done, from 0 to 1."""
        now, one = self.progress, self.words[0]
        drawn, beside = one.chains * (one.draws + WARMUP), PORTRAITS_BESIDE
        part = min(1.0, now.done / now.total) if now.total else 0.0
        part = part * drawn if now.message == DRAWING else drawn + part * beside
        done = part / (drawn + beside) if now.total else 0.0
        return (self.count - len(self.words) + done) / self.count


class SpacesController(PosteriorController):
    """The bench of classifiers, and beside it that of faces: the space says which is shown.

    The space follows the chosen subject, and a subject the chosen space.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._portraits: dict[Imagined, PortraitPosterior] = {}
        self._imagining: Background[PortraitPosterior] = Background(
            self.answer_again, self._show_portrait_progress
        )
        self._drawing_faces: Background[Drawn] = Background(self.answer_again)
        self._last_shown: tuple[Imagined, ...] = ()
        self._portrait_run: PortraitRun | None = None
        self._portrait_failure: tuple[str, Message] | None = None
        self._seconds = 0.0
        self._space = VECTORS
        self._subject_in: dict[str, str] = {}
        self._sheets_sent: object = None
        self.commands["code"] = self._code

    # The two spaces.

    def answer(self, snapshot: PosteriorBenchState) -> dict[str, Any]:
        """See the base."""
        fitted = self.unless_changed(self._fitted(snapshot), snapshot)
        return fitted | super().answer(replace(snapshot, **fitted)) | self._new_sheets()

    def _fitted(self, snapshot: PosteriorBenchState) -> dict[str, Any]:
        """The space of the chosen subject; or, where the space was chosen, a subject of it."""
        source = self.opening.sources.get(snapshot.subject)
        if source is None:
            return {}
        fits = _space_of(source)
        moved, self._space = snapshot.space != self._space, snapshot.space
        if fits == snapshot.space:
            self._subject_in[fits] = snapshot.subject
            return {}
        if moved:
            before = self._subject_in.get(snapshot.space, "")
            known = [n for n, s in self.opening.sources.items() if _space_of(s) == snapshot.space]
            if known:
                return {"subject": before if before in known else known[0]}
        self._space, self._subject_in[fits] = fits, snapshot.subject
        return {"space": fits}

    def opened(self, subject: Any, snapshot: PosteriorBenchState) -> dict[str, Any]:
        """See the base."""
        if snapshot.space == VECTORS:
            return super().opened(subject, snapshot)
        return {} if snapshot.wardrobe == WARDROBE else {"wardrobe": WARDROBE}

    def _words(self, snapshot: PosteriorBenchState) -> EmbeddingSubject | None:
        return super()._words(snapshot) if snapshot.space == VECTORS else None

    def show(self, subject: Any, snapshot: PosteriorBenchState) -> dict[str, Any]:
        """See the base."""
        if snapshot.space == VECTORS:
            return super().show(subject, snapshot)
        run = self._portrait_run
        if run is None and not self._faces(snapshot):
            self._picture = None
            failed = self._portrait_failure
            if failed is not None and failed[0] == snapshot.subject:
                return self.without_picture(snapshot, state_of(failed[1]), failed[1])
            text = "Press Run: the portraits take a few minutes, and show how far they are."
            action = {"label": "Run", "command": "run"}
            notice = message("Nothing has been drawn yet", text, action)
            return self.without_picture(snapshot, "empty", notice)
        self._picture = self._face_picture(snapshot)
        answer = self.without_picture(snapshot, "ready", None)
        if run is None and self._portrait_failure is not None:
            answer["message"] = self._portrait_failure[1]
        return answer

    # A run.

    def start(self) -> Job[Any]:
        """See the base; in the space of portraits, words that are drawn already are not again."""
        snapshot = self.snapshot()
        snapshot = replace(snapshot, **self._fitted(snapshot))
        if snapshot.space == VECTORS:
            return super().start()
        if snapshot.subject not in self.opening.sources:
            raise QueryError("Choose a vision-language model first.")
        if self._portrait_run is not None:
            raise QueryError("A run is already in progress. Wait for it, or stop it first.")
        wanted = wanted_of(snapshot)
        missing = [one for one in wanted if one not in self._portraits]
        self._runs += 1
        run = PortraitRun(self._runs, missing or wanted)
        self._portrait_run, self._portrait_failure = run, None
        try:
            return self._next(run)
        except BaseException:
            self._portrait_run = None
            raise

    def _next(self, run: PortraitRun) -> Job[Any]:
        """Begin with the first word that is still to be drawn."""
        one = run.words[0]
        run.progress = JobProgress()
        memory = MEMORY.hold(one.bytes, self.jobs.owner)
        job: Job[Any] = self.jobs.start_awaited(
            heavy(bl.sample_posterior),
            self.opening.sources[one.subject].reference(),
            one.word,
            space=bl.posterior.Portraits(against=one.against, clothes=one.clothes),
            chains=one.chains,
            draws=one.draws,
            rng=one.seed,
        )
        job.on_done(lambda _: memory.close())
        self._imagining.begin(one, job, partial(self._imagined, run, one))
        self.answer_again()
        return job

    def _show_portrait_progress(self, progress: JobProgress | None) -> None:
        if progress is not None and self._portrait_run is not None:
            self._portrait_run.progress = progress
            self.answer_again()

    def _imagined(self, run: PortraitRun, one: Imagined, job: Job[PortraitPosterior]) -> None:
        with self.computing:
            goes_on = False
            try:
                result = job.result()
                self._portraits.pop(one, None)
                self._portraits[one] = result
                for old in list(self._portraits)[:-_MOST_KEPT]:
                    del self._portraits[old]
                run.words.pop(0)
                goes_on = bool(run.words) and not result.partial and not job.was_stopped
            except JobCancelledError:
                self._portrait_failure = (one.subject, STOPPED)
            except BiaslabError as error:
                notice = error_message(error, "The run has no draws")
                notice = STOPPED if job.was_stopped else notice
                self._portrait_failure = (one.subject, notice)
            except Exception as error:  # noqa: BLE001  # the person is told, whatever it was
                text = f"{type(error).__name__}: {error}"
                self._portrait_failure = (one.subject, message("The run failed", text, AGAIN))
            if goes_on:
                self._next(run)
                return
            self._seconds = time.perf_counter() - run.began
            self._portrait_run = None
        run.ended.set()

    def _stop(self, args: Arguments) -> str:
        if self.snapshot().space == VECTORS:
            return super()._stop(args)
        return "The draws so far are kept." if self._imagining.abort() else self.opening.stop(args)

    # What is shown.

    def _faces(self, snapshot: PosteriorBenchState) -> tuple[Imagined, ...]:
        """The words on the screen that are drawn; those drawn last where none of them is."""
        try:
            found = [one for one in wanted_of(snapshot) if one in self._portraits]
        except QueryError:
            found = []
        if found and found[0].word == (snapshot.word.strip() or FIRST_WORD):
            self._last_shown = tuple(found)
        shown = tuple(one for one in self._last_shown if one in self._portraits)
        return shown if shown and shown[0].subject == snapshot.subject else ()

    def _results(self, snapshot: PosteriorBenchState) -> list[PortraitPosterior]:
        return [self._portraits[one] for one in self._faces(snapshot)]

    def _face_picture(self, snapshot: PosteriorBenchState) -> Picture:
        results, run = self._results(snapshot), self._portrait_run
        first = results[0] if results else None
        picture: Picture = {
            **empty(Picture),
            "run": self._run_state(snapshot, first),
            "label": snapshot.word.strip() or FIRST_WORD,
            "footer": [snapshot.subject, f"seed {snapshot.seed}"],
        }
        if run is not None:
            picture["trust"] = {"state": "running", "text": "Drawing"}
            picture["verdict"] = _plain(f"Imagining faces for “{run.words[0].word}”.")
        if first is None:
            return picture
        if run is None:
            picture["trust"] = _trust(results)
            picture["verdict"] = _verdict(results)
            picture["caveat"] = f"{moved_sentence(first)} {first.caveat()}".strip()
            picture["facts"] = [
                (
                    f"{counted(first.chains, 'chain')} of {counted(first.n_draws, 'draw')} after"
                    f" {first.warmup_asked:,}"
                ),
                f"{percent(first.acceptance)} % of proposals accepted",
            ]
        picture["quantities"] = quantities_of(first)
        picture["portraits"] = None if (made := self._drawn_faces(snapshot)) is None else (
            made.portraits
        )  # fmt: skip
        picture["footer"] = [
            f"{first.provenance.subject} {(first.provenance.subject_hash or '')[:8]}".strip(),
            f"seed {first.provenance.seed}",
            "prior: biaslab.portraits",
        ]
        return picture

    def _drawn_faces(self, snapshot: PosteriorBenchState) -> Drawn | None:
        """The portraits of the words on the screen, drawn in the background."""
        results = self._results(snapshot)
        key = tuple(id(result) for result in results)
        if self._drawing_faces.key != key:
            job = self.jobs.start_beside(drawn_faces, results)
            self._drawing_faces.begin(key, job)
        return self._drawing_faces.result

    def _new_sheets(self) -> dict[str, Any]:
        made = self._drawing_faces.result
        if made is None or made is self._sheets_sent:
            return {}
        self._sheets_sent = made
        sheets = {**made.sheets, "run": self._runs, "version": self._runs}
        return {"sheets": sheets}

    def _run_state(
        self, snapshot: PosteriorBenchState, first: PortraitPosterior | None
    ) -> RunState:
        run = self._portrait_run
        seconds = self._seconds if run is None else time.perf_counter() - run.began
        share = 1.0 if run is None else run.share
        return {
            **empty(RunState),
            "number": self._runs,
            "running": run is not None,
            "stage": "" if run is None else f"portraits of “{run.words[0].word}”",
            "done": round(1000 * share),
            "total": 1000,
            "seconds": round(seconds, 1),
            "seconds_left": seconds * (1 - share) / share if run is not None and share else None,
            "draws": 0 if first is None else first.n_draws,
            "chains": 0 if first is None else first.chains,
            "acceptance": None if first is None else first.acceptance,
            "stale": run is None and self._is_stale(snapshot),
            "partial": first is not None and first.partial,
        }

    def _is_stale(self, snapshot: PosteriorBenchState) -> bool:
        try:
            return wanted_of(snapshot) != self._faces(snapshot)
        except QueryError:
            return True

    # What a person takes along.

    @property
    def has_run(self) -> bool:
        """See the base."""
        return super().has_run or bool(self._portraits)

    @property
    def results(self) -> list[PortraitPosterior]:
        """The results of the words on the screen, in the space of portraits.

        Raises `QueryError` while a run goes on, or when there was none.
        """
        run, job = self._portrait_run, self._imagining.job
        if run is not None and job is not None and (job.finished or job.stopping):
            run.ended.wait(PATIENCE_S)
        if self._portrait_run is not None:
            raise QueryError("A run is in progress. Wait for it, or stop it: its draws are kept.")
        results = self._results(self.snapshot())
        if not results:
            raise QueryError("Nothing has been drawn yet. Press Run: it takes a few minutes.")
        return results

    @property
    def result(self) -> Any:
        """See the base."""
        return self.results[0] if self._is_of_faces else super().result

    def to_take(self) -> tuple[Result, str, Callable[[str], str]]:
        """See the base; of two words the first one's result, with that of the second in it."""
        result, stem, table = super().to_take()
        if self._is_of_faces and len(results := self.results) > 1:
            return replace(results[0], beside=results[1]), stem, table
        return result, stem, table

    @property
    def _is_of_faces(self) -> bool:
        return self.snapshot().space == PORTRAITS

    def how(self, snapshot: PosteriorBenchState) -> How:
        """See the base."""
        if snapshot.space == VECTORS:
            return super().how(snapshot)
        with self.computing:
            going = self._portrait_run is not None
            first = None if going else next(iter(self._results(snapshot)), None)
            return how_of_faces(first, self.state["answer"]["picture"], snapshot.subject)

    def file_stem(self, result: Any) -> str:
        """See the base."""
        return f"portraits-{result.word}" if self._is_of_faces else super().file_stem(result)

    def table(self, result: Any, what: str) -> str:
        """See the base; ``draws``, ``attributes`` or ``diagnostics`` of both words."""
        if not self._is_of_faces:
            return super().table(result, what)
        import pandas as pd

        frames = [_frame(one, what) for one in self.results]
        words = [one.word for one in self.results]
        whole = pd.concat(dict(zip(words, frames, strict=True)), names=["word"])
        return frame_text(whole.reset_index(level="word"))

    def _code(self, _args: Arguments) -> Any:
        return code_of(self.results if self._is_of_faces else [super().result])

    def inputs_of_run(self) -> dict[str, Any]:
        """See the base."""
        inputs = super().inputs_of_run()
        if not self._is_of_faces:
            return inputs
        first, *others = self._faces(self.snapshot())
        return inputs | _inputs_of(first) | {"show": "both" if others else "one"}

    def inputs_for(self, result: Result) -> dict[str, Any]:
        """See the base."""
        if not isinstance(result, PortraitPosterior):
            return super().inputs_for(result)
        show = "one" if result.beside is None else "both"
        return _inputs_of(_imagined_of(result)) | {"space": PORTRAITS, "show": show}

    def is_incomplete(self, result: Result) -> bool:
        """See the base."""
        if isinstance(result, PortraitPosterior):
            return result.partial
        return super().is_incomplete(result)

    def take_stored(self, result: Result) -> bool:
        """See the base."""
        if not isinstance(result, PortraitPosterior):
            return super().take_stored(result)
        with self.computing:
            self._runs += 1
            subject = self.snapshot().subject
            stored = [replace(result, beside=None), *filter(None, [result.beside])]
            shown = {replace(_imagined_of(one), subject=subject): one for one in stored}
            self._portraits |= shown
            self._last_shown = tuple(shown)
        self.answer_again()
        return True


def _space_of(source: Source[Any]) -> str:
    """The space of a subject: portraits of one that sees pictures, else vectors."""
    subject, info = source.subject, source.info
    if subject is not None:
        return PORTRAITS if sees_pictures(subject) else VECTORS
    return PORTRAITS if info is not None and info.kind == "vlm" else VECTORS


def _frame(result: PortraitPosterior, what: str) -> Any:
    """Draws, the shifts of attributes, or the diagnostics of every quantity."""
    import pandas as pd

    if what == "draws":
        return result.raw_frame()
    mixing = result.diagnostics
    if what == "diagnostics":
        return pd.DataFrame([{"quantity": name, **mixing.of(name)} for name in mixing.names])
    return result.to_frame().drop(columns=["rhat", "ess_bulk", "ess_tail", "mcse_mean"])


def _imagined_of(result: PortraitPosterior) -> Imagined:
    seed = result.provenance.seed
    return Imagined(
        result.provenance.subject,
        result.word,
        result.against[0],
        result.clothes,
        result.chains,
        result.asked,
        seed if isinstance(seed, int) else 0,
    )


def _inputs_of(one: Imagined) -> dict[str, Any]:
    return {
        "subject": one.subject,
        "word": one.word,
        "other": one.against,
        "clothes": one.clothes,
        "portrait_chains": one.chains,
        "portrait_draws": one.draws,
        "seed": one.seed,
    }


def _trust(results: Sequence[PortraitPosterior]) -> Any:
    if all(result.trust for result in results):
        return {"state": "yes", "text": "Trust these draws"}
    return {"state": "not-yet", "text": "Do not trust yet"}


def _verdict(results: Sequence[PortraitPosterior]) -> list[Span]:
    """The finding of the word, and that of the second one."""
    first, *others = results
    spans = list(first.verdict_spans())
    spans = spans if first.trust else unbadged(spans)
    for other in others:
        if other.trust:
            spans += [(" ", "plain"), *other.verdict_spans()]
        elif first.trust:
            spans.append((f" Do not trust those of “{other.word}” yet.", "plain"))
    return [{"text": text, "role": role} for text, role in spans]


def _plain(text: str) -> list[Span]:
    return [{"text": text, "role": "plain"}]
