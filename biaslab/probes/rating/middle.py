"""Gender in the middle text, which the back-translation may lose.

"She is a plumber" becomes "Es un fontanero" in Spanish: the pronoun is gone, and the noun is
masculine for a reader of the translation, whatever the back-translation says. Apertium's own
morphological analysis says which gender each noun or its article has. The occupation's noun is
found by comparison: words that most sentences of one pattern share are the template's own.

Verbs carry gender too (Srivastava and Rossi 2018, section 6): "работала" is a woman's, "работал" a
man's. Where Apertium has no dictionary, the reading rules of the attribute find pronouns, such
verbs, and a few nouns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from biaslab.asking.providers.apertium_analysis import AnalysedWord, analyse
from biaslab.errors import RatingError, ServiceError
from biaslab.probes.rating.data_generator import Text
from biaslab.probes.rating.reading import Reader
from biaslab.probes.rating.result import RatingResult, Route
from biaslab.records.record import Record
from biaslab.records.result import Worded

if TYPE_CHECKING:
    import pandas as pd

GENDERS = {"m": "masculine", "f": "feminine", "mf": "either", "nt": "neuter"}
_NOUNS = frozenset({"n", "np"})
_ARTICLES = frozenset({"det"})
_PRONOUNS = frozenset({"prn"})
_PAST = frozenset({"past"})
"""Tag of Slavic verbs that agree in gender; Romance participles with "to have" never do."""
_GENDER_OF = {"He": "masculine", "She": "feminine"}
_BETWEEN = frozenset({"adj", "adv", "preadv", "num"})
"""Words allowed between an article and its noun."""
_WITHOUT_GENDER = frozenset({"eo"})
"""Languages whose nouns have no gender: a dictionary's "masculine" is the generic form."""
_FEWEST_TERMS = 3
"""Smallest number of terms for a comparison of sentences."""


@dataclass(frozen=True)
class MiddleMention(Record):
    """One mention in the middle text.

    Attributes
    ----------
    text, place : int
        Number of the text among the result's, and of the mention in it.
    value, term : str
        Value and term in the source: ``She``, ``plumber``.
    pronoun : str
        ``masculine``, ``feminine`` ... of a personal pronoun; empty if there is none.
    noun : str
        ``masculine``, ``feminine``, ``either``, ``neuter`` of the noun, by its article if the
        noun itself may be either or is unknown; empty without evidence.
    span : (int, int)
        Position of the words that say it, noun with article first; (0, 0) if there are none.
    verb : str
        ``masculine`` or ``feminine`` of a verb that agrees with the person; empty without one.
    """

    text: int
    place: int
    value: str
    term: str
    pronoun: str
    noun: str
    span: tuple[int, int]
    verb: str = ""

    @property
    def gender(self) -> str:
        """``masculine`` or ``feminine``: by the noun, else the verb, else the pronoun; or empty."""
        said = (self.noun, self.verb, self.pronoun)
        return next((gender for gender in said if gender in ("masculine", "feminine")), "")

    @property
    def changed(self) -> bool:
        """Whether a man became feminine, or a woman masculine."""
        return (self.value, self.gender) in (("She", "masculine"), ("He", "feminine"))


@dataclass(frozen=True)
class MiddleGender(Record, Worded):
    """Gender of all mentions in one middle language.

    Attributes
    ----------
    language : str
        The middle language.
    mentions : tuple of MiddleMention
        Text by text, mention by mention.
    missing : int
        Mentions whose text has no middle text, or another number of sentences there.
    by_rules : bool
        Whether reading rules were used, because Apertium has no dictionary here.
    """

    language: str
    mentions: tuple[MiddleMention, ...]
    missing: int
    by_rules: bool = False

    def counts(self) -> dict[tuple[str, str], int]:
        """Count mentions by (value in the source, gender of the noun); empty if unknown."""
        counts: dict[tuple[str, str], int] = {}
        for mention in self.mentions:
            key = (mention.value, mention.noun)
            counts[key] = counts.get(key, 0) + 1
        return counts

    def to_frame(self) -> pd.DataFrame:
        """Return one row per occupation and value.

        Columns: term, value, mentions, masculine, feminine, either, neuter, unknown, and changed
        (how many have the other gender in the middle text).
        """
        import pandas as pd

        rows: dict[tuple[str, str], dict[str, int]] = {}
        for mention in self.mentions:
            row = rows.setdefault(
                (mention.term, mention.value),
                dict.fromkeys(("mentions", *GENDERS.values(), "unknown", "changed"), 0),
            )
            row["mentions"] += 1
            row[mention.noun or "unknown"] += 1
            row["changed"] += mention.changed
        listed = [{"term": t, "value": v, **row} for (t, v), row in sorted(rows.items())]
        columns = ["term", "value", "mentions", *GENDERS.values(), "unknown", "changed"]
        return pd.DataFrame(listed, columns=columns)


