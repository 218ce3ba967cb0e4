"""A question to a language model: a frame with its words, and its answers at chosen layers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import special

from biaslab.arguments import check_choice, described
from biaslab.errors import QueryError
from biaslab.probes.psychometrics.frames import Frame, Span
from biaslab.subjects.language_model.model import LanguageModel
from biaslab.subjects.language_model.patching import PATCHES, Patch, blocks_of, read_layers
from biaslab.subjects.language_model.reading import Blend, Look
from biaslab.subjects.language_model.tokens import TokenizedText

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Pair = tuple[str, str]
Role = Literal["item", "cue", "frame"]


@dataclass(frozen=True, eq=False)
class Question:
    """One frame with an item and a pair of cues, tokenized for any stimulus.

    Attributes
    ----------
    looks : tuple of Look
        At alpha 0; each look reads one or both cues.
    cue : tuple of ndarray
        For each look, the cue of each reading: 0 or 1.
    averaged : bool
        Whether the cues differ in number of tokens, so that their mean embeddings are blended.
    """

    looks: tuple[Look, ...]
    cue: tuple[Integers, ...]
    averaged: bool


def question(lm: LanguageModel, frame: Frame, item: str, pair: Pair) -> Question:
    """Tokenize a frame with its words.

    Raises
    ------
    UnusableError
        When that fails, with the cause: the item, the cues, or the frame.
    """
    texts = {
        (stimulus, answer): _tokens(lm, frame, item, pair, stimulus, answer)
        for stimulus in (0, 1)
        for answer in (0, 1)
    }
    first = texts[0, 0]
    for each in texts.values():
        if [len(part) for part in each.outside] != [len(part) for part in first.outside] or any(
            (a != b).any() for a, b in zip(each.outside, first.outside, strict=True)
        ):
            raise UnusableError(
                "frame",
                frame.text,
                f"the rest of the sentence has other tokens with {pair[0]!r} than with {pair[1]!r}",
            )
    shown = [texts[s, 0].stimulus for s in (0, 1)]
    tokens = [texts[0, a].answer for a in (0, 1)]
    if any((texts[s, 1].stimulus != shown[s]).any() for s in (0, 1)) or any(
        len(texts[1, a].answer) != len(tokens[a]) or (texts[1, a].answer != tokens[a]).any()
        for a in (0, 1)
    ):
        raise UnusableError("frame", frame.text, "the tokens of a cue depend on the other cue")
    if len(tokens[0]) == len(tokens[1]) and (tokens[0] == tokens[1]).all():
        raise UnusableError("cue", " / ".join(pair), "the model reads both cues as the same tokens")
    if lm.kind == "mlm" and len(tokens[0]) != len(tokens[1]):
        raise UnusableError(
            "cue",
            " / ".join(pair),
            f"they have {len(tokens[0])} and {len(tokens[1])} tokens: the number of masks would"
            " tell a masked model which cue is meant",
        )
    averaged = len(shown[0]) != len(shown[1])
    sides = [side[None, :] if averaged else side[:, None] for side in shown]
    places = 1 if averaged else len(shown[0])
    before, middle, after = first.outside
    blended = shown[0][:places]
    stimulus_first = first.stimulus_first
    answer_at = len(before) + (places + len(middle) if stimulus_first else 0)

    def sequence(answer: Integers) -> Integers:
        parts = [blended, middle, answer] if stimulus_first else [answer, middle, blended]
        return np.concatenate([before, *parts, after])

    def blend(length: int) -> Blend:
        start = len(before) if stimulus_first else len(before) + length + len(middle)
        return Blend(start, sides[0], sides[1])

    looks: list[Look] = []
    cues: list[Integers] = []
    if lm.kind == "clm":
        # The reading at a position is the prediction of the next token; later text is masked.
        ends = [sequence(tokens[a])[: answer_at + len(tokens[a]) - 1] for a in (0, 1)]
        reads = [answer_at - 1 + np.arange(len(tokens[a])) for a in (0, 1)]
        whole = blend(0)
        if all(len(span) == 1 for span in tokens):
            looks.append(Look(ends[0], np.concatenate(reads), np.concatenate(tokens), whole))
            cues.append(np.array([0, 1]))
        else:
            for a in (0, 1):
                looks.append(Look(ends[a], reads[a], tokens[a], whole))
                cues.append(np.full(len(tokens[a]), a))
    else:
        length = len(tokens[0])
        hidden = np.full(length, int(lm.tokenizer.mask_token_id))
        whole = blend(length)
        # The chain rule from left to right: of the first token both cues are read at once, before
        # the later ones a cue's own tokens are shown.
        looks.append(
            Look(
                sequence(hidden),
                np.full(2, answer_at),
                np.array([tokens[0][0], tokens[1][0]]),
                whole,
            )
        )
        cues.append(np.array([0, 1]))
        for position in range(1, length):
            for a in (0, 1):
                part = np.concatenate([tokens[a][:position], hidden[position:]])
                at = np.array([answer_at + position])
                looks.append(Look(sequence(part), at, tokens[a][position : position + 1], whole))
                cues.append(np.array([a]))
    return Question(tuple(looks), tuple(cues), averaged)


@dataclass(frozen=True)
class Unusable:
    """An unusable item, cue or frame, with the reason."""

    role: Role
    term: str
    reason: str


class UnusableError(Exception):
    """An item, cue or frame that cannot be asked."""

    def __init__(self, role: Role, term: str, reason: str) -> None:
        super().__init__(reason)
        self.unusable = Unusable(role, term, reason)


@dataclass(frozen=True, eq=False)
class _Parts:
    """Tokens of a filled frame: the 3 parts outside the two cues, and the cues."""

    outside: tuple[Integers, Integers, Integers]
    stimulus: Integers
    answer: Integers
    stimulus_first: bool


def _tokens(
    lm: LanguageModel, frame: Frame, item: str, pair: Pair, stimulus: int, answer: int
) -> _Parts:
    filled = frame.fill(item, pair[stimulus], pair[answer])
    text = filled.text if lm.kind == "mlm" else filled.text[: filled.answer[1]]
    try:
        tokens = lm.tokenize(text)
    except QueryError as error:
        raise UnusableError(*_to_blame(lm, frame, item, pair, str(error))) from error
    for span in filled.items:
        if tokens.unknown[tokens.within(*span)].any():
            raise UnusableError("item", item, f"has a part that {lm.name} has no token for")
    stimulus_tokens, answer_tokens = (
        _cue(lm, frame, tokens, span, pair[which], pair)
        for span, which in ((filled.stimulus, stimulus), (filled.answer, answer))
    )
    stimulus_first = filled.stimulus < filled.answer
    low, high = (
        (stimulus_tokens, answer_tokens) if stimulus_first else (answer_tokens, stimulus_tokens)
    )
    ids = tokens.ids
    outside = (ids[: low[0]], ids[low[-1] + 1 : high[0]], ids[high[-1] + 1 :])
    return _Parts(outside, ids[stimulus_tokens], ids[answer_tokens], stimulus_first)


def _cue(
    lm: LanguageModel, frame: Frame, tokens: TokenizedText, span: Span, cue: str, pair: Pair
) -> Integers:
    """Return the positions of a cue's tokens, if they are its own and known."""
    positions = tokens.within(*span)
    if not len(positions):
        raise UnusableError("cue", " / ".join(pair), f"{cue!r} is not a token of {lm.name}")
    if tokens.unknown[positions].any():
        raise UnusableError(
            "cue", " / ".join(pair), f"{cue!r} has a part that {lm.name} has no token for"
        )
    if tokens.spans[positions[0], 0] < span[0] or tokens.spans[positions[-1], 1] > span[1]:
        raise UnusableError("frame", frame.text, f"{cue!r} and its neighbour form one token")
    # The space before a word may be a token, or a part of the word's first one: it is included.
    first = int(positions[0])
    while first > 0 and _is_space(tokens, first - 1):
        first -= 1
    return np.arange(first, int(positions[-1]) + 1)


