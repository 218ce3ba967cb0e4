"""Pairs of a probe: given, read from a file, or made for a spec."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeAlias

from biaslab.arguments import instance, listed
from biaslab.errors import QueryError
from biaslab.frames import FrameSet
from biaslab.probes.sentences.agreeing import frame_pairs
from biaslab.probes.sentences.pairs import PAIRINGS, PairSet, SentencePair
from biaslab.probes.sentences.sentence import TestSentence
from biaslab.specs import Spec

Sentences: TypeAlias = (
    PairSet
    | FrameSet
    | Sequence[SentencePair]
    | Sequence[TestSentence | str]
    | str
    | os.PathLike[str]
)


def resolve_pairs(
    spec: Spec | None,
    sentences: Sentences | None,
    pairing: str | None = None,
    groups: Sequence[str] | None = None,
) -> PairSet:
    """Return the pairs to score.

    Parameters
    ----------
    spec : Spec, optional
        Groups and attribute lists: needed to make pairs.
    sentences : PairSet, FrameSet, sequence of SentencePair, str or TestSentence, or path
        Pairs, or frames of a language, or sentences to make pairs of, or a file; by default the
        package's templates.
    pairing : {"group", "attribute"}, optional
        Kind of term swapped; by default the group's term, or that of given pairs.
    groups : (str, str), optional
        Two of the spec's groups; by default its first two.

    Raises
    ------
    QueryError
        If neither a spec nor sentences are given, or pairs have another pairing.
    SentenceError
        If a file cannot be read.
    ValueError
        If there is no such pairing.
    """
    if pairing is not None and pairing not in PAIRINGS:
        raise ValueError(f"pairing is {pairing!r}: choose one of {', '.join(PAIRINGS)}.")
    if isinstance(sentences, PairSet):
        pairs = sentences
    elif isinstance(sentences, FrameSet):
        if spec is not None:
            raise QueryError(
                f"The frames {sentences.name!r} have their own cues and items. Leave out spec."
            )
        pairs = frame_pairs(sentences)
    elif isinstance(sentences, str | os.PathLike):
        from biaslab.probes.sentences.exchange import read_pairs

        pairs = read_pairs(sentences, spec=spec, groups=groups, pairing=pairing or PAIRINGS[0])
    elif sentences is not None:
        pairs = _paired(sentences, spec, pairing, groups)
    elif spec is None:
        raise QueryError(
            "There is nothing to score. Give a spec, such as 'biastest-math-arts', or sentences."
        )
    else:
        from biaslab.probes.sentences.sources import default_pairs

        return default_pairs(spec, groups=groups, pairing=pairing or PAIRINGS[0])
    kinds = sorted({pair.pairing for pair in pairs})
    if len(kinds) > 1:
        raise QueryError("Some pairs swap the group, others the attribute. Score them in two runs.")
    if pairing is not None and kinds and kinds != [pairing]:
        raise QueryError(
            f"These pairs swap the {kinds[0]}, but pairing is {pairing!r}. Leave out pairing, or"
            " give pairs that match it."
        )
    return pairs


def _paired(
    sentences: Sequence[SentencePair] | Sequence[TestSentence | str],
    spec: Spec | None,
    pairing: str | None,
    groups: Sequence[str] | None,
) -> PairSet:
    values = listed(sentences, "sentences", "['She is good at maths.']")
    for value in values:
        instance(value, (SentencePair, TestSentence, str), "One of the sentences", "Pass text.")
    ready = [value for value in values if isinstance(value, SentencePair)]
    if len(ready) == len(values):
        return PairSet(tuple(ready), source="given")
    loose = [value for value in values if not isinstance(value, SentencePair)]
    if ready:
        raise QueryError(
            "Some of these are pairs and some are single sentences. Give only one kind."
        )
    if spec is None:
        raise QueryError(
            "Single sentences need a spec, whose groups and attributes turn them into pairs. Give"
            " spec=, such as 'biastest-math-arts'."
        )
    from biaslab.probes.sentences.pairing import make_pairs

    return make_pairs(loose, spec, groups=groups, pairing=pairing or PAIRINGS[0], source="given")
