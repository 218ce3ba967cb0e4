"""Swap the group's term of a sentence, and compare two versions word by word.

Words that change with the term: pronouns that agree with it (in their case: see
`biaslab.probes.sentences.words.reading`), its number, a or an before it, capitals, and its
possessive. English only.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from biaslab.errors import SentenceError
from biaslab.probes.sentences.pairs import Span
from biaslab.probes.sentences.terms import Kind, Term, starts_a_sentence
from biaslab.probes.sentences.words import FORMS, GENDER_OF, KINSHIP, Case, plural, reading
from biaslab.records.wording import article

_WORD = re.compile(r"[^\W_]+")
_ARTICLE = re.compile(r"\b(an?)(\s+[\"“'‘(]*)$", re.IGNORECASE)
_DETERMINER = re.compile(r"\b(?:the|a|an|my|your|our|this|that)\s+$", re.IGNORECASE)


@dataclass(frozen=True)
class Swapped:
    """The other version of a sentence.

    Attributes
    ----------
    text : str
        The other version.
    terms : (span, span)
        Position of the term in the sentence and in the other version.
    references : (tuple of span, tuple of span)
        Pronouns that were swapped with it, in either version.
    remark : str
        Points to check; empty without any.
    """

    text: str
    terms: tuple[Span, Span]
    references: tuple[tuple[Span, ...], tuple[Span, ...]] = ((), ())
    remark: str = ""


@dataclass(frozen=True)
class _Edit:
    span: Span
    new: str
    role: str  # "term", "reference" or "article"


def swap(text: str, span: Span, term: Term, other: Term) -> Swapped:
    """Replace `term` by `other` in a sentence, with the words that agree with it.

    - `text`: the sentence.
    - `span`: position of the term.
    - `term`, `other`: the term at that position, in any of its forms, and its replacement.
    - Raises `SentenceError` if the term is not at that position.
    """
    written = text[span[0] : span[1]]
    forms = {" ".join(form.lower().split()) for form in term.forms}
    if " ".join(written.lower().split()) not in forms:
        raise SentenceError(
            f"{written!r}, at characters {span[0]} to {span[1]} of {text!r}, is not a form of"
            f" {term.text!r}."
        )
    remarks: list[str] = []
    main = _main_edit(text, span, term, other, remarks)
    edits = [main, *_references(text, main.span, term, other, remarks)]
    edits += _article_edit(text, main)
    new, spans = _applied(text, edits)
    references = [(e.span, spans[e]) for e in sorted(edits, key=_start) if e.role == "reference"]
    return Swapped(
        new,
        (main.span, spans[main]),
        (tuple(r[0] for r in references), tuple(r[1] for r in references)),
        " ".join(remarks),
    )


def swap_word(text: str, span: Span, new: str) -> Swapped:
    """Replace the word at `span`, and adjust case and a or an: for attributes."""
    written = text[span[0] : span[1]]
    main = _Edit(span, _capitals(new, written, written, text, span[0]), "term")
    result, spans = _applied(text, [main, *_article_edit(text, main)])
    return Swapped(result, (span, spans[main]))


def _article_edit(text: str, main: _Edit) -> list[_Edit]:
    before = _ARTICLE.search(text[: main.span[0]])
    if not before:
        return []
    right = article(main.new)
    right = right.capitalize() if before.group(1)[0].isupper() else right
    return [_Edit(before.span(1), right, "article")] if right != before.group(1) else []


def _main_edit(text: str, span: Span, term: Term, other: Term, remarks: list[str]) -> _Edit:
    written = text[span[0] : span[1]]
    if term.kind is Kind.PRONOUN and other.kind is Kind.PRONOUN:
        read = reading(text, *span)
        if not read.certain:
            remarks.append(f"{written!r} was read as {read.case.value}: check it.")
        new = FORMS[str(other.gender)][read.case]
    elif term.kind is Kind.PRONOUN:
        read = reading(text, *span)
        new = _noun_for(read.case, other)
        remarks.append(f"A pronoun was swapped for {new!r}: check how it reads.")
    elif other.kind is Kind.PRONOUN:
        return _pronoun_for_a_noun(text, span, term, other, remarks)
    else:
        new = _in_number(written, term, other)
        if term.kind is not other.kind and not is_quoted(text, span):
            remarks.append(
                f"{term.text!r} and {other.text!r} are different kinds of words: check how the "
                "other version reads."
            )
    return _Edit(span, _capitals(new, written, term.text, text, span[0]), "term")


def is_quoted(text: str, span: Span) -> bool:
    """Return whether the term is mentioned rather than used."""
    before, after = text[: span[0]][-1:], text[span[1] :][:1]
    return (before, after) in {('"', '"'), ("“", "”"), ("'", "'"), ("‘", "’"), ("«", "»")}


def _noun_for(case: Case, other: Term) -> str:
    if other.kind is Kind.NAME:
        phrase = other.text
    elif other.kind is Kind.ADJECTIVE:
        phrase = f"the {other.text} person"
    else:
        phrase = f"{'my' if other.text.lower() in KINSHIP else 'the'} {other.text}"
    return phrase + ("'s" if case in {Case.DETERMINER, Case.POSSESSIVE} else "")


def _pronoun_for_a_noun(
    text: str, span: Span, term: Term, other: Term, remarks: list[str]
) -> _Edit:
    start, end = span
    before = _DETERMINER.search(text[:start])
    if before:
        start = before.start()
    forms = FORMS[str(other.gender)]
    possessive = re.match(r"['’]s\b", text[end:])
    if possessive:
        end += possessive.end()
        new = forms[Case.DETERMINER]
    else:
        ends = re.match(r"\s*(?:$|[.,;:!?])", text[end:])
        new = forms[Case.OBJECT if ends and text[:start].strip() else Case.SUBJECT]
    remarks.append(f"{term.text!r} was swapped for the pronoun {new!r}: check how it reads.")
    new = new.capitalize() if starts_a_sentence(text, start) else new
    return _Edit((start, end), new, "term")


def _in_number(written: str, term: Term, other: Term) -> str:
    is_plural = term.is_plural or " ".join(written.lower().split()) != term.text.lower()
    return plural(other.text) if is_plural and other.has_plural else other.text


def _capitals(new: str, written: str, listed: str, text: str, start: int) -> str:
    """Return `new` with the written word's capitals, beyond those of its list."""
    if len(written) > 1 and written.isupper() and not listed.isupper():
        return new.upper()
    if starts_a_sentence(text, start) and written[:1].isupper():
        return new[:1].upper() + new[1:]
    if written[:1].isupper() and not listed[:1].isupper():
        return new[:1].upper() + new[1:]
    if written[:1].islower() and listed[:1].isupper() and new[:1].isupper():
        return new[:1].lower() + new[1:]
    return new


