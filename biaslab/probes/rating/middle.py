"""Gender in the middle text, which the back-translation may lose.

"She is a plumber" becomes "Es un fontanero" in Spanish: the pronoun is gone, and the noun is
masculine for a reader of the translation, whatever the back-translation says. Apertium's own
morphological analysis says which gender each noun or its article has. The occupation's noun is
found by comparison: words that most sentences of one pattern share are the template's own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from biaslab.asking.providers.apertium_analysis import AnalysedWord, analyse
from biaslab.errors import RatingError
from biaslab.probes.rating.result import RatingResult
from biaslab.records.record import Record
from biaslab.records.result import Worded

if TYPE_CHECKING:
    import pandas as pd

GENDERS = {"m": "masculine", "f": "feminine", "mf": "either", "nt": "neuter"}
_NOUNS = frozenset({"n", "np"})
_ARTICLES = frozenset({"det"})
_PRONOUNS = frozenset({"prn"})
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
        Position of article and noun in the middle text; (0, 0) if there are none.
    changed : bool
        Whether a man became a feminine noun, or a woman a masculine one.
    """

    text: int
    place: int
    value: str
    term: str
    pronoun: str
    noun: str
    span: tuple[int, int]
    changed: bool


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
    """

    language: str
    mentions: tuple[MiddleMention, ...]
    missing: int

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
    """Read the gender of every mention in the middle text, by Apertium's analysis.

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
        If Apertium, or its dictionary of this language, is not installed.
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
    first = [
        (block.repetition * result.design.texts + t) * result.design.sentences
        for block in result.blocks
        for t in range(len(block.texts))
    ]
    patterns = len(result.design.template.sentences)
    middles = responses.middle_texts
    present = [i for i, middle in enumerate(middles) if middle]
    # Of a chain through several languages, the dictionary is that of the way on from here.
    spoken, onward = responses.languages[responses.middle + 1 : responses.middle + 3]
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
    nouns = []
    for sentence_read in read:
        value = texts[sentence_read.text].mentions[sentence_read.place].value
        pronoun = next(
            (_gender(w) for w, _, _ in sentence_read.words if _PRONOUNS & set(w.tags)), ""
        )
        noun, span = _occupation(_nouns(sentence_read.words), own_words[sentence_read.pattern])
        if spoken in _WITHOUT_GENDER and noun == "masculine":
            noun = "either"
        changed = (value, noun) in (("She", "masculine"), ("He", "feminine"))
        nouns.append(
            MiddleMention(
                sentence_read.text,
                sentence_read.place,
                value,
                sentence_read.term,
                pronoun,
                noun,
                span,
                changed,
            )
        )
    missing = sum(len(text.mentions) for text in texts) - len(nouns)
    return MiddleGender(route.language, tuple(nouns), missing)


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
