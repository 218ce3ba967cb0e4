"""Controller of the psychometric bench: a word, cue pairs and a subject, answered live."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, cast

import biaslab as bl
from biaslab.errors import FrameError, QueryError, SubjectError
from biaslab.files.csv_text import frame_text
from biaslab.probes.psychometrics import CuePairs, FramedModel, Perception, TwoAFCResult
from biaslab.records.result import Result
from biaslab.records.wording import counted
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.embedding.ensemble import EmbeddingEnsemble
from biaslab.subjects.language_model.model import LanguageModel
from biaslab_widgets.benches.psychometric.asking import (
    AT_ONCE_S,
    Asked,
    FrameItems,
    LanguageWords,
    ModelAsker,
    choice_of,
    missing_design,
)
from biaslab_widgets.benches.psychometric.fields import (
    COMPONENT,
    ENGLISH,
    Picture,
    PsychometricBenchState,
)
from biaslab_widgets.benches.psychometric.how import how_of
from biaslab_widgets.benches.psychometric.panels import Layering, LayersQuestion, Question, Tracer
from biaslab_widgets.benches.psychometric.subjects import Subject
from biaslab_widgets.benches.psychometric.view import picture_of
from biaslab_widgets.core.bench.controller import Emit
from biaslab_widgets.core.bench.recorded import (
    not_of_this_bench,
    recorded_arguments,
    recorded_inputs,
)
from biaslab_widgets.core.bench.subject_bench import SubjectController
from biaslab_widgets.core.state.commands import Arguments
from biaslab_widgets.core.state.records import How, Message, WordList, error_message, message
from biaslab_widgets.core.subjects.opening import State
from biaslab_widgets.core.subjects.sources import Source
from biaslab_widgets.core.word_marks import MarkedLists, ModelWords

FIRST_WORDS = ("nurse", "electrician", "teacher")


class PsychometricController(
    SubjectController[PsychometricBenchState, TwoAFCResult, Picture, Subject]
):
    """Runs `biaslab.two_afc` for what is on the screen.

    A language model is asked in the background, once for each word, cue pair and set of stimuli;
    what only says how its answers are read (curve, JND, stimulus) is answered at once.

    - `sources`: subjects that can be chosen, by name; one that is not open yet is opened in the
      background.
    - `emit`: receives changed outputs.
    - `words`: words to step through; default the occupations of the catalogue that the subject
      knows.
    """

    component = COMPONENT

    def __init__(
        self, sources: Mapping[str, Source[Any]], emit: Emit, words: Sequence[str] | None = None
    ) -> None:
        super().__init__(sources, emit)
        self._asker = ModelAsker(self.answer_again, self.opening.show_progress, self.jobs)
        self.lists = self.add(MarkedLists(_lists, self._vocabulary, self.snapshot))
        self.tracer = self.add(
            Tracer(self._to_trace, self.snapshot, self.answer_again, self.jobs, self.save_run)
        )
        self.layering = self.add(
            Layering(self._to_layer, self.answer_again, self.jobs, self.save_run)
        )
        self.commands |= {"stop": self._stop, "retry": self._retry}
        self._words_given = words is not None
        self._language_words = LanguageWords()
        self.state |= {"words": list(words or ()), "word": words[0] if words else ""}

    def opened(self, subject: Subject, snapshot: PsychometricBenchState) -> dict[str, Any]:
        """Fill the word list, once, and again with the words of each language."""
        changed = self._language_words.inputs(subject, snapshot)
        if self._words_given:
            return changed
        self._words_given = True
        if snapshot.words or "words" in changed:
            return changed
        occupations = bl.specs.get("occupations").items
        known = self._words(subject, snapshot).resolve(occupations, suggest=False).known
        return {**changed, "words": list(known)}

    def missing(self, subject: Subject, snapshot: PsychometricBenchState) -> Message | None:
        """A word, and frames of the chosen design."""
        if isinstance(subject, LanguageModel) and (notice := missing_design(snapshot)):
            return notice
        if snapshot.word.strip():
            return None
        return _choose_word(self._words(subject, snapshot), snapshot.words)

    def key(self, snapshot: PsychometricBenchState) -> object:
        """The options of the probe."""
        model = isinstance(self.subject(snapshot), LanguageModel)
        unused = OF_EMBEDDINGS if model else OF_MODELS
        names = [name for name in _ASKED if name not in unused]
        return (tuple(_chosen_pairs(snapshot)), *(getattr(snapshot, name) for name in names))

    def show(self, subject: Subject, snapshot: PsychometricBenchState) -> dict[str, Any]:
        """The answer; of a language model that has not answered yet, how far it is."""
        if isinstance(subject, LanguageModel) and not self.missing(subject, snapshot):
            question = _asked(snapshot)
            if (error := self._asker.error(question)) is not None:
                notice = error_message(cast("Exception", error), "The model could not be tested")
                notice["actions"] = [{"label": "Try again", "command": "retry"}]
                return self.without_picture(snapshot, "error", notice)
            if not self._asker.is_known(subject, question):
                return self._wait_for(subject, question, snapshot)
        return super().show(subject, snapshot)

    @property
    def has_run(self) -> bool:
        """See the base: answers of a model."""
        return super().has_run or self._asker.has_asked

    def _wait_for(
        self, lm: LanguageModel, question: Asked, snapshot: PsychometricBenchState
    ) -> dict[str, Any]:
        if self._asker.was_stopped(question):
            again = {"label": "Ask again", "command": "retry"}
            notice = message("The test was stopped", "Nothing else has changed.", again)
            return self.without_picture(snapshot, "empty", notice)
        if not self._asker.is_asking(question) and self._asker.begin(lm, question).wait(AT_ONCE_S):
            return self.show(lm, snapshot)
        frames = len(
            self._asker.model(lm, question.frames).frames_for(question.word, question.pairs[0])
        )
        count = frames * len(question.pairs) * question.levels
        notice = message(
            f"Asking {question.subject} about “{question.word}”",
            f"{counted(count, 'answer')}, computed once: curve, JND and stimulus then follow.",
            {"label": "Stop", "command": "stop"},
        )
        return self.without_picture(snapshot, "loading", notice)

    @property
    def result(self) -> TwoAFCResult:
        """The result of what is on the screen; blocks while the subject is opened and asked.

        Raises `QueryError` when the screen shows none; the message says why.
        """
        snapshot = self.snapshot()
        source = self.opening.sources.get(snapshot.subject)
        if source is not None and snapshot.word.strip():
            try:
                subject = source.open()
                if isinstance(subject, LanguageModel):
                    question = _asked(snapshot)
                    if not self._asker.is_known(subject, question):
                        self._asker.begin(subject, question).wait()
            except Exception:  # noqa: BLE001, S110  # what is wrong is told below
                pass
        return super().result

    def _stop(self, args: Arguments) -> str:
        self._asker.stop()
        return self.opening.stop(args)

    def _retry(self, args: Arguments) -> str:
        self._asker.again()
        return self.opening.retry(args)

    def _vocabulary(self, snapshot: PsychometricBenchState) -> EmbeddingSubject | None:
        """Where words are looked up: a language model has tokens for them."""
        subject = self.subject(snapshot)
        # Marks ask for what both have alike.
        return None if subject is None else cast("EmbeddingSubject", self._words(subject, snapshot))

    def _to_trace(
        self, snapshot: PsychometricBenchState
    ) -> tuple[Question, EmbeddingSubject] | None:
        subject, word = self.subject(snapshot), snapshot.word.strip()
        if not isinstance(subject, EmbeddingEnsemble) or subject.kind != "ensemble":
            return None
        if word not in subject:
            return None
        try:
            pairs = _chosen_pairs(snapshot)
        except QueryError:
            return None
        return Question(snapshot.subject, word, tuple(pairs)), subject

    def _to_layer(
        self, snapshot: PsychometricBenchState
    ) -> tuple[LayersQuestion, FramedModel] | None:
        subject, word = self.subject(snapshot), snapshot.word.strip()
        if not isinstance(subject, LanguageModel) or not word:
            return None
        try:
            question = _asked(snapshot)
            if not self._asker.is_known(subject, question):
                return None  # one at a time: what is on the screen comes first
            model = self._asker.model(subject, question.frames)
        except (QueryError, SubjectError, FrameError):
            return None
        options = tuple(_reading(snapshot).items())
        cues = CuePairs(question.pairs, snapshot.pairs_as)
        return LayersQuestion(snapshot.subject, word, cues, options, question.frames), model

    def _words(
        self, subject: Subject, snapshot: PsychometricBenchState
    ) -> EmbeddingSubject | ModelWords | FrameItems:
        if not isinstance(subject, LanguageModel):
            return subject
        frames = None if missing_design(snapshot) else choice_of(snapshot).frames
        return self._asker.words(subject) if frames is None else FrameItems(frames)

    def change(self, values: Mapping[str, Any]) -> None:
        """See the base: a selection that other pairs do not have gives way to the first of them."""
        pairs, selected = values.get("pairs"), self.state["selected_pairs"]
        if pairs and "selected_pairs" not in values and max(selected, default=0) >= len(pairs):
            values = {**values, "selected_pairs": [0]}
            self.emit({"selected_pairs": [0]})
        super().change(values)

    def ask(self, subject: Subject, snapshot: PsychometricBenchState) -> TwoAFCResult:
        """Ask about the one word."""
        if isinstance(subject, LanguageModel):
            model = self._asker.model(subject, choice_of(snapshot))
            word, reading = [snapshot.word.strip()], _reading(snapshot)
            if snapshot.layer:
                layered = bl.two_afc_layers(
                    model, word, _cues(snapshot), layers=[snapshot.layer], **reading
                )
                return layered.at(snapshot.layer)
            return bl.two_afc(model, word, _cues(snapshot), **reading)
        prior = snapshot.prior_sd or float("inf")
        return bl.two_afc(
            subject,
            [snapshot.word],
            _cues(snapshot),
            scoring=snapshot.scoring,
            perception=Perception(snapshot.noise, prior_sd=prior, decision=snapshot.decision),
            family=snapshot.curve,
            jnd=snapshot.jnd,
            levels=snapshot.levels,
            replicates=snapshot.replicates or None,
        )

    def inputs_for(self, result: Result) -> dict[str, Any]:
        """See the base: the first word is shown, with all pairs."""
        if not isinstance(result, TwoAFCResult):
            raise not_of_this_bench(self.component, result)
        arguments = recorded_arguments(result)
        inputs = recorded_inputs(self.component, arguments)
        observer = arguments.get("perception")
        if isinstance(observer, Perception):
            inputs |= {"noise": observer.noise, "decision": observer.decision}
            inputs |= {"prior_sd": observer.prior_sd} if observer.prior_sd < float("inf") else {}
        cues = arguments.get("cues")
        if isinstance(cues, CuePairs):
            inputs["pairs_as"] = cues.pairs_as
        if len(result.items) > 1:
            inputs["words"] = list(result.items)
        return {
            **inputs,
            "subject": result.provenance.subject,
            "word": result.items[0],
            "pairs": [list(pair) for pair in result.pairs],
            "selected_pairs": list(range(len(result.pairs))),
        }

    def is_common(self, subject: Subject, snapshot: PsychometricBenchState) -> bool:  # noqa: ARG002
        """That of an embedding: a language model's answers are kept with the bench."""
        return isinstance(subject, EmbeddingSubject)

    def look(self, result: TwoAFCResult, snapshot: PsychometricBenchState) -> Hashable | None:  # noqa: ARG002
        """The axis, and the pairs that a message offers; a language model's frames are its own."""
        if isinstance(self.subject(snapshot), LanguageModel):
            return None
        return snapshot.fit_axis, tuple(map(tuple, snapshot.pairs))

    def paint(self, result: TwoAFCResult, snapshot: PsychometricBenchState) -> dict[str, Any]:
        """The picture; with a single embedding and pair nothing tells how sure it is."""
        subject = self.subject(snapshot)
        if isinstance(subject, LanguageModel):
            return self._graded(subject, result, snapshot)
        if result.pooled.curves.fit.reason[0]:
            reason = str(result.pooled.curves.fit.reason[0])
            action = {"label": "Use the normal curve", "set": {"curve": "normal"}}
            notice = message("No curve can be fitted", f"{reason.capitalize()}.", action)
            return self.without_picture(snapshot, "error", notice)
        alone = result.n_observers == 1 and len(result.pairs) == 1 and not snapshot.noise
        return {
            "state": "cannot-say" if alone else "ready",
            "message": _nothing_varies(snapshot) if alone else None,
            "picture": picture_of(result, result.items[0], fit_axis=snapshot.fit_axis),
        }

    def _graded(
        self, lm: LanguageModel, result: TwoAFCResult, snapshot: PsychometricBenchState
    ) -> dict[str, Any]:
        """What a language model answered, whether or not there is a PSE."""
        alone = result.n_observers == 1 and len(result.pairs) == 1
        picture = picture_of(result, result.items[0], fit_axis=snapshot.fit_axis)
        model = self._asker.model(lm, choice_of(snapshot))
        picture["available"] = len(model.frames_for(result.items[0], result.pairs[0]))
        return {
            "state": "cannot-say" if alone else "ready",
            "message": _one_frame() if alone else None,
            "picture": picture,
        }

    def without_picture(
        self, snapshot: PsychometricBenchState, state: State, notice: Message | None
    ) -> dict[str, Any]:
        """An answer with the word's place in the list."""
        words, word = snapshot.words, snapshot.word
        position = f"{words.index(word) + 1} of {len(words)}" if word in words else ""
        subject = self.subject(snapshot)
        if isinstance(subject, LanguageModel) and snapshot.language == ENGLISH:
            pieces = len(self._asker.words(subject).pieces(word.strip())) if word.strip() else 0
            if pieces > 1:
                position = f"{position}, {pieces} tokens".removeprefix(", ")
        return {**super().without_picture(snapshot, state, notice), "position": position}

    def refused(self, snapshot: PsychometricBenchState, error: QueryError) -> dict[str, Any]:
        """For an unknown word, its neighbours."""
        answer = super().refused(snapshot, error)
        unknown = next((d for d in answer["dropped"] if d["role"] == "item"), None)
        if unknown is None:
            return answer
        near = unknown["suggestions"][:4]
        shown = "" if self._picture is None else self._picture["word"]
        # Where nothing is spelled alike, words of the list lead on, and that of the picture back.
        known = [word for word in snapshot.words if word != snapshot.word.strip()]
        offered = near or list(dict.fromkeys([*([shown] if shown else []), *known]))[:4]
        actions = [{"label": word, "set": {"word": word}} for word in offered]
        text = "Did you mean:" if near else "No word that it knows is spelled alike. Try:"
        if shown:
            text = f"The grey picture still shows “{shown}”. {text}"
        title = f"“{snapshot.word.strip()}”: {unknown['reason']}"
        return {**answer, "message": message(title, text, *actions), "unknown": unknown}

    def explain(
        self, shown: tuple[TwoAFCResult, Picture] | None, snapshot: PsychometricBenchState
    ) -> How:
        """From the blend at the handle to the verdict, for the word."""
        return how_of(shown, snapshot)

    def file_stem(self, result: TwoAFCResult) -> str:
        """The probe and the word."""
        return f"two-afc-{''.join(c if c.isalnum() else '-' for c in result.items[0])}"

    def table(self, result: TwoAFCResult, what: str) -> str:
        """Estimates, or the raw ``responses``."""
        frame = result.raw_frame() if what == "responses" else result.to_frame()
        return frame_text(frame)