def _references(text: str, span: Span, term: Term, other: Term, remarks: list[str]) -> list[_Edit]:
    """Return pronouns of the term's gender elsewhere in the sentence, in the other's."""
    pronouns = [
        m
        for m in _WORD.finditer(text)
        if m.group().lower() in GENDER_OF and not (span[0] <= m.start() < span[1])
    ]
    if not pronouns or Kind.THING in {term.kind, other.kind}:
        return []
    if term.gender is None or other.gender is None:
        if term.gender != other.gender or term.kind is Kind.NAME:
            words = ", ".join(repr(m.group()) for m in pronouns)
            remarks.append(f"Pronouns were left unchanged ({words}): check that they agree.")
        return []
    if term.gender == other.gender:
        return []
    edits = []
    for match in pronouns:
        if GENDER_OF[match.group().lower()] != term.gender:
            continue
        read = reading(text, *match.span())
        if not read.certain:
            remarks.append(f"{match.group()!r} was read as {read.case.value}: check it.")
        new = FORMS[other.gender][read.case]
        new = _capitals(new, match.group(), match.group().lower(), text, match.start())
        edits.append(_Edit(match.span(), new, "reference"))
    return edits


def _applied(text: str, edits: Sequence[_Edit]) -> tuple[str, dict[_Edit, Span]]:
    parts: list[str] = []
    spans: dict[_Edit, Span] = {}
    position = length = 0
    for edit in sorted(edits, key=_start):
        unchanged = text[position : edit.span[0]]
        parts += [unchanged, edit.new]
        length += len(unchanged)
        spans[edit] = (length, length + len(edit.new))
        length += len(edit.new)
        position = edit.span[1]
    return "".join([*parts, text[position:]]), spans


def _start(edit: _Edit) -> int:
    return edit.span[0]


_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[^\w\s]|_")
_POSSESSIVE = re.compile(r"['’]s?$")


@dataclass(frozen=True)
class Difference:
    """A place where two texts differ; a side may be empty.

    Attributes
    ----------
    first, second : (int, int)
        Characters in either text, the end excluded.
    """

    first: Span
    second: Span


