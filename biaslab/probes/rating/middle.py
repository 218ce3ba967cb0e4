"""Gender in the middle text: a pronoun that the way back loses may have left a noun's gender.

"She is a plumber" becomes "Es un fontanero" in Spanish: the pronoun is gone, and the noun is
masculine. Who reads the translation reads that, whatever the way back makes of it. Apertium's own
morphological analysis says which gender each noun or its article has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from biaslab.errors import RatingError
from biaslab.probes.rating.result import RatingResult
from biaslab.record import Record
from biaslab.services.apertium_analysis import AnalysedWord, analyse

if TYPE_CHECKING:
    import pandas as pd

GENDERS = {"m": "masculine", "f": "feminine", "mf": "either", "nt": "neuter"}
_NOUNS = frozenset({"n", "np"})
_ARTICLES = frozenset({"det"})
_PRONOUNS = frozenset({"prn"})


@dataclass(frozen=True)
class MiddleMention(Record):
    """One mention in the middle text.

    Attributes
    ----------
    text, place : int
        Number of the text among the result's, and of the mention in it.
    value, term : str
        What the source said: ``She``, ``plumber``.
    pronoun : str
        ``masculine``, ``feminine`` ... of a personal pronoun; empty where there is none.
    noun : str
        ``masculine``, ``feminine``, ``either``, ``neuter`` of the noun, by its article where the
        noun itself may be either or is not known; empty where nothing says it.
    span : (int, int)
        Where article and noun stand in the middle text; (0, 0) where there are none.
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
class MiddleGender(Record):
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
        """Mentions by (value in the source, gender of the noun); an empty gender is not known."""
        found: dict[tuple[str, str], int] = {}
        for mention in self.mentions:
            key = (mention.value, mention.noun)
            found[key] = found.get(key, 0) + 1
        return found

    def to_frame(self) -> pd.DataFrame:
        """One row per occupation and value.

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

    def summary(self) -> str:
        """How many mentions changed their gender on the way, and how many kept it."""
        told = [m for m in self.mentions if m.noun in ("masculine", "feminine")]
        parts = []
        for value, other in (("She", "masculine"), ("He", "feminine")):
            asked = [m for m in told if m.value == value]
            became = sum(m.noun == other for m in asked)
            parts.append(f"of {len(asked)} times {value.casefold()}, {became} became {other} nouns")
        silent = len(self.mentions) - len(told)
        return (
            f"In the middle text, {' and '.join(parts)}; of {silent} mentions the noun shows no "
            f"gender, and {self.missing} could not be found."
        )


def middle_gender(result: RatingResult, language: str = "") -> MiddleGender:
    """Read the gender of every mention in the middle text, by Apertium's analysis.

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
            f"{result.service} was asked directly: there is no middle text. Rate a translator."
        )
    texts = [text for block in result.blocks for text in block.texts]
    middles = responses.middle_texts
    present = [i for i, middle in enumerate(middles) if middle]
    spoken = responses.languages[responses.middle + 1]
    analysed = analyse([middles[i] or "" for i in present], spoken, result.design.source)
    found: list[MiddleMention] = []
    missing = sum(len(text.mentions) for i, text in enumerate(texts) if i not in set(present))
    for i, words in zip(present, analysed, strict=True):
        mentions = texts[i].mentions
        sentences = _sentences(middles[i] or "", words)
        if len(sentences) != len(mentions):
            missing += len(mentions)
            continue
        for place, (mention, sentence) in enumerate(zip(mentions, sentences, strict=True)):
            pronoun, noun, span = _genders(sentence)
            changed = (mention.value, noun) in (("She", "masculine"), ("He", "feminine"))
            found.append(
                MiddleMention(i, place, mention.value, mention.term, pronoun, noun, span, changed)
            )
    return MiddleGender(route.language, tuple(found), missing)


Placed = tuple[AnalysedWord, int, int]


def _sentences(text: str, words: Sequence[AnalysedWord]) -> list[list[Placed]]:
    """The words of each sentence with where they stand."""
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


def _genders(sentence: Sequence[Placed]) -> tuple[str, str, tuple[int, int]]:
    """Gender of the pronoun and of the noun, and where article and noun stand."""
    pronoun = next((_gender(w) for w, _, _ in sentence if _PRONOUNS & set(w.tags)), "")
    article: Placed | None = None
    for word, start, end in sentence:
        tags = set(word.tags)
        if _ARTICLES & tags:
            article = (word, start, end)
        elif _NOUNS & tags or (article is not None and not tags):
            own = _gender(word)
            by_article = _gender(article[0]) if article else ""
            if own not in ("masculine", "feminine") and by_article in ("masculine", "feminine"):
                own = by_article
            return pronoun, own, (article[1] if article else start, end)
    return pronoun, "", (0, 0)


def _gender(word: AnalysedWord) -> str:
    return next((GENDERS[tag] for tag in word.tags if tag in GENDERS), "")