def _is_space(tokens: TokenizedText, at: int) -> bool:
    # Some tokenizers say that a token of a space alone is nowhere.
    start, end = tokens.spans[at]
    return not tokens.special[at] and not tokens.text[start:end].strip()


def _to_blame(
    lm: LanguageModel, frame: Frame, item: str, pair: Pair, reason: str
) -> tuple[Role, str, str]:
    """Return the role of the first word that does not have its own tokens."""
    for role, term, text in (
        ("item", item, item), ("cue", " / ".join(pair), pair[0]), ("cue", " / ".join(pair), pair[1])
    ):  # fmt: skip
        try:
            lm.tokenize(text)
        except QueryError as error:
            return role, term, f"cannot be read: {error}"  # type: ignore[return-value]
    return "frame", frame.text, reason


def shares_of(
    questions: Sequence[Question], values: Sequence[Floats], levels: int
) -> Iterator[float]:
    """Yield P(cue 2) of each question at each level, from the readings of its looks."""
    at = 0
    for question in questions:
        for _ in range(levels):
            scores = np.zeros(2)
            for cue in question.cue:
                np.add.at(scores, cue, values[at])
                at += 1
            yield float(special.expit(scores[1] - scores[0]))


ALL = "all"


def chosen_layers(lm: LanguageModel, layers: Sequence[int] | str) -> tuple[int, ...]:
    """Return the layers of a model that are meant, ascending.

    - `lm`: of L blocks: its layers are 0, the input embeddings, to L, what the last block passes
      on.
    - Raises `QueryError` when there is none, or one is no layer of the model; says which it has.
      Raises `SubjectError` when the model has no blocks that can be entered.
    """
    last = len(blocks_of(lm))
    has = f"{lm.name} has layers 0, its input, to {last}, its last block."
    if isinstance(layers, str) and layers == ALL:
        return tuple(range(last + 1))
    if isinstance(layers, str) or not isinstance(layers, Sequence | np.ndarray | range):
        raise QueryError(f"layers is {described(layers)}. Pass 'all' or a list of them: {has}")
    chosen: list[int] = []
    for layer in layers:
        if isinstance(layer, bool) or not isinstance(layer, int | np.integer):
            raise QueryError(f"A layer is a whole number; got {described(layer)}. {has}")
        if not 0 <= layer <= last:
            raise QueryError(f"There is no layer {layer}: {has}")
        if int(layer) in chosen:
            raise QueryError(f"Layer {layer} is listed twice. List each layer once.")
        chosen.append(int(layer))
    if not chosen:
        raise QueryError(f"The list of layers is empty. Pass 'all' or some of them: {has}")
    return tuple(sorted(chosen))


