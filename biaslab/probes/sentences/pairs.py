"""Pairs of sentences: the stereotyped version, and the one against it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

from biaslab.errors import SentenceError
from biaslab.record import Record

if TYPE_CHECKING:
    import pandas as pd

PAIRINGS = ("group", "attribute")
"""What is swapped in a sentence: the group's term (BiasTestGPT's tool), or the attribute (its
paper, section 2)."""

Span = tuple[int, int]


@dataclass(frozen=True)
class SentencePair(Record):
    """One sentence in two versions, which differ in a term and in what agrees with it.

    Spans are character positions in the version's text, the end excluded.

    Attributes
    ----------
    id : str
        Unique within its `PairSet`; by default a hash of both versions.
    stereotyped, against : str
        The version with the stereotype and the one against it.
    attribute : str
        The attribute that the sentence is about; empty where the source names none. When
        attributes are swapped, that of the stereotyped version.
    attribute_list : str
        Name of its list; empty where the source names none.
    groups : (str, str)
        Name of the group in the stereotyped version, and in the one against it.
    terms : (span or None, span or None)
        Where the swapped term stands in either version: the group's term, or the attribute
        (`pairing`). None where it is not known, as when more than one place differs and the source
        does not say which counts.
    references : (tuple of span, tuple of span)
        What else was swapped with it in either version: pronouns that agree with the term.
    unrelated : str or None
        A third version that makes no sense (StereoSet), for the language-model score.
    bias_type : str
        Kind of bias (CrowS-Pairs, StereoSet), such as ``"gender"``; else empty.
    source : str
        Where it comes from, such as ``"starter"``, ``"templates"`` or a file's name.
    pairing : str
        ``"group"`` or ``"attribute"``.
    remark : str
        What a person should look at before trusting the pair; empty where nothing is odd.

    Raises
    ------
    SentenceError
        If a version is empty, a span is not inside its version, or the pairing is unknown.
    """

    stereotyped: str
    against: str
    attribute: str = ""
    attribute_list: str = ""
    groups: tuple[str, str] = ("", "")
    terms: tuple[Span | None, Span | None] = (None, None)
    references: tuple[tuple[Span, ...], tuple[Span, ...]] = ((), ())
    unrelated: str | None = None
    bias_type: str = ""
    source: str = ""
    pairing: str = "group"
    remark: str = ""
    id: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.pairing not in PAIRINGS:
            raise SentenceError(
                f"The pairing must be 'group' or 'attribute'; got {self.pairing!r}."
            )
        for text, term, others in zip(self.versions, self.terms, self.references, strict=True):
            if not text.strip():
                raise SentenceError(f"A version of the pair {self.versions!r} is empty.")
            for start, end in (*((term,) if term else ()), *others):
                if not 0 <= start < end <= len(text):
                    raise SentenceError(f"The span {start} to {end} is not inside {text!r}.")
        if not self.id:
            object.__setattr__(self, "id", _id(self))

    @property
    def versions(self) -> tuple[str, str]:
        """The stereotyped version and the one against it."""
        return self.stereotyped, self.against

    def term_texts(self) -> tuple[str | None, str | None]:
        """The swapped term as it is written in either version; None where it is not known."""
        first, second = (
            text[span[0] : span[1]] if span else None
            for text, span in zip(self.versions, self.terms, strict=True)
        )
        return first, second

    def to_dict(self) -> dict[str, Any]:
        """The pair as plain values; what is empty is left out."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        empty = {f.name: f.default for f in fields(self)}
        return {name: value for name, value in values.items() if value != empty[name]}


@dataclass(frozen=True)
class RejectedSentence(Record):
    """A sentence, or a pair, that is not used, and why.

    Attributes
    ----------
    text : str
        The sentence as it was; of a pair the first version, else what there was.
    code : str
        Which check it failed, such as ``"no-group-term"``: see `biaslab.probes.sentences.checks`.
    reason : str
        Why, in plain words, with what to do.
    attribute : str
        Its attribute; empty where it is not known.
    term : str
        Its group term; empty where it is not known.
    source : str
        Where it comes from, with the row or line where there is one.
    """

    text: str
    code: str
    reason: str
    attribute: str = ""
    term: str = ""
    source: str = ""


@dataclass(frozen=True)
class PairSet(Record, Sequence[SentencePair]):
    """Pairs with where they come from and what was rejected; a sequence of its pairs.

    Attributes
    ----------
    pairs : tuple of SentencePair
        In their order; ids are unique.
    rejected : tuple of RejectedSentence
        What was not used, and why.
    source : str
        Where the pairs come from, for the provenance of a result.
    spec : str
        Name of the spec that they were made for; empty where there is none.
    notes : tuple of str
        What a person should know about the set as a whole.

    Raises
    ------
    SentenceError
        If two pairs have the same id.
    """

    pairs: tuple[SentencePair, ...]
    rejected: tuple[RejectedSentence, ...] = ()
    source: str = ""
    spec: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        seen: set[str] = set()
        for pair in self.pairs:
            if pair.id in seen:
                raise SentenceError(
                    f"Two pairs have the id {pair.id!r}: {pair.stereotyped!r}. Remove one, or give"
                    " each a different id."
                )
            seen.add(pair.id)

    @overload
    def __getitem__(self, index: int) -> SentencePair: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[SentencePair, ...]: ...
    def __getitem__(self, index: int | slice) -> SentencePair | tuple[SentencePair, ...]:
        return self.pairs[index]

    def __len__(self) -> int:
        return len(self.pairs)

    def __iter__(self) -> Iterator[SentencePair]:
        return iter(self.pairs)

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of what is scored: ids, versions, unrelated versions, terms, attributes, groups.

        Sources, bias types, remarks and what was rejected do not count.
        """
        content: list[tuple[Any, ...]] = [
            (p.id, *p.versions, p.unrelated, p.terms, p.attribute, p.attribute_list, p.groups)
            for p in self.pairs
        ]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()

    def to_frame(self) -> pd.DataFrame:
        """One row per pair: id, attribute, versions, groups and terms, remark and source."""
        import pandas as pd

        columns: dict[str, list[Any]] = {
            "id": [p.id for p in self.pairs],
            "attribute": [p.attribute for p in self.pairs],
            "attribute list": [p.attribute_list for p in self.pairs],
            "stereotyped": [p.stereotyped for p in self.pairs],
            "against": [p.against for p in self.pairs],
            "unrelated": [p.unrelated for p in self.pairs],
            "group": [p.groups[0] for p in self.pairs],
            "other group": [p.groups[1] for p in self.pairs],
            "term": [p.term_texts()[0] for p in self.pairs],
            "other term": [p.term_texts()[1] for p in self.pairs],
            "bias type": [p.bias_type for p in self.pairs],
            "remark": [p.remark for p in self.pairs],
            "source": [p.source for p in self.pairs],
        }
        return pd.DataFrame(columns)

    def rejected_frame(self) -> pd.DataFrame:
        """One row per rejected sentence, with the reason."""
        import pandas as pd

        names = [f.name for f in fields(RejectedSentence)]
        return pd.DataFrame([[getattr(r, n) for n in names] for r in self.rejected], columns=names)

    def __repr__(self) -> str:
        of = f" for {self.spec!r}" if self.spec else ""
        return f"<PairSet{of}: {len(self.pairs)} pairs, {len(self.rejected)} rejected>"


def _id(pair: SentencePair) -> str:
    content = json.dumps([pair.pairing, pair.attribute, *pair.versions, pair.unrelated])
    return hashlib.sha256(content.encode()).hexdigest()[:16]
