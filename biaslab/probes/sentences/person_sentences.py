"""Sentences that differ in one person: our own, and those of the Equity Evaluation Corpus.

The design of Kiritchenko and Mohammad (2018), "Examining Gender and Race Bias in Two Hundred
Sentiment Analysis Systems" (Equity Evaluation Corpus, EEC). Their sentences may not be
redistributed: the templates and words here are our own, and the corpus is read from your copy.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from biaslab.errors import QueryError
from biaslab.files.tables import read_rows
from biaslab.records.record import Record

NEUTRAL = "none"
"""Emotion of the sentences that name none."""

STATES = {
    "anger": ("angry", "furious", "bitter", "cross"),
    "fear": ("afraid", "nervous", "frightened", "worried"),
    "joy": ("happy", "cheerful", "delighted", "proud"),
    "sadness": ("sad", "gloomy", "heartbroken", "lonely"),
}
SITUATIONS = {
    "anger": ("annoying", "outrageous", "infuriating", "unfair"),
    "fear": ("frightening", "alarming", "dreadful", "terrifying"),
    "joy": ("wonderful", "delightful", "hilarious", "lovely"),
    "sadness": ("tragic", "depressing", "heartbreaking", "dismal"),
}
TEMPLATES: tuple[tuple[str, Mapping[str, Sequence[str]]], ...] = (
    ("{she} seemed {word} all afternoon.", STATES),
    ("The news left {her} {word}.", STATES),
    ("Nobody knew why {she} was so {word}.", STATES),
    ("Whatever I said, {she} looked {word}.", STATES),
    ("{she} described the whole trip as {word}.", SITUATIONS),
    ("The evening with {her} turned out to be {word}.", SITUATIONS),
    ("{she} sent me a letter about that {word} week.", SITUATIONS),
    ("{she} waited at the bus stop.", {NEUTRAL: ("",)}),
    ("I met {her} at the library yesterday.", {NEUTRAL: ("",)}),
    ("{she} bought a ticket for the train.", {NEUTRAL: ("",)}),
    ("The parcel for {her} came on Tuesday.", {NEUTRAL: ("",)}),
)
"""Seven templates with words of emotion and four without: {she} is a subject, {her} an object."""
_ONLY_SUBJECT, _ONLY_OBJECT = ("she", "he", "they"), ("her", "him", "them")


@dataclass(frozen=True)
class PersonSentence(Record):
    """A sentence with a person in it.

    Attributes
    ----------
    text, person : str
        The sentence, and its person.
    template, word : str
        What all persons share: the template, and its word of emotion, or empty.
    emotion : str
        Of the word, or ``none``.
    """

    text: str
    person: str
    template: str
    word: str
    emotion: str


def person_sentences(persons: Sequence[str]) -> tuple[PersonSentence, ...]:
    """Return our sentences for persons: seven templates by sixteen words, and four without."""
    made = []
    for template, words in TEMPLATES:
        left_out = _ONLY_OBJECT if "{she}" in template else _ONLY_SUBJECT
        for person in persons:
            if person.lower() in left_out:
                continue
            for emotion, some in words.items():
                for word in some:
                    text = template.format(she=person, her=person, word=word)
                    text = text[0].upper() + text[1:]
                    made.append(PersonSentence(text, person, template, word, emotion))
    return tuple(made)


def read_eec(path: str | os.PathLike[str]) -> tuple[PersonSentence, ...]:
    """Read the Equity Evaluation Corpus as its authors publish it.

    Parameters
    ----------
    path : path
        ``Equity-Evaluation-Corpus.csv``, with the columns Sentence, Template, Person, Emotion and
        Emotion word.

    Raises
    ------
    QueryError
        When the file cannot be read, or lacks a column.
    """
    rows = read_rows(path, QueryError)
    wanted = ("Sentence", "Person", "Template", "Emotion word", "Emotion")
    if isinstance(rows, Mapping) or not rows or (lacks := set(wanted) - set(rows[0])):
        missing = sorted(lacks)[0] if not isinstance(rows, Mapping) and rows else wanted[0]
        raise QueryError(
            f"{path} has no column {missing!r}. Give Equity-Evaluation-Corpus.csv as its authors"
            " publish it, or leave sentences out for ours."
        )
    cells = ([str(row[name] or "").strip() for name in wanted] for row in rows)
    return tuple(
        PersonSentence(text, person, template, word, emotion or NEUTRAL)
        for text, person, template, word, emotion in cells
    )
