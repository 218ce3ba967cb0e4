"""Analyse the words of a text by Apertium's own morphological analysis."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from biaslab.asking.languages import language_code
from biaslab.asking.providers.apertium import MODES, modes, run
from biaslab.asking.translation import no_pair
from biaslab.errors import ServiceAnswerError
from biaslab.records.record import Record

_PIECE = re.compile(r"\\.|[\^$\\]|[^\^$\\]+")
_SPECIAL = re.compile(r"([\\^$@/<>\[\]{}])")
_ESCAPED = re.compile(r"\\(.)")
_SLASH = re.compile(r"(?<!\\)/")
_TAG = re.compile(r"<([^<>]+)>")


@dataclass(frozen=True)
class AnalysedWord(Record):
    """A word as written in a text, and its dictionary form.

    The tags are Apertium's symbols, such as ``("n", "f", "sg")``: noun, feminine, singular. Of an
    unknown word there are no tags, and the lemma is empty.
    """

    surface: str
    lemma: str
    tags: tuple[str, ...]


def analyse(
    texts: Sequence[str],
    language: str,
    into: str = "en",
    *,
    folder: Path = MODES,
    timeout: float = 120.0,
) -> list[tuple[AnalysedWord, ...]]:
    """Return the words of each text with the tagger's analysis; a mark is a word too.

    - `texts`: in the language.
    - `language`, `into`: language pair of the dictionary and tagger.
    - `folder`: folder of the pairs' mode files.
    - `timeout`: seconds for all texts.
    - Raises `ServicePairError` if this pair is not installed; `ServiceError` if Apertium is not
      installed or fails.
    """
    language, into = language_code(language), language_code(into)
    known = modes(folder)
    if (language, into) not in known:
        raise no_pair("Apertium", language, into, known)
    # Each program ends a text at a null byte and forgets it, so that all texts need one run only.
    output = "\0".join(_SPECIAL.sub(r"\\\1", text.replace("\0", " ")) for text in texts) + "\0"
    for command in _commands(known[language, into]):
        output = run(command, output, timeout=timeout)
    pieces = output.split("\0")
    if len(pieces) < len(texts):
        raise ServiceAnswerError(
            f"Apertium's analysis returned {len(pieces)} of {len(texts)} texts."
        )
    return [_words(piece) for piece in pieces[: len(texts)]]


def _commands(mode: Path) -> list[list[str]]:
    """Return the programs of a mode up to the tagger, which preserve the words."""
    commands = []
    for part in mode.read_text(encoding="utf-8").split("|"):
        name, *rest = (word for word in shlex.split(part) if word not in ("$1", "$2"))
        if name == "apertium-pretransfer":
            break
        shown = ["-p"] if name == "apertium-tagger" else []
        commands.append([name, "-z", *shown, *rest])
    return commands


def _words(piece: str) -> tuple[AnalysedWord, ...]:
    """Return the words between ``^`` and ``$`` that have no backslash before them."""
    words: list[AnalysedWord] = []
    unit: str | None = None
    for part in _PIECE.findall(piece):
        if part == "^" and unit is None:
            unit = ""
        elif part == "$" and unit is not None:
            words.append(_word(unit))
            unit = None
        elif unit is not None:
            unit += part
    return tuple(words)


def _word(unit: str) -> AnalysedWord:
    """Return a word and its analysis; a slash of the text has a backslash before it."""
    parts = (*_SLASH.split(unit, maxsplit=1), "")
    surface, analysis = (_ESCAPED.sub(r"\1", part) for part in parts[:2])
    if analysis.startswith("*"):
        return AnalysedWord(surface, "", ())
    return AnalysedWord(surface, analysis.split("<", 1)[0], tuple(_TAG.findall(analysis)))
