"""Controller of the psychometric explorer: a word, cue pairs and a subject, answered live."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import biaslab as bl
from biaslab.errors import QueryError
from biaslab.probes.psychometrics import Perception, TwoAFCResult
from biaslab.subjects.base import EmbeddingSubject
from biaslab_widgets.controllers.base import Emit
from biaslab_widgets.controllers.messages import message
from biaslab_widgets.controllers.psychometric_fields import PSYCHOMETRIC_BENCH, Picture
from biaslab_widgets.controllers.psychometric_picture import picture_of
from biaslab_widgets.controllers.records import Message
from biaslab_widgets.controllers.sources import Source
from biaslab_widgets.controllers.subject_bench import State
from biaslab_widgets.controllers.word_bench import WordBenchController
from biaslab_widgets.controllers.word_list_records import WordList

FIRST_WORDS = ("nurse", "electrician", "teacher")


class PsychometricController(WordBenchController[TwoAFCResult, Picture]):
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
        super().__init__(sources, emit)
        self._words_given = words is not None
        self.state |= {"words": list(words or ()), "word": words[0] if words else ""}

    def opened(self, subject: EmbeddingSubject, snapshot: dict[str, Any]) -> dict[str, Any]:
        """Fill the word list, once."""
        if self._words_given:
            return {}
        self._words_given = True
        if snapshot["words"]:
            return {}
        return {"words": list(subject.resolve(bl.specs.get("occupations").items).known)}

    def missing(self, subject: EmbeddingSubject, snapshot: dict[str, Any]) -> Message | None:
        """A word."""
        return None if snapshot["word"].strip() else _choose_word(subject, snapshot["words"])

    def key(self, snapshot: dict[str, Any]) -> object:
        """The options of the probe."""
        return (tuple(_chosen_pairs(snapshot)), *(snapshot[name] for name in _ASKED))

    def ask(self, subject: EmbeddingSubject, snapshot: dict[str, Any]) -> TwoAFCResult:
        """Ask about the one word."""
        prior = snapshot["prior_sd"] or float("inf")
        return bl.two_afc(
            subject,
            [snapshot["word"]],
            _chosen_pairs(snapshot),
            scoring=snapshot["scoring"],
            perception=Perception(snapshot["noise"], prior_sd=prior, decision=snapshot["decision"]),
            curve=snapshot["curve"],
            jnd=snapshot["jnd"],
            pairs_as=snapshot["pairs_as"],
            levels=snapshot["levels"],
            replicates=snapshot["replicates"] or None,
        )

    def paint(self, result: TwoAFCResult, snapshot: dict[str, Any]) -> dict[str, Any]:
        """The picture; with a single embedding and pair nothing tells how sure it is."""
        if result.pooled.curves.fit.reason[0]:
            reason = str(result.pooled.curves.fit.reason[0])
            action = {"label": "Use the normal curve", "set": {"curve": "normal"}}
            told = message("No curve can be fitted", f"{reason.capitalize()}.", action)
            return self.without_picture(snapshot, "error", told)
        alone = result.n_observers == 1 and len(result.pairs) == 1 and not snapshot["noise"]
        return {
            "state": "cannot-say" if alone else "ready",
            "message": _nothing_varies(snapshot) if alone else None,
            "picture": picture_of(result, result.items[0], snapshot),
        }

    def without_picture(
        self, snapshot: dict[str, Any], state: State, told: Message | None
    ) -> dict[str, Any]:
        """An answer with the word's place in the list."""
        words, word = snapshot["words"], snapshot["word"]
        position = f"{words.index(word) + 1} of {len(words)}" if word in words else ""
        return {**super().without_picture(snapshot, state, told), "position": position}

    def refused(self, snapshot: dict[str, Any], error: QueryError) -> dict[str, Any]:
        """For an unknown word, its neighbours."""
        answer = super().refused(snapshot, error)
        unknown = next((d for d in answer["dropped"] if d["role"] == "item"), None)
        if unknown is None:
            return answer
        actions = [{"label": s, "set": {"word": s}} for s in unknown["suggestions"][:4]]
        near = "The nearest words it knows:" if actions else "Try another word."
        title = f"“{snapshot['word'].strip()}”: {unknown['reason']}"
        return {**answer, "message": message(title, near, *actions), "unknown": unknown}

    def marked_lists(self, snapshot: dict[str, Any]) -> list[WordList]:
        """The words to step through."""
        return [{"name": "words", "terms": snapshot["words"]}]

    def file_stem(self, result: TwoAFCResult) -> str:
        """The probe and the word."""
        return f"two-afc-{''.join(c if c.isalnum() else '-' for c in result.items[0])}"

    def table(self, result: TwoAFCResult, what: str) -> str:
        """Estimates, or the raw ``responses``."""
        frame = result.responses_frame() if what == "responses" else result.to_frame()
        return str(frame.to_csv(index=False))


_ASKED = (
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


def _choose_word(subject: EmbeddingSubject, words: Sequence[str]) -> Message:
    offers = [w for w in dict.fromkeys([*FIRST_WORDS, *words]) if w in subject][:3]
    return message(
        "Choose a word to ask about",
        "Type any word this subject knows, or start with one of these.",
        *({"label": w, "set": {"word": w}} for w in offers),
    )


def _nothing_varies(snapshot: dict[str, Any]) -> Message:
    everything = list(range(len(snapshot["pairs"])))
    pool = {"label": f"Use {len(everything)} cue pairs", "set": {"selected_pairs": everything}}
    return message(
        "One embedding: no corpus interval",
        "The switch point is exact, but there is nothing to vary. Choose what varies.",
        *([pool] if len(everything) > 1 else []),
        {"label": "State a noise", "set": {"noise": 0.05}},
    )