def middle_gender(result: RatingResult, language: str = "") -> MiddleGender:
    """Read the gender of every mention in the middle text.

    Apertium's analysis reads it, or the attribute's rules where Apertium is not installed or has
    no dictionary of this language; the rules know pronouns, verbs and few nouns.

    The noun is the first that does not occur with more than half of the design's terms in
    sentences of the same pattern: "neighbours" and "job" are the template's. With fewer than three
    terms it is read only if the sentence has one noun.

    Parameters
    ----------
    result : RatingResult
        Of a translator, for gender.
    language : str
        Middle language; by default the first.

    Raises
    ------
    RatingError
        If the result has no middle text, or is about another attribute.
    ServiceError
        If Apertium, or its dictionary of this language, is not installed, and there are no rules.
    """
    if result.design.attribute.name != "gender":
        raise RatingError("Only the gender of a middle text can be read.")
    route = result.routes[result.place(language)]
    responses = route.responses
    if responses.middle is None:
        raise RatingError(
            f"{result.service} was called directly, so there is no middle text. Rate a translator."
        )
    texts = [text for block in result.blocks for text in block.texts]
    try:
        mentions, by_rules = _by_analysis(result, route, texts), False
    except ServiceError:
        reader = result.middle_reader(route)
        if reader is None:
            raise
        mentions, by_rules = _by_rules(reader, responses.middle_texts, texts), True
    missing = sum(len(text.mentions) for text in texts) - len(mentions)
    return MiddleGender(route.language, tuple(mentions), missing, by_rules)


def _by_rules(
    reader: Reader, middles: Sequence[str | None], texts: Sequence[Text]
) -> list[MiddleMention]:
    """Read the words that say the gender; a text of another number of sentences is left out."""
    mentions = []
    for i, (middle, text) in enumerate(zip(middles, texts, strict=True)):
        if not middle or not reader.fits(middle, len(text.mentions)):
            continue
        readings = reader.read(middle, len(text.mentions))
        for place, (reading, mention) in enumerate(zip(readings, text.mentions, strict=True)):
            gender = _GENDER_OF.get(reading.value, "")
            kind = reading.form if reading.form in ("noun", "verb") else "pronoun"
            said = {"pronoun": "", "noun": "", "verb": "", kind: gender}
            span = reading.spans[0] if gender else (0, 0)
            mentions.append(MiddleMention(i, place, mention.value, mention.term, span=span, **said))
    return mentions


