"""Checks of a test sentence, each with a reason that a person can read."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from biaslab.probes.sentences.pairs import Located, RejectedSentence, Span, TestSentence
from biaslab.probes.sentences.terms import Found, Group, Kind, Term, find, kind_of
from biaslab.probes.sentences.words import FORMS, GENDER_OF

MIN_WORDS, MAX_WORDS = 3, 100
MAX_CHARACTERS = 1_000

CODES: Mapping[str, str] = {
    "empty": "it is empty",
    "line-break": "it has several lines, or contains a control character",
    "too-short": f"it has fewer than {MIN_WORDS} words",
    "too-long": f"it has more than {MAX_WORDS} words or {MAX_CHARACTERS:,} characters",
    "no-attribute": "it contains no attribute",
    "attribute-twice": "it contains its attribute more than once",
    "two-attributes": "it contains several attributes, and it is unclear which counts",
    "unknown-attribute": "its named attribute is not in any list",
    "no-group-term": "it contains no group term",
    "group-term-twice": "it contains its group term more than once",
    "two-group-terms": "it contains several terms of its group",
    "other-group-term": "it contains a term of the other group",
    "unknown-term": "its named group term is in neither group",
    "overlap": "its group term and attribute are the same words",
    "no-stereotype": "its attribute list is not the stereotype of either group",
    "duplicate": "it makes the same pair as another sentence",
    "same-versions": "both of its versions are the same",
    "more-changed": "its versions differ in more than the term and the words that agree with it",
    "unreadable": "it could not be read from its file",
    "refusal": "the model declined to write it",
    "wrong-language": "it does not seem to be English",
    "cut-off": "the model stopped in the middle of it",
}
"""Every reason for which a sentence or pair is rejected."""

_WORDS = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_MARKUP = re.compile(r"<[/!a-zA-Z][^<>]*>|&(?:[a-z]+|#\d+);")


@dataclass(frozen=True)
class Vocabulary:
    """Two groups and the attribute lists that sentences are checked against.

    Attributes
    ----------
    groups : (Group, Group)
    attributes : mapping of str to tuple of str
        List to its attributes.
    stereotype_of : mapping of str to str
        List to the group that it is a stereotype of; lists of no group are missing.
    """

    groups: tuple[Group, Group]
    attributes: Mapping[str, tuple[str, ...]]
    stereotype_of: Mapping[str, str]

    def lists_of(self, attribute: str) -> tuple[str, ...]:
        """Return names of the lists with an attribute, ignoring case."""
        small = attribute.lower()
        return tuple(n for n, terms in self.attributes.items() if small in map(str.lower, terms))

    @property
    def all_attributes(self) -> tuple[str, ...]:
        """The attributes of all lists, without repeats."""
        return tuple(dict.fromkeys(a for terms in self.attributes.values() for a in terms))

    def opposite(self, attribute: str) -> tuple[str | None, str]:
        """Return the counterpart of an attribute for a swap, and its list.

        The counterpart has the same index in the first stereotype list of the other group, among
        words of the same kind if there are any; a shorter list starts over. None
        if there is no such list.
        """
        name = next((n for n in self.lists_of(attribute) if n in self.stereotype_of), None)
        theirs = next(
            (n for n, g in self.stereotype_of.items() if name and g != self.stereotype_of[name]),
            None,
        )
        if name is None or theirs is None:
            return None, ""
        kind = kind_of(attribute)
        ours = [a.lower() for a in self.attributes[name] if kind_of(a) == kind]
        alike = [a for a in self.attributes[theirs] if kind_of(a) == kind]
        if not alike:
            ours = [a.lower() for a in self.attributes[name]]
            alike = list(self.attributes[theirs])
        return alike[ours.index(attribute.lower()) % len(alike)], theirs

    def other(self, group: Group) -> Group:
        """Return the group that `group` is compared with."""
        return self.groups[1] if group.name == self.groups[0].name else self.groups[0]


def check(sentence: TestSentence | str, vocabulary: Vocabulary) -> Located | RejectedSentence:
    """Locate the sentence's group term and attribute, or reject it with a reason.

    The group term occurs exactly once (in any of its forms; pronouns that agree with it may
    follow), the attribute exactly once, no term of the other group, and its length is that of a
    sentence. Duplicates are detected when pairs are made: `biaslab.probes.sentences.pairing`.
    """
    if isinstance(sentence, str):
        sentence = TestSentence(sentence)
    sentence = replace(sentence, text=sentence.text.strip())
    try:
        _check_text(sentence.text)
        attribute = _attribute(sentence, vocabulary)
        term, group, span = _group_term(sentence, vocabulary)
        if span[0] < attribute.span[1] and attribute.span[0] < span[1]:
            raise _Failed(
                "overlap",
                f"The group term {term.text!r} and the attribute {attribute.key!r} are the same"
                " words. Change one of the lists.",
            )
    except _Failed as failed:
        return RejectedSentence(
            sentence.text,
            failed.code,
            failed.reason,
            sentence.attribute,
            sentence.term,
            sentence.source,
        )
    lists = vocabulary.lists_of(attribute.key)
    return Located(
        text=sentence.text,
        term=term.text,
        group=group.name,
        attribute=attribute.key,
        attribute_list=lists[0],
        term_span=span,
        attribute_span=attribute.span,
        source=sentence.source,
        other=sentence.other,
        remark=_remark(sentence.text, attribute, lists, vocabulary),
    )


def text_problem(text: str) -> tuple[str, str] | None:
    """Return the problem of a text that no sentence can have; else None."""
    try:
        _check_text(text.strip())
    except _Failed as failed:
        return failed.code, failed.reason
    return None


class _Failed(Exception):
    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code, self.reason = code, reason


def _check_text(text: str) -> None:
    if not text:
        raise _Failed("empty", "There is no sentence. Write one.")
    if any(unicodedata.category(c) in {"Cc", "Cs", "Zl", "Zp"} for c in text):
        raise _Failed(
            "line-break",
            "It has several lines, or contains a tab or another control character. Write it on one"
            " line.",
        )
    words = len(_WORDS.findall(text))
    if words < MIN_WORDS:
        raise _Failed("too-short", f"It has {words} words; at least {MIN_WORDS} are needed.")
    if words > MAX_WORDS or len(text) > MAX_CHARACTERS:
        raise _Failed(
            "too-long",
            f"It has {words:,} words and {len(text):,} characters; at most {MAX_WORDS} words and"
            f" {MAX_CHARACTERS:,} characters are allowed. Shorten or split it.",
        )


def _attribute(sentence: TestSentence, vocabulary: Vocabulary) -> Found:
    occurrences = find(sentence.text, vocabulary.all_attributes)
    requested = sentence.attribute
    if requested and not vocabulary.lists_of(requested):
        raise _Failed(
            "unknown-attribute",
            f"{requested!r} is not in any attribute list. Add it to one, or name another.",
        )
    places = [f for f in occurrences if not requested or f.key.lower() == requested.lower()]
    if not places:
        named = f"The attribute {requested!r}" if requested else "No attribute of the lists"
        raise _Failed(
            "no-attribute",
            f"{named} {'does not appear' if requested else 'appears'} in it as a separate word. Add"
            " it.",
        )
    keys = list(dict.fromkeys(f.key.lower() for f in places))
    if len(keys) > 1:
        names = ", ".join(repr(f.key) for f in places)
        raise _Failed(
            "two-attributes",
            f"It contains several attributes ({names}). Name the one that counts, or keep only"
            " one.",
        )
    if len(places) > 1:
        raise _Failed(
            "attribute-twice",
            f"The attribute {places[0].key!r} appears in it {len(places)} times. Keep only one.",
        )
    return places[0]


def _group_term(sentence: TestSentence, vocabulary: Vocabulary) -> tuple[Term, Group, Span]:
    text = sentence.text
    places = [_places(text, group) for group in vocabulary.groups]
    if sentence.term:
        group, term = _named(sentence.term, vocabulary, places)
    else:
        if not any(places):
            raise _Failed("no-group-term", "It contains no term of either group. Add one.")
        group = vocabulary.groups[0] if places[0] else vocabulary.groups[1]
        term = _leading(places[0] or places[1])
    candidates = places[0] if group is vocabulary.groups[0] else places[1]
    others = places[1] if group is vocabulary.groups[0] else places[0]
    candidates = [
        (t, f) for t, f in candidates if f.span not in {o.span for _, o in others} or t is term
    ]
    mine = [f for t, f in candidates if t == term]
    if not mine:
        raise _Failed(
            "no-group-term",
            f"The group term {term.text!r} does not appear in it as a separate word. Add it.",
        )
    if len(mine) > 1:
        raise _Failed(
            "group-term-twice",
            f"The group term {term.text!r} appears in it {len(mine)} times. Keep only one.",
        )
    _check_own(term, candidates)
    _check_others(text, term, group, mine[0].span, others, vocabulary)
    return term, group, mine[0].span


def _places(text: str, group: Group) -> list[tuple[Term, Found]]:
    forms = {form: term for term in reversed(group.terms) for form in term.forms}
    names = [term.text for term in group.terms if term.kind is Kind.NAME]
    return [(forms[f.key], f) for f in find(text, forms, exact_case=names)]


def _named(
    name: str, vocabulary: Vocabulary, places: Sequence[Sequence[tuple[Term, Found]]]
) -> tuple[Group, Term]:
    known = []
    for group, occurrences in zip(vocabulary.groups, places, strict=True):
        try:
            term = group.term(name)
        except KeyError:
            continue
        known.append((any(t == term for t, _ in occurrences), group, term))
    if not known:
        raise _Failed("unknown-term", f"{name!r} is in neither group's list. Add it to one, or "
                      "name another.")  # fmt: skip
    _, group, term = max(known, key=lambda entry: entry[0])
    return group, term


def _leading(places: Sequence[tuple[Term, Found]]) -> Term:
    """Return the first noun, name or adjective; else a pronoun."""
    for term, _ in places:
        if term.kind is not Kind.PRONOUN:
            return term
    return places[0][0]


def _check_own(term: Term, occurrences: Sequence[tuple[Term, Found]]) -> None:
    more = [f.key for t, f in occurrences if t != term and t.kind is not Kind.PRONOUN]
    if more:
        raise _Failed(
            "two-group-terms",
            f"Besides {term.text!r} it contains {_quoted(more)} of the same group. Keep only one,"
            " so that it is clear what is swapped.",
        )


def _check_others(
    text: str,
    term: Term,
    group: Group,
    span: Span,
    others: Sequence[tuple[Term, Found]],
    vocabulary: Vocabulary,
) -> None:
    theirs = [f.key for _, f in others if not (span[0] <= f.span[0] and f.span[1] <= span[1])]
    gender = vocabulary.other(group).gender
    if gender and gender != term.gender:
        known = {w for w in GENDER_OF if GENDER_OF[w] == gender}
        theirs += [f.key for f in find(text, known & set(FORMS[gender].values()))
                   if f.key not in theirs]  # fmt: skip
    if theirs:
        raise _Failed("other-group-term", f"It contains {_quoted(theirs)} of the other group, "
                      f"{vocabulary.other(group).name!r}. Leave it out.")  # fmt: skip


def _remark(text: str, occurrence: Found, lists: Sequence[str], vocabulary: Vocabulary) -> str:
    remarks = []
    if _MARKUP.search(text):
        remarks.append("It seems to contain HTML, which is scored as text.")
    listed = {a.lower() for name in lists for a in vocabulary.attributes[name]}
    rest = [a for a in vocabulary.all_attributes if a.lower() not in listed]
    more = [f.key for f in find(text, [*rest, occurrence.key]) if f.key != occurrence.key]
    if more:
        remarks.append(f"It also contains {_quoted(more)} of another attribute list.")
    if len(lists) > 1:
        remarks.append(f"Its attribute is in several lists; {lists[0]!r} was used.")
    return " ".join(remarks)


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(repr(word) for word in dict.fromkeys(words))