def differences(first: str, second: str) -> tuple[Difference, ...]:
    """Return differences of two texts, word by word; case counts, spaces do not."""
    tokens = [list(_TOKEN.finditer(text)) for text in (first, second)]
    words, others = ([match.group() for match in side] for side in tokens)
    matcher = SequenceMatcher(None, words, others, autojunk=False)
    result = []
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            continue
        if b - a == d - c:  # word for word: each on its own
            result += [
                Difference(tokens[0][i].span(), tokens[1][j].span())
                for i, j in zip(range(a, b), range(c, d), strict=True)
            ]
        else:
            result.append(Difference(_span(tokens[0], a, b, first), _span(tokens[1], c, d, second)))
    return tuple(result)


def side_by_side(first: str, second: str) -> tuple[tuple[Span | None, Span | None], ...]:
    """Align all words and marks of two texts in rows; None without counterpart."""
    tokens = [[match.span() for match in _TOKEN.finditer(text)] for text in (first, second)]
    words, others = (
        [text[a:b] for a, b in spans] for text, spans in zip((first, second), tokens, strict=True)
    )
    rows: list[tuple[Span | None, Span | None]] = []
    for _, a, b, c, d in SequenceMatcher(None, words, others, autojunk=False).get_opcodes():
        rows += itertools.zip_longest(tokens[0][a:b], tokens[1][c:d])
    return tuple(rows)


def is_agreement(first: str, second: str) -> bool:
    """Return whether two words may differ with the term by agreement."""
    small, other = (_POSSESSIVE.sub("", word).lower() for word in (first, second))
    return (
        small == other
        or {small, other} == {"a", "an"}
        or (small in GENDER_OF and other in GENDER_OF)
    )


def _span(tokens: list[re.Match[str]], start: int, end: int, text: str) -> Span:
    if start == end:
        place = tokens[start].start() if start < len(tokens) else len(text)
        return place, place
    return tokens[start].start(), tokens[end - 1].end()


def extra_differences(
    first: str, second: str, terms: tuple[Span | None, Span | None]
) -> tuple[tuple[str, str], ...]:
    """Return differences besides the terms and their agreement: words of either text.

    Gendered pronouns, a and an, and capitals may differ with the term.
    """
    extra = []
    for place in differences(first, second):
        if any(
            span and _overlap(span, term_span)
            for span, term_span in zip(terms, (place.first, place.second), strict=True)
        ):
            continue
        words = first[slice(*place.first)], second[slice(*place.second)]
        if is_agreement(*words):
            continue
        extra.append(words)
    return tuple(extra)


def compared(
    first: str, second: str, terms: tuple[Span | None, Span | None]
) -> tuple[tuple[tuple[Span, ...], tuple[Span, ...]], str]:
    """Return pronouns that differ between two versions, and a remark on the rest.

    - Returns `references`: gendered pronouns that are swapped, in either version.
    - Returns `remark`: names the other differences; empty without any.
    """
    references: tuple[list[Span], list[Span]] = ([], [])
    for place in differences(first, second):
        words = first[slice(*place.first)].lower(), second[slice(*place.second)].lower()
        is_term = terms[0] is not None and _overlap(terms[0], place.first)
        if not is_term and all(word in GENDER_OF for word in words):
            references[0].append(place.first)
            references[1].append(place.second)
    extra = extra_differences(first, second, terms)
    remark = ""
    if extra:
        shown = "; ".join(
            f"{first_text!r} and {second_text!r}" for first_text, second_text in extra[:3]
        )
        more = f" and {len(extra) - 3} more" if len(extra) > 3 else ""
        remark = f"It differs in more than the term: {shown}{more}."
    return (tuple(references[0]), tuple(references[1])), remark


def rewritten(first: str, term: Span, second: str, other: Span) -> Swapped:
    """Return a pair with a rewritten second version, flagged for other changes."""
    references, remark = compared(first, second, (term, other))
    return Swapped(second, (term, other), references, remark)


def only_difference(first: str, second: str) -> tuple[Span | None, Span | None]:
    """Return the only place where two texts differ; else (None, None).

    Words that differ side by side are one place.
    """
    spans = differences(first, second)
    if not spans or any(p.first[0] == p.first[1] or p.second[0] == p.second[1] for p in spans):
        return None, None
    for before, after in itertools.pairwise(spans):
        between = (
            first[before.first[1] : after.first[0]],
            second[before.second[1] : after.second[0]],
        )
        if any(gap.strip() for gap in between):
            return None, None
    return ((spans[0].first[0], spans[-1].first[1]), (spans[0].second[0], spans[-1].second[1]))


def _overlap(first: Span, second: Span) -> bool:
    return first[0] < second[1] and second[0] < first[1]