def _by_analysis(result: RatingResult, route: Route, texts: Sequence[Text]) -> list[MiddleMention]:
    """Read the gender of nouns, pronouns and verbs by Apertium's analysis."""
    responses = route.responses
    first = [
        (block.repetition * result.design.texts + t) * result.design.sentences
        for block in result.blocks
        for t in range(len(block.texts))
    ]
    patterns = len(result.design.template.sentences)
    middles = responses.middle_texts
    present = [i for i, middle in enumerate(middles) if middle]
    # Of a chain through several languages, the dictionary is that of the way on from here.
    middle_at = responses.middle or 0
    spoken, onward = responses.languages[middle_at + 1 : middle_at + 3]
    analysed = analyse([middles[i] or "" for i in present], spoken, onward)
    read: list[_Sentence] = []
    for i, words in zip(present, analysed, strict=True):
        sentences = _sentences(middles[i] or "", words)
        if len(sentences) != len(texts[i].mentions):
            continue
        for place, sentence in enumerate(sentences):
            term = texts[i].mentions[place].term
            read.append(_Sentence(i, place, (first[i] + place) % patterns, term, sentence))
    own_words = _own_words(read)
    mentions = []
    for sentence_read in read:
        noun, span = _occupation(_nouns(sentence_read.words), own_words[sentence_read.pattern])
        if spoken in _WITHOUT_GENDER and noun == "masculine":
            noun = "either"
        mentions.append(
            MiddleMention(
                text=sentence_read.text,
                place=sentence_read.place,
                value=texts[sentence_read.text].mentions[sentence_read.place].value,
                term=sentence_read.term,
                pronoun=_first_with(sentence_read.words, _PRONOUNS),
                noun=noun,
                span=span,
                verb=_first_with(sentence_read.words, _PAST),
            )
        )
    return mentions


def _first_with(words: Sequence[Placed], tags: frozenset[str]) -> str:
    """Return the gender of the first word with one of these tags."""
    return next((_gender(word) for word, _, _ in words if tags & set(word.tags)), "")


Placed = tuple[AnalysedWord, int, int]
_Noun = tuple[str, str, tuple[int, int]]
"""Its word, its gender, and its position with its article."""


class _Sentence(NamedTuple):
    text: int
    place: int
    pattern: int
    term: str
    words: list[Placed]


def _sentences(text: str, words: Sequence[AnalysedWord]) -> list[list[Placed]]:
    """Return the words of each sentence with their positions."""
    sentences: list[list[Placed]] = [[]]
    at = 0
    for word in words:
        start = text.find(word.surface, at)
        start = at if start < 0 else start
        at = start + len(word.surface)
        if "sent" in word.tags:
            sentences.append([])
        else:
            sentences[-1].append((word, start, at))
    return [sentence for sentence in sentences if sentence]


def _own_words(sentences: Sequence[_Sentence]) -> dict[int, frozenset[str] | None]:
    """Return by pattern the words that occur with most terms; None with too few terms."""
    by_term: dict[int, dict[str, set[str]]] = {}
    for sentence in sentences:
        words = by_term.setdefault(sentence.pattern, {}).setdefault(sentence.term, set())
        words.update(word.surface.casefold() for word, _, _ in sentence.words)
    words_of: dict[int, frozenset[str] | None] = {}
    for pattern, terms in by_term.items():
        often = Counter(word for words in terms.values() for word in words)
        shared = frozenset(word for word, n in often.items() if 2 * n > len(terms))
        words_of[pattern] = shared if len(terms) >= _FEWEST_TERMS else None
    return words_of


def _occupation(
    nouns: Sequence[_Noun], own_words: frozenset[str] | None
) -> tuple[str, tuple[int, int]]:
    """Return gender and position of the first noun outside the template."""
    left = [noun for noun in nouns if own_words is None or noun[0] not in own_words]
    if not left or (own_words is None and len(left) > 1):
        return "", (0, 0)
    _, gender, span = left[0]
    return gender, span


def _nouns(sentence: Sequence[Placed]) -> list[_Noun]:
    """Return nouns of a sentence; an unknown word after an article is one."""
    nouns: list[_Noun] = []
    article: Placed | None = None
    for word, start, end in sentence:
        tags = set(word.tags)
        if _NOUNS & tags or (article is not None and not tags):
            gender = _gender(word)
            by_article = _gender(article[0]) if article else ""
            if gender not in ("masculine", "feminine") and by_article in ("masculine", "feminine"):
                gender = by_article
            nouns.append((word.surface.casefold(), gender, (article[1] if article else start, end)))
            article = None
        elif _ARTICLES & tags:
            article = (word, start, end)
        elif not _BETWEEN & tags:
            article = None
    return nouns


def _gender(word: AnalysedWord) -> str:
    return next((GENDERS[tag] for tag in word.tags if tag in GENDERS), "")
