"""Test sentences, pairs of two versions of them, and the frames that pairs share.

A frame is the sentence without its attribute and its group term. Pairs from one template share a
frame for every attribute and group term, and a frame that favours one group affects all of them.
Therefore frames are resampled as clusters.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, fields
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, overload

from biaslab.errors import SentenceError
from biaslab.records.record import Record

if TYPE_CHECKING:
    import pandas as pd


PAIRINGS = ("group", "attribute")
"""Kinds of swapped term: the group's term (BiasTestGPT's tool), or the attribute (its
paper, section 2)."""

Span = tuple[int, int]


@dataclass(frozen=True)
class SentencePair(Record):
    """One sentence in two versions, which differ in a term and its agreement.

    Spans are character positions in the version's text, the end excluded.

    Attributes
    ----------
    id : str
        Unique within its `PairSet`; by default a hash of both versions.
    stereotyped, against : str
        The version with the stereotype, and the version against it.
    attribute : str
        The sentence's attribute; empty if the source names none. When
        attributes are swapped, that of the stereotyped version.
    attribute_list : str
        Name of its list; empty if the source names none.
    groups : (str, str)
        Name of the group in the stereotyped version, and in the one against it.
    terms : (span or None, span or None)
        Position of the swapped term in either version: the group's term, or the attribute
        (`pairing`). None if unknown, as when more than one place differs and the source
        does not say which counts.
    references : (tuple of span, tuple of span)
        Other swapped words in either version: pronouns that agree with the term.
    unrelated : str or None
        A third version that makes no sense (StereoSet), for the language-model score.
    bias_type : str
        Kind of bias (CrowS-Pairs, StereoSet), such as ``"gender"``; else empty.
    source : str
        Source, such as ``"starter"``, ``"templates"`` or a file's name.
    pairing : str
        ``"group"`` or ``"attribute"``.
    remark : str
        Points to check before using the pair; empty without any.
    frame : str
        Name of the template that it comes from, shared by pairs about other attributes; empty to
        find it from the words that do not change.

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
    frame: str = ""
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
        """The stereotyped version, and the version against it."""
        return self.stereotyped, self.against

    def term_texts(self) -> tuple[str | None, str | None]:
        """Return the swapped term as written in either version; None if unknown."""
        first, second = (
            text[span[0] : span[1]] if span else None
            for text, span in zip(self.versions, self.terms, strict=True)
        )
        return first, second

    def to_dict(self) -> dict[str, Any]:
        """Return the pair as plain values; empty fields are left out."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        empty = {f.name: f.default for f in fields(self)}
        return {name: value for name, value in values.items() if value != empty[name]}


@dataclass(frozen=True)
class RejectedSentence(Record):
    """A sentence, or a pair, that is not used, and why.

    Attributes
    ----------
    text : str
        The original sentence; of a pair the first version, if there is one.
    code : str
        Which check it failed, such as ``"no-group-term"``: see `biaslab.probes.sentences.checks`.
    reason : str
        The reason, in plain words, with the remedy.
    attribute : str
        Its attribute; empty if unknown.
    term : str
        Its group term; empty if unknown.
    source : str
        Its source, with the row or line if there is one.
    """

    text: str
    code: str
    reason: str
    attribute: str = ""
    term: str = ""
    source: str = ""


@dataclass(frozen=True)
class PairSet(Record, Sequence[SentencePair]):
    """Pairs with their source and rejected sentences; a sequence of pairs.

    Attributes
    ----------
    pairs : tuple of SentencePair
        In their order; ids are unique.
    rejected : tuple of RejectedSentence
        Rejected sentences, with reasons.
    source : str
        Source of the pairs, for the provenance of a result.
    spec : str
        Name of their spec; empty without one.
    notes : tuple of str
        Remarks on the set as a whole, for the user.

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
        ids: set[str] = set()
        for pair in self.pairs:
            if pair.id in ids:
                raise SentenceError(
                    f"Two pairs have the id {pair.id!r}: {pair.stereotyped!r}. Remove one, or give"
                    " each a different id."
                )
            ids.add(pair.id)

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
        """SHA-256 of the scored fields: ids, all versions, terms, attributes, groups.

        Sources, bias types, remarks and rejected sentences do not count.
        """
        content: list[tuple[Any, ...]] = [
            (p.id, *p.versions, p.unrelated, p.terms, p.attribute, p.attribute_list, p.groups)
            for p in self.pairs
        ]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()

    def to_frame(self) -> pd.DataFrame:
        """Return one row per pair."""
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
        """Return one row per rejected sentence, with the reason."""
        import pandas as pd

        names = [f.name for f in fields(RejectedSentence)]
        return pd.DataFrame([[getattr(r, n) for n in names] for r in self.rejected], columns=names)

    def __repr__(self) -> str:
        of = f" for {self.spec!r}" if self.spec else ""
        return f"<PairSet{of}: {len(self.pairs)} pairs, {len(self.rejected)} rejected>"