OF_EMBEDDINGS = ("noise", "prior_sd", "decision", "scoring")
"""Options that mean nothing to a language model, which answers with probabilities of its own."""
OF_MODELS = ("rates", "layer", "language", "frame_design")
"""Options that mean nothing to an embedding, which answers with a step."""

_ASKED = (
    "word",
    "noise",
    "prior_sd",
    "decision",
    "curve",
    "rates",
    "jnd",
    "pairs_as",
    "levels",
    "replicates",
    "scoring",
    "layer",
    "language",
    "frame_design",
)


def _lists(snapshot: PsychometricBenchState) -> list[WordList]:
    """The words to step through."""
    return [{"name": "words", "terms": snapshot.words}]


def _chosen_pairs(snapshot: PsychometricBenchState) -> list[tuple[str, str]]:
    offered, chosen = snapshot.pairs, snapshot.selected_pairs
    if not chosen:
        raise QueryError("No cue pair is chosen. Choose one, or add your own.")
    if wrong := [i for i in chosen if i not in range(len(offered))]:
        raise QueryError(
            f"selected_pairs counts from 0 to {len(offered) - 1}, and {wrong[0]!r} is not in it. "
            "Choose among the pairs, or add your own."
        )
    return [cast("tuple[str, str]", tuple(offered[i])) for i in chosen]


