"""Frames: sentences that put a two-alternative question, and how far a model heeds their grammar.

A frame holds an item, the stimulus at one place and an answer at another. The stimulus is a blend
of two cues (Liang and Acuna 2020, eq. 1); the answer is the model's guess which of the two cues
stands there.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from biaslab.errors import QueryError
from biaslab.probes.crossed_groups import CrossedEffect, CrossedGroups, mean_leans
from biaslab.probes.psychometrics.asking import ANSWERS
from biaslab.probes.psychometrics.result import TwoAFCResult
from biaslab.probes.sentences.terms import Kind, Term, kind_of
from biaslab.probes.sentences.words import GENDER_OF, GENDERED_NOUNS, Case, cases_of
from biaslab.records.wording import article
from biaslab.stats.crossed.effects import effect_estimate

Span = tuple[int, int]
SLOTS = ("stimulus", "item", "answer")
_SLOT = re.compile(r"\{([^{}]*)\}")
_ARTICLE = re.compile(r"\b([Aa])n? (?=\{item\})")


@dataclass(frozen=True)
class Filled:
    """A frame's sentence with the words in it.

    Attributes
    ----------
    text : str
    stimulus, answer : (int, int)
        Positions of the two cues: first character, and the one after the last.
    items : tuple of (int, int)
        Position of the item.
    """

    text: str
    stimulus: Span
    answer: Span
    items: tuple[Span, ...]


@dataclass(frozen=True)
class Frame:
    """A sentence with ``{stimulus}``, ``{answer}`` and ``{item}``.

    ``a`` or ``an`` before the item is put right, unless the frame has the item's own forms.

    Attributes
    ----------
    text : str
    forms : tuple of str
        The item's form at each ``{item}``, in another language or gender; empty for the item as it
        is.

    Raises
    ------
    QueryError
        When a slot is missing, repeated too often, or unknown.
    """

    text: str
    forms: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise QueryError(
                f"A frame is a sentence such as {EXAMPLE!r}; got {type(self.text).__name__}."
            )
        slots = _SLOT.findall(self.text)
        for name in SLOTS:
            count = slots.count(name)
            if count == 0:
                raise QueryError(
                    f"The frame {self.text!r} has no {{{name}}}: write it where"
                    f" {_MEANINGS[name]}, as in {EXAMPLE!r}."
                )
            if count > 1 and name != "item":
                raise QueryError(
                    f"The frame {self.text!r} has {{{name}}} {count} times. Write it once; for the"
                    ' same word again write it in other words, such as "this person".'
                )
        if odd := sorted(set(slots) - set(SLOTS)):
            raise QueryError(
                f"The frame {self.text!r} has {{{odd[0]}}}, which is not a slot. The slots are"
                " {stimulus}, {item} and {answer}."
            )

    @property
    def answer_is_last(self) -> bool:
        """Whether the answer comes last, as a causal model needs it."""
        places = [self.text.index(f"{{{name}}}") for name in SLOTS]
        return max(places) == places[2] and self.text.rindex("{item}") < places[2]

    def fill(self, item: str, stimulus: str, answer: str) -> Filled:
        """Return the sentence with these words."""
        template = self.text if self.forms else _with_article(self.text, item)
        words = {"stimulus": stimulus, "item": item, "answer": answer}
        forms = iter(self.forms)
        text, at, spans = "", 0, {name: list[Span]() for name in SLOTS}
        for slot in _SLOT.finditer(template):
            text += template[at : slot.start()]
            word = words[slot.group(1)]
            if slot.group(1) == "item":
                word = next(forms, item)
            spans[slot.group(1)].append((len(text), len(text) + len(word)))
            text += word
            at = slot.end()
        text += template[at:]
        return Filled(text, spans["stimulus"][0], spans["answer"][0], tuple(spans["item"]))


def _with_article(text: str, item: str) -> str:
    return _ARTICLE.sub(
        lambda m: (article(item).capitalize() if m.group(1) == "A" else article(item)) + " ", text
    )


EXAMPLE = "The {stimulus} works as a {item}. Everyone knows the {answer} well."
_MEANINGS = {
    "stimulus": "the blend of the two cues is shown",
    "item": "the word asked about stands",
    "answer": "the model guesses the cue",
}


def own_frames(texts: Sequence[str] | str) -> tuple[Frame, ...]:
    """Return frames from the user's sentences.

    Raises `QueryError` when there is none, one is invalid, or one is repeated.
    """
    values = [texts] if isinstance(texts, str) else list(texts)
    if not values:
        raise QueryError(f"There is no frame. Give at least one sentence, such as {EXAMPLE!r}.")
    frames = tuple(Frame(text) for text in values)
    for i, frame in enumerate(frames):
        if frame in frames[:i]:
            raise QueryError(
                f"The frame {frame.text!r} appears twice and would count as two observers. Remove"
                " one."
            )
    return frames


def shipped_frames(item: str, cue_1: str, cue_2: str) -> tuple[Frame, ...]:
    """Return the shipped frames for a kind of item and of cues, in fixed order.

    Frame number i has the same content in every case, so that it is one observer.

    - `item`: the item: its kind of word determines its phrase.
    - `cue_1`, `cue_2`: the cues: they determine their case and the words around them.
    """
    data = _shipped()
    case, with_cue = _case(cue_1, cue_2)
    kind = next((k for k, kinds in data["kinds"].items() if kind_of(item) in kinds), "any")
    phrases = data["phrases"][kind]
    frames = []
    for i, shell in enumerate(data[case]):
        text = shell
        for name in ("VP", "NP"):
            text = text.replace(f"{{{name}}}", phrases[name][i % len(phrases[name])])
        text = text.replace("{a}", "a")
        for slot in ("{S}", "{O}", "{H}", "{T}"):
            text = text.replace(slot, with_cue.format("{stimulus}"))
        frames.append(Frame(text.replace("{A}", with_cue.format("{answer}"))))
    return tuple(frames)


def _case(cue_1: str, cue_2: str) -> tuple[str, str]:
    """Return the grammatical case of a pair of cues and the words around it."""
    cues = cue_1, cue_2
    if all(cue.lower() in GENDER_OF for cue in cues):
        both = cases_of(cue_1) & cases_of(cue_2)
        known = {Case.SUBJECT: "subject", Case.OBJECT: "object", Case.POSSESSIVE: "possessive"}
        return next(((name, "{}") for case, name in known.items() if case in both), _MENTION)
    terms = [Term.of(cue) for cue in cues]
    kinds = {term.kind for term in terms}
    if len(kinds) > 1:
        return _MENTION
    kind = kinds.pop()
    if kind is Kind.NAME:
        return "subject", "{}"
    if kind is Kind.ADJECTIVE:
        return "subject", "the {} person"
    if kind is Kind.PERSON and all(_is_one_person(term) for term in terms):
        return "subject", "the {}"
    return _MENTION


_MENTION = ("mention", "{}")


def _is_one_person(term: Term) -> bool:
    """Return whether it is known to name one person; an unknown word may be anything."""
    # Term takes an unknown word for a person, which is right for a group's terms only.
    return term.text.lower() in GENDERED_NOUNS and not term.is_plural


@cache
def _shipped() -> dict[str, Any]:
    file = resources.files("biaslab.probes.psychometrics") / "data" / "frames.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def agreement_effects(feminine: TwoAFCResult, masculine: TwoAFCResult) -> CrossedGroups:
    """Separate what grammar does from what the item does, frame by frame.

    Parameters
    ----------
    feminine, masculine : TwoAFCResult
        The same model, items, cues and frames, in the designs ``"feminine"`` and ``"masculine"``
        of `biaslab.frames.get`. The first cue of each pair is the female one.

    Returns
    -------
    CrossedGroups
        Two effects in points, with intervals over other items and frames, and each item's own by
        partial pooling. ``agreement``: how much more often the answer is the female cue, over all
        blends, with a feminine item than with a masculine one; 0 for a model that ignores grammar.
        ``lean``: how much more often it is the female than the male cue with both forms alike,
        halved, so that 0 is even.

    Raises
    ------
    QueryError
        When the two share no item or pair of cues, or not all frames.
    ValueError
        With fewer than three common items, or two frames.
    """
    if {feminine.scoring, masculine.scoring} != {ANSWERS}:
        raise QueryError(
            "Agreement is measured on a language model's answers in frames. Pass two results of"
            " bl.two_afc with observers=bl.frames.get(..., 'feminine') and 'masculine'."
        )
    items = [item for item in feminine.items if item in masculine.items]
    pairs = [pair for pair in feminine.pairs if pair in masculine.pairs]
    if not items or not pairs:
        what = "item" if not items else "pair of cues"
        raise QueryError(f"The two results share no {what}. Ask both about the same.")
    if feminine.n_observers != masculine.n_observers:
        raise QueryError(
            f"The results have {feminine.n_observers} and {masculine.n_observers} frames, so they"
            " cannot be paired: see .dropped for frames that one of them left out."
        )
    leans = np.stack([_leans(result, items, pairs) for result in (feminine, masculine)])
    frame, item = (index.ravel() for index in np.indices(leans.shape[1:]))
    level = feminine.level
    effects = []
    for name, values in (
        ("agreement: feminine − masculine", leans[0] - leans[1]),
        ("lean: both forms alike", leans.mean(axis=0)),
    ):
        one = effect_estimate(values.ravel(), item, frame, len(items), level)
        effects.append(
            CrossedEffect(
                name, (name.split(":")[0],), one.mean, one.low, one.high, one.sd, one.sd_low,
                one.sd_high, one.items, one.item_intervals,
            )
        )  # fmt: skip
    return CrossedGroups(
        tuple(effects), tuple(items), "points", level, feminine.observer, len(item)
    )


def _leans(
    result: TwoAFCResult, items: list[str], pairs: list[tuple[str, str]]
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return leans to cue 1 in points, (frames x items), averaged over pairs."""
    every = mean_leans(result.responses(), result.stimuli)
    rows = [result.items.index(item) for item in items]
    columns = [result.pairs.index(pair) for pair in pairs]
    return np.asarray(every[:, rows][:, :, columns].mean(axis=2))
