"""Frames by language, predefined or in a file of one's own."""

from __future__ import annotations

import os
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from biaslab.arguments import instance
from biaslab.calls import recorded
from biaslab.errors import FrameError
from biaslab.frames.frame_set import FrameSet
from biaslab.frames.language import Language
from biaslab.frames.language_table import language_of
from biaslab.toml_files import ENDING, parse_table, read_text, texts_in

if TYPE_CHECKING:
    import pandas as pd

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