def _id(pair: SentencePair) -> str:
    content = json.dumps([pair.pairing, pair.attribute, *pair.versions, pair.unrelated])
    return hashlib.sha256(content.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class TestSentence(Record):
    """A sentence with its known parts; others are searched for in the text.

    Attributes
    ----------
    text : str
        The sentence.
    term : str
        Its group term, as in the spec; empty to search for it.
    attribute : str
        Its attribute, as in the spec; empty to search for it.
    source : str
        Its source.
    other : str
        Group term in the other version; empty for the term's counterpart.
    """

    __test__ = False  # pytest takes classes of this name for its own

    text: str
    term: str = ""
    attribute: str = ""
    source: str = ""
    other: str = ""


@dataclass(frozen=True)
class Located(Record):
    """A sentence that passed the checks, with the positions of its parts.

    Attributes
    ----------
    text : str
        The sentence, without outer spaces.
    term, group : str
        The group term as listed, and its group.
    attribute, attribute_list : str
        The attribute as listed, and its list.
    term_span, attribute_span : (int, int)
        Their positions, the end excluded.
    source : str
        The sentence's source.
    other : str
        Term in the other version; empty for its counterpart.
    remark : str
        Points to check; empty without any.
    """

    text: str
    term: str
    group: str
    attribute: str
    attribute_list: str
    term_span: Span
    attribute_span: Span
    source: str = ""
    other: str = ""
    remark: str = ""


_WORD = re.compile(r"\w+|[^\w\s]")
_WITH_TERMS = frozenset(
    {"the", "a", "an", "my", "your", "our", "student", "neighbour", "colleague", "visitor"}
)
"""Words that change with a group's term: he, my brother, the male student."""


def words_of(text: str) -> list[str]:
    """Return words and marks of a text, in lower case."""
    return _WORD.findall(text.casefold())


def frame(pair: SentencePair, terms: Set[str] = frozenset()) -> str:
    """Return the words shared by both versions, without attribute and terms.

    - `terms`: words of group terms, in lower case: both versions contain them when attributes are
      swapped.
    """
    if pair.frame:
        return pair.frame
    return _frame(pair.stereotyped, pair.against, pair.attribute, frozenset(terms))


@lru_cache(maxsize=20_000)
def _frame(first: str, second: str, attribute: str, terms: frozenset[str]) -> str:
    # An edit of one sentence recomputes the frames of all.
    first_words, second_words = words_of(first), words_of(second)
    matcher = SequenceMatcher(None, first_words, second_words, autojunk=False)
    excluded = _WITH_TERMS | terms | set(words_of(attribute))
    shared: list[str] = []
    for start, _, length in matcher.get_matching_blocks():
        # A placeholder for each difference, else "a _ b" and "a b _" would be one frame.
        shared += [word for word in first_words[start : start + length] if word not in excluded]
        shared.append("_")
    return " ".join(shared)
