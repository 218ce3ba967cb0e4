"""The pairs of step 2 as the front end gets them."""

from __future__ import annotations

from biaslab.probes.sentences.pairs import RejectedSentence, SentencePair
from biaslab.probes.sentences.swap import differences
from biaslab_widgets.benches.sentences.fields import (
    AttributeCount,
    Ends,
    PairRow,
    RejectedRow,
    Sentences,
)
from biaslab_widgets.benches.sentences.set import Kept, SentenceSet
from biaslab_widgets.benches.sentences.words import Words


class SentenceRows:
    """Makes the record of a set; rows of pairs that have not changed are made once."""

    def __init__(self) -> None:
        self._rows: dict[tuple[object, ...], PairRow] = {}

    def of(self, held: SentenceSet, words: Words, saved: int) -> Sentences:
        """The record.

        Parameters
        ----------
        held : SentenceSet
        words : Words
            For the order of attributes and groups.
        saved : int
            Kept sentences that are not in the set yet.
        """
        pairs = held.pairs
        rows = [self._row(held.kept(pair.id), words) for pair in pairs]
        aside = [_aside(kept) for kept in held.aside]
        return {
            "version": held.version,
            "source": held.source,
            "pairs": rows,
            "rejected": [*aside, *(_unusable(r) for r in held.unusable)],
            "attributes": _counts(pairs, words),
            "notes": list(held.notes),
            "problems": list(held.problems),
            "saved": saved,
        }

    def _row(self, kept: Kept, words: Words) -> PairRow:
        pair = kept.pair
        key = (pair.id, *pair.versions, pair.attribute_list, pair.groups, pair.terms, pair.remark,
               kept.edited, words.groups)  # fmt: skip
        if (row := self._rows.get(key)) is None:
            row = self._rows[key] = {
                "id": pair.id,
                "attribute": pair.attribute,
                "list": pair.attribute_list,
                "groups": _groups(pair, words),
                "stereotyped": pair.stereotyped,
                "against": pair.against,
                "terms": (_ends(pair.terms[0]), _ends(pair.terms[1])),
                "changes": [(d.first, d.second) for d in differences(*pair.versions)],
                "source": pair.source,
                "remark": pair.remark,
                "edited": kept.edited,
            }
        return row


def _ends(span: tuple[int, int] | None) -> Ends | None:
    return None if span is None else (span[0], span[1])


def _groups(pair: SentencePair, words: Words) -> tuple[int, int]:
    """Numbers of both versions' groups; of pairs from elsewhere the first comes first."""
    names = list(words.groups)
    first, second = pair.groups
    if first in names and second in names:
        return names.index(first), names.index(second)
    return (0, 0) if first == second and first else (0, 1)


def _counts(pairs: tuple[SentencePair, ...], words: Words) -> list[AttributeCount]:
    """How many pairs each attribute has: those of the lists, also without any, then others."""
    counts = dict.fromkeys(words.attributes, 0)
    for pair in pairs:
        if pair.attribute:
            key = (pair.attribute, pair.attribute_list)
            counts[key] = counts.get(key, 0) + 1
    return [{"name": name, "list": held, "pairs": n} for (name, held), n in counts.items()]


def _aside(kept: Kept) -> RejectedRow:
    code, reason = kept.aside or ("", "")
    pair = kept.pair
    return {
        "id": pair.id,
        "text": pair.stereotyped,
        "attribute": pair.attribute,
        "code": code,
        "reason": reason,
        "source": pair.source,
    }


def _unusable(one: RejectedSentence) -> RejectedRow:
    return {
        "id": "",
        "text": one.text,
        "attribute": one.attribute,
        "code": one.code,
        "reason": one.reason,
        "source": one.source,
    }
