"""Read which value of an attribute a sentence says, by the words of its language."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from biaslab.probes.rating.attributes import OTHER, Attribute, ReadingRules
from biaslab.records.record import Record

FORMS = ("subject", "object", "possessive", "reflexive", "either", "verb", "noun", "phrase")
_RANKS = (("phrase",), ("subject", "object", "possessive", "reflexive"), ("verb",), ("noun",))
"""Which forms count before which."""
_NEED_NO_PRONOUN = _RANKS[2:]
"""Beside "they" or "you" a verb or a noun is not about the person."""

_SENTENCE = re.compile(r"[^.!?…。।؟]+[.!?…。।؟]*")
_HTML = re.compile(r"<\s*(?:/\s*)?(?:html|body|head|div|p|span|script|!doctype)\b", re.IGNORECASE)
_MEMORY = 100_000

_ARABIC_MARKS = "\u064b-\u0652\u0670\u0640"
# Python's \w leaves out the marks that make syllables of Devanagari and vowels of Arabic.
_LETTER = rf"\w\u0300-\u036f{_ARABIC_MARKS}\u0900-\u0903\u093a-\u094f\u0955-\u0957\u0962\u0963"
_WORD = re.compile(rf"[{_LETTER}]+")
# One letter for one, so that places in the text stay.
_SAME = str.maketrans("ёЁأإآٱى\u095c\u095d", "еЕاااايड\u0922")
_TURKISH = str.maketrans("Iİ", "ıi")
_NUKTA = "\u093c"


@dataclass(frozen=True)
class Found(Record):
    """Reading of one sentence.

    Attributes
    ----------
    value : str
        The value; empty if it is unresolved.
    spans : tuple of (int, int)
        Positions of the words for it: start and end as characters of the whole text.
    form : str
        Form of the first of them (``"subject"``, ``"verb"``, ``"noun"`` ...), ``"dropped"``, or
        ``"none"`` if none of the values' words is there and that means ``Other``.
    reason : str
        Why it is unresolved; empty if it is not.
    """

    value: str
    spans: tuple[tuple[int, int], ...] = ()
    form: str = ""
    reason: str = ""


class Reader:
    """Reads the values of one attribute in one language.

    Rules: named values count before ``Other`` ("she likes it" is about her), pronouns before verbs
    that agree with the person, and these before nouns ("he is a lady's tailor"). Two named values
    in one sentence leave it unresolved.

    Parameters
    ----------
    attribute : Attribute
        The attribute to read.
    language : str
        ISO 639-1 code.

    Raises
    ------
    RatingError
        If the attribute has no rules for this language.
    """

    def __init__(self, attribute: Attribute, language: str) -> None:
        self.attribute = attribute
        self.language = language
        self._rules = attribute.reading(language)
        self._entries = _entries(self._rules)
        self._pattern = self._compiled([text for text, _, _ in self._entries])
        self._not_agreeing = self._compiled([f"^{word}" for word in self._rules.not_agreeing])
        self._dropped = self._compiled([f"^{word}" for word in self._rules.dropped])
        self._common = frozenset(self._rules.common)
        self._foreign = {
            name: frozenset(rules.common)
            for name, rules in attribute.rules.items()
            if name != language
        }
        self.sentence = functools.lru_cache(maxsize=_MEMORY)(self._sentence)

    def read(self, text: str, mentions: int) -> tuple[Found, ...]:
        """Return the value of each of `mentions` sentences.

        Parameters
        ----------
        text : str
            The whole answer.
        mentions : int
            How many sentences it should have, one mention each.
        """
        if _HTML.search(text):
            return _unresolved(mentions, "the answer is a web page")
        sentences = _sentences(text)
        if not sentences:
            return _unresolved(mentions, "the answer is empty")
        if len(sentences) != mentions:
            count = f"{len(sentences)} sentence{'s' * (len(sentences) > 1)}"
            return _unresolved(mentions, f"{count} came back for {mentions}")
        read_sentences = [(self.sentence(m.group()), m.start()) for m in sentences]
        return tuple(_moved(reading, start) for reading, start in read_sentences)

    def fits(self, text: str, mentions: int) -> bool:
        """Return whether a text has this number of sentences."""
        return len(_sentences(text)) == mentions

    def _sentence(self, text: str) -> Found:
        plain = self._plain(text)
        hits = [
            (*self._entries[match.lastindex - 1][1:], match.span(match.lastindex))
            for match in self._pattern.finditer(plain)
            if match.lastindex
        ]
        others_are_meant = any(v == OTHER and f not in ("noun", "either") for v, f, _ in hits)
        for forms in _RANKS:
            here = [hit for hit in hits if hit[1] in forms and hit[0] not in (OTHER, "")]
            if forms == ("verb",) and self._not_agreeing.search(plain):
                continue
            if forms in _NEED_NO_PRONOUN and others_are_meant:
                continue
            values = {value for value, _, _ in here}
            if len(values) > 1:
                both = " and ".join(text[a:b] for _, _, (a, b) in here)
                return Found("", tuple(s for _, _, s in here), "", f"{both} in one sentence")
            if here:
                return Found(here[0][0], tuple(span for _, _, span in here), here[0][1])
        if others := [hit for hit in hits if hit[0] == OTHER]:
            return Found(OTHER, (others[0][2],), others[0][1])
        if first := self._dropped.search(plain):
            return Found(OTHER, (first.span(first.lastindex or 0),), "dropped")
        return self._without_word(text)

    def _without_word(self, text: str) -> Found:
        words = set(_WORD.findall(text.casefold()))
        overlap = len(words & self._common)
        best = max(self._foreign, key=lambda name: len(words & self._foreign[name]), default="")
        if best and len(words & self._foreign[best]) > overlap:
            return Found(
                "", reason=f"the answer is not in the requested language ({self.language})"
            )
        if self.attribute.needs_word or not overlap:
            return Found("", reason=f"no word in the rules gives the {self.attribute.name}")
        return Found(OTHER, form="none")

    def _plain(self, text: str) -> str:
        """Return the text with one spelling of each letter, as long as it was."""
        return text.translate(_SAME | _TURKISH if self.language == "tr" else _SAME)

    def _compiled(self, entries: list[str]) -> re.Pattern[str]:
        """Return a pattern whose groups are the entries."""
        if not entries:
            return re.compile(r"(?!)")
        before = "|".join(map(self._literal, self._rules.attached))
        attached = f"(?:{before})?" if before else ""
        choices = (
            rf"(?:\A\W*)({self._literal(entry[1:])})"
            if entry.startswith("^")
            else rf"(?<![{_LETTER}'’-]){attached}({self._literal(entry)})"
            for entry in entries
        )
        return re.compile(rf"(?:{'|'.join(choices)})(?![{_LETTER}-])", re.IGNORECASE)

    def _literal(self, entry: str) -> str:
        """Return a pattern of a word or phrase, with Arabic and Hindi marks or without."""
        plain = self._plain(entry).replace(_NUKTA, "")
        signs = {" ": r"\s+", "*": f"[{_LETTER}]+"}
        return "".join(
            signs.get(sign) or f"{re.escape(sign)}{_marks_after(sign)}" for sign in plain
        )


def _sentences(text: str) -> list[re.Match[str]]:
    return [m for m in _SENTENCE.finditer(text) if re.search(r"\w", m.group())]


def _marks_after(sign: str) -> str:
    if "\u0600" <= sign <= "\u06ff":
        return f"[{_ARABIC_MARKS}]*"
    return f"{_NUKTA}?" if "\u0900" <= sign <= "\u097f" else ""


def _entries(rules: ReadingRules) -> list[tuple[str, str, str]]:
    """Return words and phrases, each once, with value and form; those without a value come first.

    Longer ones come before, so that "he or she" is not read as "he".
    """
    entries = {word.casefold(): ("", "") for word in rules.never}
    for form in FORMS:
        for value, forms in rules.words.items():
            for word in forms.get(form, ()):
                entries.setdefault(word.casefold(), (value, form))
    listed = [(word, value, form) for word, (value, form) in entries.items()]
    return sorted(listed, key=lambda entry: (entry[1] != "", -len(entry[0])))


@functools.lru_cache(maxsize=64)
def _cached(attribute: Attribute, language: str) -> Reader:
    return Reader(attribute, language)


def reader(attribute: Attribute, language: str) -> Reader:
    """Return the reader of an attribute in a language, cached."""
    return _cached(attribute, language)


def _unresolved(mentions: int, reason: str) -> tuple[Found, ...]:
    return tuple(Found("", reason=reason) for _ in range(mentions))


def _moved(mention: Found, by: int) -> Found:
    if not by:
        return mention
    return Found(
        mention.value,
        tuple((a + by, b + by) for a, b in mention.spans),
        mention.form,
        mention.reason,
    )
