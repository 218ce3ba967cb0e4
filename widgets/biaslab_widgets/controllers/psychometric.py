"""Controller of the psychometric explorer: a word, cue pairs and a subject, answered live."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

import biaslab as bl
from biaslab.errors import BiaslabError, QueryError, SubjectError
from biaslab.jobs import Job, JobContext, JobStatus
from biaslab.probes.psychometrics import Perception, TwoAFCResult
from biaslab.progress import JobProgress
from biaslab.results import Dropped
from biaslab.subjects.base import EmbeddingSubject
from biaslab_widgets.controllers.base import Controller, Emit
from biaslab_widgets.controllers.psychometric_fields import (
    NO_ANSWER,
    PSYCHOMETRIC_BENCH,
    Answer,
    Picture,
)
from biaslab_widgets.controllers.psychometric_picture import picture_of
from biaslab_widgets.controllers.records import (
    Command,
    DroppedTerm,
    Message,
    Progress,
    Reply,
)
from biaslab_widgets.controllers.sources import Source

logger = logging.getLogger("biaslab")
FIRST_WORDS = ("nurse", "electrician", "teacher")


class PsychometricController(Controller):
    """Runs `biaslab.two_afc` for what is on the screen.

    Parameters
    ----------
    sources : mapping of str to Source
        Subjects that can be chosen, by name; one that is not open yet is opened in the background.
    emit : callable
        Receives changed outputs.
    words : sequence of str, optional
        Words to step through; default the occupations of the catalogue that the subject knows.
    """

    component = PSYCHOMETRIC_BENCH

    def __init__(
        self, sources: Mapping[str, Source], emit: Emit, words: Sequence[str] | None = None
    ) -> None:
        super().__init__(emit)
        self._sources = dict(sources)
        self._words_given = words is not None
        self._result: TwoAFCResult | None = None
        self._key: object = None
        self._picture: Picture | None = None
        self._jobs: dict[str, Job[EmbeddingSubject]] = {}
        self._failed: dict[str, BaseException] = {}
        self._progress: Progress = self.component.by_name["progress"].initial()
        first = next(iter(self._sources), "")
        self.state |= {
            "subject": first,
            "subjects": [s.option for s in self._sources.values()],
            "words": list(words or ()),
            "word": words[0] if words else "",
        }

    def subject_opens_within(self, seconds: float) -> bool:
        """Whether the chosen subject is open; waits so long while another thread opens it."""
        source = self._sources.get(self.snapshot()["subject"])
        return source is not None and source.opens_within(seconds)

    @property
    def result(self) -> TwoAFCResult:
        """The result of what is on the screen; blocks while the subject is being opened.

        Raises
        ------
        QueryError
            When the screen shows none; the message says why.
        """
        source = self._sources.get(self.snapshot()["subject"])
        if source is not None:
            try:
                source.open()
            except Exception as error:
                raise QueryError(f"{source.name} could not be opened. {error}") from error
        # Both in one turn: the live worker may be answering an older state.
        with self._computing:
            answer = self._answer(self.snapshot())
            result = self._result
        if result is None or answer["state"] in ("empty", "loading", "error"):
            message = answer["message"] or {"title": "Choose a word to ask about", "text": ""}
            raise QueryError(f"{message['title']}. {message['text']}".strip())
        return result

    def answer(self, snapshot: dict[str, Any]) -> dict[str, Any]:
        """The picture for a state, or what stands in its place, and what else has changed."""
        changed = self._opened_meanwhile(snapshot)
        if (progress := self._progress) != snapshot["progress"]:
            changed["progress"] = progress
        return {**changed, "answer": self._answer({**snapshot, **changed})}

    def _opened_meanwhile(self, snapshot: dict[str, Any]) -> dict[str, Any]:
        """Begin to open the subject; once it is open, tell about it and fill the word list."""
        source = self._sources.get(snapshot["subject"])
        changed: dict[str, Any] = {}
        if source is not None and not source.is_open:
            self._open_in_background(source)
        if source is not None and source.is_open:
            options = [s.option for s in self._sources.values()]
            if options != snapshot["subjects"]:
                changed["subjects"] = options
            if not self._words_given:
                self._words_given = True
                known = list(source.open().resolve(bl.specs.get("occupations").items).known)
                with self._lock:
                    if not self.state["words"]:
                        changed["words"] = known
        return changed

    def _answer(self, snapshot: dict[str, Any]) -> Answer:
        with self._computing:
            try:
                return self._try(snapshot)
            except QueryError as error:
                return self._refused(snapshot, error)
            except (BiaslabError, ValueError) as error:
                return self._empty(snapshot, "error", _error_message(error))
            except Exception as error:
                logger.exception("The psychometric explorer could not answer.")
                title = "This could not be computed"
                return self._empty(snapshot, "error", _error_message(error, title))

    def _try(self, snapshot: dict[str, Any]) -> Answer:
        source = self._sources.get(snapshot["subject"])
        if source is None:
            return self._empty(snapshot, "empty", _message("Choose a subject to probe", ""))
        if not source.is_open:
            return self._loading(snapshot, source)
        subject = source.open()
        if not snapshot["word"].strip():
            return self._empty(snapshot, "empty", _choose_word(subject, snapshot["words"]))
        key = _key(snapshot)
        if self._result is None or self._key != key:
            self._result = _ask(subject, snapshot)
            self._key = key
        result = self._result
        word = result.items[0]
        if result.pooled.curves.fit.reason[0]:
            reason = str(result.pooled.curves.fit.reason[0])
            action = {"label": "Use the normal curve", "set": {"curve": "normal"}}
            message = _message("No curve can be fitted", f"{reason.capitalize()}.", action)
            return self._empty(snapshot, "error", message)
        self._picture = picture_of(result, word, snapshot)
        alone = result.n_observers == 1 and len(result.pairs) == 1 and not snapshot["noise"]
        return {
            **self._empty(snapshot, "ready", None),
            "state": "cannot-say" if alone else "ready",
            "message": _nothing_varies(snapshot) if alone else None,
            "picture": self._picture,
            "dropped": [_dropped(d) for d in result.dropped],
        }

    def _empty(self, snapshot: dict[str, Any], state: Any, message: Message | None) -> Answer:
        words = snapshot["words"]
        position = (
            f"{words.index(w) + 1} of {len(words)}" if (w := snapshot["word"]) in words else ""
        )
        return {
            **NO_ANSWER,
            "generation": snapshot["generation"],
            "state": state,
            "message": message,
            "picture": None if state == "loading" else self._picture,
            "position": position,
        }

    def _refused(self, snapshot: dict[str, Any], error: QueryError) -> Answer:
        dropped = [_dropped(d) for d in error.dropped]
        unknown = next((d for d in dropped if d["role"] == "item"), None)
        word = snapshot["word"].strip()
        if unknown is None:
            return self._empty(snapshot, "error", _error_message(error))
        actions = [{"label": s, "set": {"word": s}} for s in unknown["suggestions"][:4]]
        near = "The nearest words it knows:" if actions else "Try another word."
        message = _message(f"“{word}”: {unknown['reason']}", near, *actions)
        return {
            **self._empty(snapshot, "error", message),
            "unknown": unknown,
            "dropped": dropped,
        }

    def _loading(self, snapshot: dict[str, Any], source: Source) -> Answer:
        name = source.name
        if (error := self._failed.get(name)) is not None:
            others = [
                {"label": f"Use {other.name}", "set": {"subject": other.name}}
                for other in self._sources.values()
                if other.is_open
            ]
            again = {"label": "Try again", "command": "retry"}
            message = _message(f"{name} could not be opened", str(error), *others[:1], again)
            return self._empty(snapshot, "error", message)
        stop = {"label": "Stop", "command": "stop"}
        message = _message(f"Loading {name}", "Loaded once, then shared.", stop)
        return self._empty(snapshot, "loading", message)

    def _open_in_background(self, source: Source) -> None:
        name = source.name
        if name in self._jobs or name in self._failed:
            return
        job = self._jobs[name] = bl.start(_open, source)
        job.on_progress(self._show_progress)
        job.on_done(lambda done: self._opened(done, name))

    # The job's thread holds the subject's lock, for which a host's thread may be waiting: outputs
    # come from the live worker only.
    def _show_progress(self, progress: JobProgress) -> None:
        self._progress = {
            "done": progress.done,
            "total": progress.total or 0,
            "message": progress.message,
            "seconds_left": progress.seconds_left,
        }
        self.change({})

    def _opened(self, job: Job[EmbeddingSubject], name: str) -> None:
        if job.status is JobStatus.CANCELLED:
            self._failed[name] = SubjectError("Opening it was stopped. Nothing else has changed.")
        elif (error := job.exception) is not None:
            self._failed[name] = error
        self._jobs.pop(name, None)
        self._progress = self.component.by_name["progress"].initial()
        self.change({})

    def obey(self, command: Command) -> Reply:
        """Carry out ``csv``, ``json``, ``save``, ``stop`` or ``retry``."""
        number, name = command["id"], command["name"]
        if name == "stop":
            for job in list(self._jobs.values()):
                job.cancel()
            return {"id": number, "ok": True, "message": "Stopping."}
        if name == "retry":
            self._failed.clear()
            self.change({})
            return {"id": number, "ok": True, "message": "Trying again."}
        result = self.result
        stem = f"two-afc-{''.join(c if c.isalnum() else '-' for c in result.items[0])}"
        if name == "csv":
            raw = command["args"].get("what") == "responses"
            frame = result.responses_frame() if raw else result.to_frame()
            content = frame.to_csv(index=False)
            return _file(number, f"{stem}.csv", "text/csv", content)
        if name == "json":
            return _file(number, f"{stem}.json", "application/json", result.to_json())
        if name == "save":
            run = result.save(label=str(command["args"].get("label", "")))
            return {"id": number, "ok": True, "message": f"Saved as run {run}."}
        raise ValueError(f"Unknown command {name!r}.")


def _open(source: Source, context: JobContext | None = None) -> EmbeddingSubject:
    context = context or JobContext()

    def on_progress(done: int, total: int | None) -> None:
        context.checkpoint()
        context.report(done, total, "words read")

    return source.open(on_progress)


def _ask(subject: EmbeddingSubject, snapshot: dict[str, Any]) -> TwoAFCResult:
    pairs = _chosen_pairs(snapshot)
    prior = snapshot["prior_sd"] or float("inf")
    return bl.two_afc(
        subject,
        [snapshot["word"]],
        pairs,
        scoring=snapshot["scoring"],
        perception=Perception(snapshot["noise"], prior_sd=prior, decision=snapshot["decision"]),
        curve=snapshot["curve"],
        jnd=snapshot["jnd"],
        pairs_as=snapshot["pairs_as"],
        levels=snapshot["levels"],
        replicates=snapshot["replicates"] or None,
    )


_ASKED = (
    "subject",
    "word",
    "noise",
    "prior_sd",
    "decision",
    "curve",
    "jnd",
    "pairs_as",
    "levels",
    "replicates",
    "scoring",
)


def _key(snapshot: dict[str, Any]) -> object:
    return (tuple(_chosen_pairs(snapshot)), *(snapshot[name] for name in _ASKED))


def _chosen_pairs(snapshot: dict[str, Any]) -> list[tuple[str, str]]:
    offered, chosen = snapshot["pairs"], snapshot["selected_pairs"]
    if not chosen:
        raise QueryError("No cue pair is chosen. Choose one, or add your own.")
    if wrong := [i for i in chosen if i not in range(len(offered))]:
        raise QueryError(
            f"selected_pairs counts from 0 to {len(offered) - 1}, and {wrong[0]!r} is not in it. "
            "Choose among the pairs, or add your own."
        )
    return [tuple(offered[i]) for i in chosen]


def _message(title: str, text: str, *actions: Any) -> Message:
    return {"title": title, "text": text, "actions": list(actions)}


def _error_message(error: Exception, title: str = "This cannot be asked") -> Message:
    return _message(title, str(error))


def _choose_word(subject: EmbeddingSubject, words: Sequence[str]) -> Message:
    offers = [w for w in dict.fromkeys([*FIRST_WORDS, *words]) if w in subject][:3]
    return _message(
        "Choose a word to ask about",
        "Type any word this subject knows, or start with one of these.",
        *({"label": w, "set": {"word": w}} for w in offers),
    )


def _nothing_varies(snapshot: dict[str, Any]) -> Message:
    everything = list(range(len(snapshot["pairs"])))
    pool = {"label": f"Use {len(everything)} cue pairs", "set": {"selected_pairs": everything}}
    return _message(
        "One embedding: no corpus interval",
        "The switch point is exact, but there is nothing to vary. Choose what varies.",
        *([pool] if len(everything) > 1 else []),
        {"label": "State a noise", "set": {"noise": 0.05}},
    )


def _dropped(record: Dropped) -> DroppedTerm:
    return {
        "term": record.term,
        "role": record.role,
        "reason": record.reason,
        "suggestions": list(record.suggestions),
    }


def _file(number: int, filename: str, media_type: str, content: str) -> Reply:
    return {
        "id": number,
        "ok": True,
        "message": f"{filename} is ready.",
        "filename": filename,
        "media_type": media_type,
        "content": content,
    }
