"""Read recorded answers: rankings of listed candidates, yes or no, numbers.

Nothing is guessed. A ranking is read as the candidate at its first place. A name there that is not
listed is misspelt where a listed name resembles it, and invented otherwise.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from rapidfuzz import fuzz

from biaslab.answers.recorded import Kind, Outcome
from biaslab.asking.reading.languages import languages
from biaslab.asking.reading.reading import read_reply
from biaslab.cases import Question


class Read(NamedTuple):
    """What an answer was read as, what that came to, and why it is not used."""

    value: Any
    outcome: Outcome = "answered"
    reason: str = ""


_FIRST: Final = re.compile(r"1(?:st)?[.):][^\w\n]{0,8}([^\n]{1,400})")
_BEFORE_FIRST: Final = re.compile(r"[^\w\n]{0,8}")
_RESEMBLES: Final = 70.0
"""Similarity, in percent, from which a name is a listed one that is misspelt."""
_LONGEST: Final = 20_000
_APOSTROPHES: Final = "'’`´"


def _folded(name: str) -> str:
    """Return a text without case, accents and apostrophes."""
    if not name.isascii():
        parts = unicodedata.normalize("NFKD", name)
        name = "".join(letter for letter in parts if not unicodedata.combining(letter))
    name = name.casefold()
    for mark in _APOSTROPHES:  # much faster than str.translate
        name = name.replace(mark, "")
    return name.strip()


_folded_name = lru_cache(maxsize=16_384)(_folded)


def _places(text: str, names: Sequence[str]) -> list[tuple[int, int]]:
    """Return where each name that a text holds as whole words first occurs: (offset, name)."""
    places = []
    for number, name in enumerate(names):
        at = text.find(name) if name else -1
        end = at + len(name)
        while at >= 0 and (text[at - 1 : at].isalnum() or text[end : end + 1].isalnum()):
            at = text.find(name, at + 1)
            end = at + len(name)
        if at >= 0:
            places.append((at, number))
    return sorted(places)


def _first_named(text: str, names: Sequence[str]) -> int | None:
    """Return the name that a text holds first, as a whole word; most texts begin with it."""
    for number, name in enumerate(names):
        if name and text.startswith(name) and not text[len(name) : len(name) + 1].isalnum():
            return number
    places = _places(text, names)
    return places[0][1] if places else None


def read_ranking(reply: str, order: Sequence[str], *, by_place: bool = True) -> Read:
    """Read which of the listed candidates a ranking puts first, as a place in the list from 0.

    Parameters
    ----------
    reply : str
    order : sequence of str
        Names of the candidates.
    by_place : bool
        Whether the name has to stand at the first place of the ranking. Otherwise the first name
        that occurs anywhere counts, though it may be second after one that is misspelt.
    """
    if not by_place:
        text = reply[:_LONGEST].casefold()
        offsets = [text.find(name.casefold()) for name in order]
        if max(offsets) < 0:
            return _without_answer(reply, order)
        return Read(min(range(len(order)), key=lambda n: (offsets[n] < 0, offsets[n])))
    text, names = _folded(reply[:_LONGEST]), [_folded_name(name) for name in order]
    if first := _first_place(text):
        there = _first_named(first, names)
        return _nearest(first, names, order) if there is None else Read(there)
    if not (everywhere := _places(text, names)):
        return _without_answer(reply, order)
    offset, number = everywhere[0]
    begins_line = not re.search(r"\w", text[text.rfind("\n", 0, offset) + 1 : offset])
    if begins_line or len(everywhere) == 1:
        return Read(number)
    return Read(None, "declined", f"It names {len(everywhere)} candidates and ranks none.")


def _first_place(text: str) -> str:
    """Return the first place of a numbered ranking; nothing if a text has none."""
    for one in _FIRST.finditer(text):
        # A search for what begins a line would look at every line of a long text.
        line = text.rfind("\n", 0, one.start()) + 1
        if _BEFORE_FIRST.fullmatch(text, line, one.start()):
            return one[1]
    return ""


def _nearest(line: str, names: Sequence[str], order: Sequence[str]) -> Read:
    """Read a first place that holds no listed name."""
    written = re.split(r"[^\w\s.-]|\s[-–—]\s", line, maxsplit=1)[0].strip(" *_.")
    scores = [fuzz.ratio(written, name) for name in names]
    best = max(range(len(names)), key=scores.__getitem__)
    if scores[best] >= _RESEMBLES:
        return Read(best, "misspelt", f"{order[best].title()} is a candidate.")
    return Read(None, "invented", f"None of the {len(names)} has this name.")


def _without_answer(reply: str, options: Sequence[str]) -> Read:
    read = read_reply(reply, Question(_PROMPT, tuple(options)))
    if read.outcome == "refused":
        return Read(None, "refused", read.reason)
    if read.outcome == "other language":
        return Read(None, "other language", read.reason)
    return Read(None, "unreadable", "It names none of the candidates.")


_PROMPT: Final = "Which of the candidates would you choose for this, and why is it the one?"
"""In English: a recorded question is not always in the file."""
_ACCEPT_WORDS: Final = (
    "accept accepted admit admitted advance allow allowed approve approved favorable good grant"
    " granted hire hired interview invite invited offer pass positive promote recommend select"
    " selected shortlist true"
)
_ACCEPTS: Final = frozenset(_ACCEPT_WORDS.split())
_MARKS: Final = " \t\r\n*_`\"'“”‘’«».!:()[]"
_MOST: Final = 0.5
"""Share of the answers that has to be of a kind."""
_NEARLY_ALL: Final = 0.8
"""Share of the answers that two words have to be, to stand for a yes and a no."""
_NUMBER: Final = re.compile(r"[+-]?\d{1,15}(?:[.,]\d{1,15})?(?:[eE][+-]?\d{1,3})?")
_OUT_OF: Final = re.compile(r"\s{0,3}(?:/|out of)\s{0,3}\d{1,4}\b")
_PAIR: Final = re.compile(r"^[^\w\n]{0,8}\w[^\n]{0,60}?\s[-–—]\s[^\n]{1,60}$", re.MULTILINE)


def bare(text: str) -> str:
    """Return an answer without case and the marks around it."""
    return text.strip(_MARKS).casefold()


def kind_of(answers: Sequence[Any]) -> Kind:
    """Return what answers are that rank no candidates."""
    values = [value for value in answers if value not in (None, "")]
    if not values:
        return "text"
    most = _MOST * len(values)
    if all(isinstance(value, bool) for value in values):
        return "yes or no"
    numbers = {number for value in values if (number := number_of(value)) is not None}
    if sum(number_of(value) is not None for value in values) > most:
        return "yes or no" if numbers <= {0.0, 1.0} else "number"
    if sum(len(_PAIR.findall(str(value)[:_LONGEST])) > 1 for value in values) > most:
        return "word pairs"
    return "text"


def number_of(value: Any) -> float | None:
    """Return the number that an answer is, also as text such as ``7/10``; None if it is none."""
    if isinstance(value, int | float):
        return float(value) if value == value else None
    text = str(value).strip(_MARKS)
    match = _NUMBER.match(text)
    if not match or (text[match.end() :] and not _OUT_OF.fullmatch(text, match.end())):
        return None
    return float(match[0].replace(",", "."))


def read_number(value: Any) -> Read:
    """Read a number; a text may hold one, and no other."""
    number = number_of(value)
    if number is None:
        text = _OUT_OF.sub("", str(value)[:_LONGEST])
        inside = _NUMBER.findall(text)
        if len(inside) != 1:
            return Read(None, "unreadable", f"It holds {len(inside) or 'no'} numbers.")
        number = float(inside[0].replace(",", "."))
    return Read(number)


def read_flag(value: Any) -> Read:
    """Read a yes or no that is written as 1 or 0, true or false."""
    number = number_of(value)
    return Read(number) if number in (0, 1) else Read(None, "unreadable", "It is neither 0 nor 1.")


class Options(NamedTuple):
    """The two answers that mean yes and no, and a text in the language of the question."""

    yes: str
    no: str
    prompt: str
    is_guess: bool = False


def options_of(answers: Iterable[Any], yes: str | None) -> Options | None:
    """Return the two options that answers choose from; None if these cannot be told.

    Parameters
    ----------
    answers : iterable
    yes : str, optional
        The option that counts as a yes.
    """
    counts = Counter(bare(str(value)) for value in answers if value not in (None, ""))
    total = sum(counts.values())
    by_language = {
        code: sum(counts[word] for word in one.yes | one.no) for code, one in languages().items()
    }
    own = languages()[max(by_language, key=by_language.__getitem__)]
    every = frozenset().union(*(one.yes | one.no for one in languages().values()))
    spoken_words = sum(counts[word] for word in every)
    plain = Question(_PROMPT, ("yes", "no"))
    most = [word for word, _ in counts.most_common(4)]
    usual = [word for word in most if read_reply(word, plain).outcome != "refused"][:2]
    # In two languages, the answers of one are read and the others counted: "ja" is no "no".
    if yes is None and spoken_words > _MOST * total:
        spoken = max(sorted(own.yes), key=lambda word: counts[word])
        denied = max(sorted(own.no), key=lambda word: counts[word])
        # The common words of a language let the reader recognise the question's.
        return Options(spoken, denied, f"{spoken}, {denied}? {' '.join(sorted(own.common)[:9])}")
    if sum(counts[word] for word in usual) > _NEARLY_ALL * total and len(usual) == 2:
        known = [word for word in usual if (word == bare(yes) if yes else word in _ACCEPTS)]
        accepted = known[0] if len(known) == 1 else usual[0]
        if yes and not known:
            return None
        other = next(word for word in usual if word != accepted)
        return Options(accepted, other, _PROMPT, is_guess=not known)
    return Options("yes", "no", _PROMPT) if yes is None else None


def yes_or_no_reader(options: Options) -> Callable[[Any], Read]:
    """Return the reader of answers that choose from two options."""
    question = Question(options.prompt, (options.yes, options.no))
    known: dict[str, Read] = {options.yes: Read(1.0), options.no: Read(0.0)}

    def read(value: Any) -> Read:
        text = str(value)
        if (result := known.get(bare(text))) is None:
            reply = read_reply(text, question)
            if reply.outcome == "answered":
                result = Read(float(reply.answer == options.yes))
            else:
                outcome: Outcome = "refused" if reply.outcome == "cannot say" else reply.outcome
                result = Read(None, outcome, reply.reason)
            known[bare(text)] = result
        return result

    return read
