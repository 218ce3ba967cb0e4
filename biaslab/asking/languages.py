"""Language codes, ISO 639-1 if there is one, else 639-3; and their English names."""

from __future__ import annotations

import re
from importlib import resources

from biaslab.errors import ServiceSetupError

_TABLE = resources.files(__package__).joinpath("languages.csv").read_text("utf-8")
"""ISO 639-1, ISO 639-3, English name, scripts, function words."""
_ROWS = [line.split(",") for line in _TABLE.splitlines()]
_TO_TWO = {three: two for two, three, *_ in _ROWS}
_NAMES = {two: name for two, _, name, *_ in _ROWS}
_BY_NAME = {name.casefold(): two for two, name in _NAMES.items()}
# Language, then script, region or variant, as in pt-BR, zh-Hans or cat_valencia.
_FORM = re.compile(r"([a-z]{2,3})((?:[-_][a-z0-9]+)*)", re.IGNORECASE)
SCRIPTS = {two: tuple(scripts.split()) for two, _, _, scripts, _ in _ROWS}
"""Beginnings of the letters' Unicode names; ``("*",)`` where a language has several scripts."""
FUNCTION_WORDS = {two: frozenset(words.split()) for two, *_, words in _ROWS if words}
"""Words so frequent that a short text has one, of languages close enough to be confused."""


def language_code(language: str) -> str:
    """Return the normalised code of a language: ISO 639-1 if there is one, else as it was given.

    Parameters
    ----------
    language : str
        ISO 639-1 (``"es"``) or 639-3 (``"spa"``) code, with region or variant if need be
        (``"pt-BR"``), or English name (``"Spanish"``).

    Raises
    ------
    ServiceSetupError
        If it is neither.

    Examples
    --------
    >>> language_code("spa"), language_code("Spanish"), language_code("pt_BR")
    ('es', 'es', 'pt-BR')
    """
    text = language.strip()
    if text.casefold() in _BY_NAME:
        return _BY_NAME[text.casefold()]
    match = _FORM.fullmatch(text)
    if not match:
        raise ServiceSetupError(
            f"{language!r} is not a known language. Give a code of two or three letters, such as "
            "'es' or 'spa'."
        )
    first = match[1].lower()
    return _TO_TWO.get(first, first) + match[2].replace("_", "-")


def language_name(code: str) -> str:
    """Return the English name for a code; the code itself if unknown.

    Examples
    --------
    >>> language_name("gl"), language_name("pt-BR")
    ('Galician', 'Portuguese (BR)')
    """
    first, *rest = code.split("-")
    name = _NAMES.get(first, first)
    return f"{name} ({', '.join(rest)})" if rest else name
