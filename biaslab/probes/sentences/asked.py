"""The pairs that a probe is asked about: given, read from a file, or made for a spec."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeAlias

from biaslab.arguments import instance, listed
from biaslab.errors import QueryError
from biaslab.probes.sentences.pairs import PAIRINGS, PairSet, SentencePair
from biaslab.probes.sentences.sentence import TestSentence
from biaslab.specs import Spec

Sentences: TypeAlias = (
    PairSet | Sequence[SentencePair] | Sequence[TestSentence | str] | str | os.PathLike[str]
)


def asked_pairs(
    spec: Spec | None,
    sentences: Sentences | None,
    pairing: str | None = None,
    groups: Sequence[str] | None = None,
) -> PairSet:
    """The pairs to score.

    Parameters
    ----------
    spec : Spec, optional
        Groups and attribute lists: needed where pairs are to be made.
    sentences : PairSet, sequence of SentencePair, sequence of str or TestSentence, or path
        Pairs, or sentences to make pairs of, or a file; by default the package's templates.
    pairing : {"group", "attribute"}, optional
        What is swapped; by default the group's term, or what given pairs swap.
    groups : (str, str), optional
        Two of the spec's groups; by default its first two.

    Raises
    ------
    QueryError
        If neither a spec nor sentences are given, or pairs are not of the asked pairing.
    SentenceError
        If a file cannot be read.
    ValueError
        If there is no such pairing.
    """
    if pairing is not None and pairing not in PAIRINGS:
        raise ValueError(f"pairing is {pairing!r}: choose one of {', '.join(PAIRINGS)}.")
    if isinstance(sentences, PairSet):
        found = sentences
    elif isinstance(sentences, str | os.PathLike):
        from biaslab.probes.sentences.exchange import read_pairs

        found = read_pairs(sentences, spec=spec, groups=groups, pairing=pairing or PAIRINGS[0])
    elif sentences is not None:
        found = _given(sentences, spec, pairing, groups)
    elif spec is None:
        raise QueryError(
            "There is nothing to score. Give a spec, such as 'biastest-math-arts', or sentences."
        )
    else:
        from biaslab.probes.sentences.sources import default_pairs

        return default_pairs(spec, groups=groups, pairing=pairing or PAIRINGS[0])
    kinds = sorted({pair.pairing for pair in found})
    if len(kinds) > 1:
        raise QueryError("Some pairs swap the group, others the attribute. Score them in two runs.")
    if pairing is not None and kinds and kinds != [pairing]:
        raise QueryError(
            f"These pairs swap the {kinds[0]}, but pairing is {pairing!r}. Leave out pairing, or"
            " give pairs that match it."
        )
    return found


def _given(
    sentences: Sequence[SentencePair] | Sequence[TestSentence | str],
    spec: Spec | None,
    pairing: str | None,
    groups: Sequence[str] | None,
) -> PairSet:
    given = listed(sentences, "sentences", "['She is good at maths.']")
    for one in given:
        instance(one, (SentencePair, TestSentence, str), "One of the sentences", "Pass text.")
    ready = [one for one in given if isinstance(one, SentencePair)]
    if len(ready) == len(given):
        return PairSet(tuple(ready), source="given")
    loose = [one for one in given if not isinstance(one, SentencePair)]
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