def check_patch(patch: Patch) -> None:
    """Refuse what is no way of patching.

    Raises `ArgumentError` when it is none.
    """
    check_choice(patch, PATCHES, "patch")


def answers_at_layers(
    lm: LanguageModel,
    questions: Sequence[Question],
    alphas: Floats,
    layers: Sequence[int],
    patch: Patch,
    memory_mb: float | None,
    between: Callable[[], None] | None,
    advance: Callable[[float], None],
) -> Floats:
    """Return P(cue 2), shape (layers, questions, L).

    ``advance`` is called with how many of the questions' answers more are there.
    """
    looks = [look for question in questions for look in question.looks]
    readings = len(looks) * len(alphas)
    answers = len(questions) * len(alphas)
    values = read_layers(
        lm, looks, alphas, layers, patch=patch, memory_mb=memory_mb,
        groups=[len(question.looks) for question in questions], between=between,
        advance=lambda more: advance(more * answers / readings),
    )  # fmt: skip
    out = np.empty((len(layers), len(questions), len(alphas)))
    for at in range(len(layers)):
        # As `shares_of` takes them: of each question, of each stimulus, its looks.
        flat, begin = [], 0
        for question in questions:
            own = values[begin : begin + len(question.looks)]
            begin += len(question.looks)
            flat += [look[at, a] for a in range(len(alphas)) for look in own]
        shares = np.array(list(shares_of(questions, flat, len(alphas))))
        out[at] = shares.reshape(len(questions), len(alphas))
    return out