def _cues(snapshot: PsychometricBenchState) -> CuePairs:
    return CuePairs(tuple(_chosen_pairs(snapshot)), snapshot.pairs_as)


def _asked(snapshot: PsychometricBenchState) -> Asked:
    pairs = tuple(dict.fromkeys(_chosen_pairs(snapshot)))
    return Asked(
        snapshot.subject, snapshot.word.strip(), pairs, snapshot.levels, snapshot.layer,
        choice_of(snapshot),
    )  # fmt: skip


def _reading(snapshot: PsychometricBenchState) -> dict[str, Any]:
    """How a language model's answers are read."""
    return {
        "family": snapshot.curve,
        "lapses": snapshot.rates,
        "jnd": snapshot.jnd,
        "levels": snapshot.levels,
        "replicates": snapshot.replicates or None,
    }


def _choose_word(
    subject: EmbeddingSubject | ModelWords | FrameItems, words: Sequence[str]
) -> Message:
    offers = [w for w in dict.fromkeys([*FIRST_WORDS, *words]) if w in subject][:3]
    return message(
        "Choose a word to probe",
        "Type any word this subject knows, or start with one of these.",
        *({"label": w, "set": {"word": w}} for w in offers),
    )


def _one_frame() -> Message:
    return message(
        "One frame and one cue pair: no interval",
        "The answers are exact, but a single frame does not show how they depend on the wording.",
        {"label": "Use all frames", "set": {"replicates": 0}},
    )


def _nothing_varies(snapshot: PsychometricBenchState) -> Message:
    everything = list(range(len(snapshot.pairs)))
    pool = {
        "label": f"Use {counted(len(everything), 'cue pair')}",
        "set": {"selected_pairs": everything},
    }
    return message(
        "One embedding: no corpus interval",
        "The switch point is exact, but nothing varies. Choose a source of variation.",
        *([pool] if len(everything) > 1 else []),
        {"label": "Set a noise", "set": {"noise": 0.05}},
    )
