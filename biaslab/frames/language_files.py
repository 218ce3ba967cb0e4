"""Frames by language, predefined or in a file of one's own."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from biaslab.arguments import instance
from biaslab.errors import FrameError
from biaslab.files.toml import ENDING, parse_table, read_text, texts_in
from biaslab.frames.frame_set import FrameSet
from biaslab.frames.language import GENDERS, NEEDS, ItemForms, Language
from biaslab.records.calls import recorded

if TYPE_CHECKING:
    import pandas as pd


_KEYS: Final = {
    "code", "title", "source", "rules", "avoid", "not_before", "shells", "work", "cues", "items",
    "names",
}  # fmt: skip


def language_of(table: Mapping[str, Any], where: str) -> Language:
    """Return the language of a file's table; `where` names the file in an error.

    Raises `FrameError`, which names the file, the field and the remedy.
    """
    try:
        return Language(**_fields(table))
    except FrameError as error:
        raise FrameError(f"{where}: {error}") from None


def _fields(table: Mapping[str, Any]) -> dict[str, Any]:
    if odd := sorted(set(table) - _KEYS):
        raise FrameError(f"{odd[0]} is not a field. The fields are {', '.join(sorted(_KEYS))}.")
    if left := sorted(_KEYS - {"names", "not_before"} - set(table)):
        raise FrameError(f"{left[0]} is missing. Add it.")
    work = {name: _texts(value, f"work.{name}") for name, value in _table(table, "work").items()}
    if unknown := sorted(set(work) - set(NEEDS)):
        raise FrameError(f"work.{unknown[0]} is no design. The designs are {', '.join(NEEDS)}.")
    cues = {name: _pairs(value, f"cues.{name}") for name, value in _table(table, "cues").items()}
    if set(cues) != {"singular", "plural"}:
        raise FrameError("cues needs two lists: singular and plural.")
    return {
        **{name: _text(table[name], name) for name in ("code", "title", "source")},
        **{name: _texts(table[name], name) for name in ("rules", "avoid", "shells")},
        "not_before": _texts(table.get("not_before", []), "not_before", at_least=0),
        "work": work,
        "cues": cues,
        "items": {
            key: _forms(value, f"items.{key}") for key, value in _table(table, "items").items()
        },
        "names": {
            origin: _names(value, f"names.{origin}")
            for origin, value in _table(table, "names", optional=True).items()
        },
    }


def _forms(value: Any, where: str) -> ItemForms:
    if not isinstance(value, Mapping):
        raise FrameError(f"{where} is not a table. Write {{field = ..., feminine = [...]}}.")
    if odd := sorted(set(value) - {"field", "feminine", "masculine", "stereotype"}):
        raise FrameError(f"{where}.{odd[0]} is not a field of an item.")
    stereotype = value.get("stereotype", "")
    if stereotype not in ("", *GENDERS):
        raise FrameError(f"{where}.stereotype is {stereotype!r}. Use 'female' or 'male'.")
    nouns = {}
    for gender in ("feminine", "masculine"):
        nouns[gender] = _texts(value.get(gender, []), f"{where}.{gender}", at_least=0)
        if len(nouns[gender]) not in (0, 2):
            raise FrameError(f"{where}.{gender}: give two forms, the singular and the plural.")
    return ItemForms(_text(value.get("field"), f"{where}.field"), **nouns, stereotype=stereotype)


def _names(value: Any, where: str) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, Mapping) or set(value) != set(GENDERS):
        raise FrameError(f"{where}: give two lists of names, female and male.")
    names = {gender: _texts(value[gender], f"{where}.{gender}") for gender in GENDERS}
    if len(names["female"]) != len(names["male"]):
        raise FrameError(f"{where}: give as many female names as male ones.")
    return names


def _pairs(value: Any, where: str) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, list) or not value:
        raise FrameError(f"{where}: give pairs of cues (female, male), such as [['she', 'he']].")
    pairs = tuple(_texts(pair, f"{where}[{i}]") for i, pair in enumerate(value))
    for i, pair in enumerate(pairs):
        if len(pair) != 2 or pair[0] == pair[1]:
            raise FrameError(f"{where}[{i}] is {list(pair)}. Give two different cues.")
    return tuple((first, second) for first, second in pairs)


def _table(table: Mapping[str, Any], name: str, optional: bool = False) -> Mapping[str, Any]:
    value = table.get(name, {})
    if not isinstance(value, Mapping) or not (value or optional):
        raise FrameError(f"{name} is not a table with entries. Write [{name}] and its entries.")
    return value


def _texts(value: Any, where: str, at_least: int = 1) -> tuple[str, ...]:
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) < at_least:
        raise FrameError(f"{where} is not a list of texts. Write it in brackets: ['...'].")
    return tuple(_text(text, f"{where}[{i}]") for i, text in enumerate(value))


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise FrameError(f"{where} is {value!r}. Write a text on one line, in quotes.")
    return value.strip()


LONGEST = 100_000
"""Characters of a file."""
_HOW = "Pass a code such as 'de', or the path of a .toml file: bl.frames.catalog() lists the codes."


@recorded
def get(
    language: str | os.PathLike[str],
    design: Literal["neutral", "both", "feminine", "masculine", "agreeing"] = "neutral",
    *,
    number: Literal["singular", "plural"] = "singular",
    cues: Literal["words", "names"] = "words",
) -> FrameSet:
    """Return the frames of a language, for `bl.two_afc` and `bl.stereotype_score`.

    Parameters
    ----------
    language : str or path
        A code, such as ``"de"``; or the path of a ``.toml`` file with frames of one's own.
    design : str
        ``neutral`` (default): the item is a field of work, and nothing agrees with the cue.
        ``both``: both forms of the noun, each first in half of the frames. ``feminine`` and
        ``masculine``: one form, with its article and adjective. ``agreeing``: for pairs of
        sentences only, the form of the person.
    number : str
        ``singular`` (default) or ``plural``: of verbs, adjectives, nouns and cues.
    cues : str
        ``words`` (default): pronouns and nouns. ``names``: given names of two origins, for
        gender by origin.

    Returns
    -------
    FrameSet

    Raises
    ------
    FrameError
        When there is no such language (lists those there are), its file is malformed, or it does
        not have such frames.

    Examples
    --------
    >>> import biaslab as bl
    >>> bl.frames.get("de", "both").texts[0]
    'In diesem Jahr arbeitet {stimulus} als {item:f} oder {item:m}, und am Abend liest {answer} ein Buch.'
    """  # noqa: E501  # a doctest shows the whole sentence
    given = os.fspath(instance(language, (str, os.PathLike), "language", _HOW))
    if given.lower().endswith(ENDING):
        return FrameSet(read(given), design, number, cues)
    known = _predefined()
    if given not in known:
        raise FrameError(f"There are no frames in {given!r}. There are {', '.join(known)}.")
    return FrameSet(known[given], design, number, cues)


def read(path: str | os.PathLike[str]) -> Language:
    """Read the language in a TOML file.

    Raises
    ------
    FrameError
        Names the file, the field (for syntax: line and column) and the remedy.
    """
    file = Path(path).expanduser()
    return parse(read_text(file, longest=LONGEST, error=FrameError), str(file))


def parse(text: str, where: str) -> Language:
    """Parse the language in a TOML text; `where` names it in an error.

    Raises
    ------
    FrameError
        Names the field (for syntax: line and column) and the remedy.
    """
    table = parse_table(text, where, longest=LONGEST, error=FrameError)
    return language_of(table, where)


def names() -> tuple[str, ...]:
    """Return the codes of the languages that have frames."""
    return tuple(_predefined())


def file_text(code: str) -> str:
    """Return the file of a predefined language, as a start for one's own.

    Raises
    ------
    FrameError
        When there is none; lists the languages.
    """
    if code not in names():
        raise FrameError(f"There are no frames in {code!r}. There are {', '.join(names())}.")
    return (files("biaslab.frames") / "data" / f"{code}{ENDING}").read_text(encoding="utf-8")


def catalog() -> pd.DataFrame:
    """Return the languages as a table.

    Columns: ``code``, ``title``; the numbers of ``frames`` and ``items``; ``agreeing`` (items with
    a form for each gender); ``origins`` of the names; ``source``.
    """
    import pandas as pd

    return pd.DataFrame(
        {
            "code": language.code,
            "title": language.title,
            "frames": len(language.shells),
            "items": len(language.items),
            "agreeing": sum(forms.agrees for forms in language.items.values()),
            "origins": ", ".join(language.names),
            "source": language.source,
        }
        for language in _predefined().values()
    )


@cache
def _predefined() -> dict[str, Language]:
    languages = [parse(text, name) for name, text in texts_in(files("biaslab.frames") / "data")]
    return {language.code: language for language in languages}
