"""Frames of a language in the psychometric bench: its items and cues take the place of others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import biaslab as bl
from biaslab.frames import FrameSet
from biaslab.subjects.embedding.terms import Resolution, Unknown
from biaslab.subjects.language_model.model import LanguageModel
from biaslab_widgets.benches.psychometric.fields import (
    ENGLISH,
    GENDER_PAIRS,
    PsychometricBenchState,
)
from biaslab_widgets.core.messages import message
from biaslab_widgets.core.records import Message


@dataclass(frozen=True)
class FrameChoice:
    """Which frames a language model is asked in."""

    language: str = ENGLISH
    design: str = "neutral"

    @property
    def frames(self) -> FrameSet | None:
        """The frames of the language; None for the English ones, which depend on the words.

        Raises
        ------
        FrameError
            When the language does not have this design.
        """
        if self.language == ENGLISH:
            return None
        found: FrameSet = bl.frames.get(self.language, self.design)  # type: ignore[arg-type]
        return found


def choice_of(snapshot: PsychometricBenchState) -> FrameChoice:
    """The frames that are chosen."""
    design = "neutral" if snapshot.language == ENGLISH else snapshot.frame_design
    return FrameChoice(snapshot.language, design)


def missing_design(snapshot: PsychometricBenchState) -> Message | None:
    """Why a language has no frames of the chosen design; None where it has."""
    if snapshot.language == ENGLISH or snapshot.frame_design == "neutral":
        return None
    language = bl.frames.get(snapshot.language).language
    if language.has_gender:
        return None
    return message(
        f"{language.title} has no forms for gender",
        "Its frames name a field of work, and nothing agrees with the cue.",
        {"label": "Use neutral frames", "set": {"frame_design": "neutral"}},
    )


class LanguageWords:
    """Puts the words and cues of the chosen language in the place of those of another.

    A list that a person or Python has given beside the language stays.
    """

    def __init__(self) -> None:
        self._filled = ""

    def inputs(self, subject: object, snapshot: PsychometricBenchState) -> dict[str, Any]:
        """Inputs to set, once after each change of language; only models are asked in one."""
        language = snapshot.language if isinstance(subject, LanguageModel) else ENGLISH
        if language == self._filled:
            return {}
        is_first, self._filled = not self._filled, language
        if is_first and language == ENGLISH:
            return {}
        items, pairs = _of(language, subject)
        found: dict[str, Any] = {}
        if not is_first or not snapshot.words:
            found["words"] = items
            if snapshot.word.strip() and snapshot.word not in items:
                found["word"] = items[0] if items else ""
        if not is_first or [list(pair) for pair in snapshot.pairs] == GENDER_PAIRS:
            found |= {"pairs": pairs, "selected_pairs": [0]}
        return found


class FrameItems:
    """The items of a language's frames, looked up as `EmbeddingSubject` does.

    Parameters
    ----------
    frames : FrameSet
    """

    def __init__(self, frames: FrameSet) -> None:
        self.frames = frames

    def __contains__(self, term: str) -> bool:
        """Whether the frames have its forms."""
        return not self.frames.why_not(term)

    def resolve(self, terms: Iterable[str], *, suggest: bool = True) -> Resolution:  # noqa: ARG002
        """Which terms the frames have forms of; forms of one item are one word."""
        known: dict[str, str] = {}
        unknown: list[Unknown] = []
        duplicates: list[str] = []
        for term in dict.fromkeys(terms):
            if reason := self.frames.why_not(term):
                unknown.append(Unknown(term, reason))
            elif (key := str(self.frames.key_of(term))) in known:
                duplicates.append(term)
            else:
                known[key] = term
        words = tuple(known.values())
        return Resolution(words, tuple(unknown), tuple(duplicates), {w: (w,) for w in words})

    def suggest(self, term: str) -> tuple[str, ...]:  # noqa: ARG002
        """None: a reason names all items."""
        return ()


def _of(language: str, subject: object) -> tuple[list[str], list[Sequence[str]]]:
    """Items and pairs of cues of a language."""
    if language == ENGLISH:
        words = list(bl.specs.get("occupations").items)
        if not isinstance(subject, LanguageModel):
            words = list(subject.resolve(words, suggest=False).known)  # type: ignore[attr-defined]
        return words, [list(pair) for pair in GENDER_PAIRS]
    frames = bl.frames.get(language)
    return list(frames.items), [list(pair) for pair in frames.cues]
