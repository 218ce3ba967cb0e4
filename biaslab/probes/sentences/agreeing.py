"""Pairs of sentences from the frames of a language: both versions agree in gender and number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from biaslab.errors import SentenceError
from biaslab.frames import FrameSet
from biaslab.probes.sentences.pairs import PairSet, RejectedSentence, SentencePair, Span

_WORD = re.compile(r"[^\W_]+")
_ONE_FORM = ("feminine", "masculine")


def frame_pairs(frames: FrameSet) -> PairSet:
    """Return pairs about each item of the frames, one or more for each frame.

    The cue stands in both places of the frame: *In this year she works ..., and in the evening she
    reads*. A pair's versions have the same words but for the cue, and in the design ``"agreeing"``
    for what agrees with it. Pairs of cues take turns over the frames; of names, all pairs of one
    female and one male name over the origins stand in a frame.

    - `frames`: in the design ``"neutral"``, ``"both"`` or ``"agreeing"``.
    - Returns: ``attribute`` is the item's key, ``frame`` the number of the frame. An item without a
      stereotype has no stereotyped version and is among the rejected.
    - Raises `SentenceError` when the design shows one gender whoever the person is.
    """
    if frames.design in _ONE_FORM:
        raise SentenceError(
            f"In the design {frames.design!r} the item does not agree with one of the two cues."
            " Use 'neutral', 'both' or 'agreeing' for pairs of sentences."
        )
    source = f"frames {frames.name}"
    pairs: list[SentencePair] = []
    rejected = []
    for number, item in enumerate(frames.items):
        stereotype = frames.language.items[item].stereotype
        if stereotype:
            pairs += _about(frames, item, stereotype == "male", number, source)
        else:
            reason = f"The frames do not say which gender {item!r} is a stereotype of. Add it."
            rejected.append(RejectedSentence("", "no-stereotype", reason, item, source=source))
    return PairSet(tuple(pairs), tuple(rejected), source, "", (frames.about,))


def _about(
    frames: FrameSet, item: str, turned: bool, offset: int, source: str
) -> Iterator[SentencePair]:
    sides = [frames.sentences(item, gender) for gender in ("female", "male")]
    origin = {
        name: f" {place}" for place, names in frames.factors["origin"].items() for name in names
    }
    if frames.cues_are == "words":
        origin = {}
    for i, both in enumerate(zip(*sides, strict=True)):
        # By twos, as phrases take turns by ones: each pair of cues then meets each phrase.
        for cues in frames.cue_sets[(i // 2 + offset) % len(frames.cue_sets)]:
            filled = [one.fill(cue, cue) for one, cue in zip(both, cues, strict=True)]
            texts = filled[0].text, filled[1].text
            marked = [
                tuple(span for span in _changed(texts[k], texts[1 - k]) if not _meet(span, cue))
                for k, cue in enumerate(one.stimulus for one in filled)
            ]
            groups = tuple(
                f"{gender}{origin.get(cue, '')}"
                for gender, cue in zip(("female", "male"), cues, strict=True)
            )
            first, second = (1, 0) if turned else (0, 1)
            yield SentencePair(
                stereotyped=texts[first],
                against=texts[second],
                attribute=item,
                attribute_list=f"{'male' if turned else 'female'} occupations",
                groups=(groups[first], groups[second]),
                terms=(filled[first].stimulus, filled[second].stimulus),
                references=(marked[first], marked[second]),
                source=source,
                frame=f"{frames.language.code} {i + 1}",
            )


def _changed(text: str, other: str) -> Iterator[Span]:
    """Yield the spans of words that the other version does not have at their place."""
    words, others = list(_WORD.finditer(text)), list(_WORD.finditer(other))
    matcher = SequenceMatcher(None, [w[0] for w in words], [w[0] for w in others], autojunk=False)
    for kind, start, end, _, _ in matcher.get_opcodes():
        if kind != "equal" and end > start:
            yield words[start].start(), words[end - 1].end()


def _meet(span: Span, other: Span) -> bool:
    return span[0] < other[1] and other[0] < span[1]
