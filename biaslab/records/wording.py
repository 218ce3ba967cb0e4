"""Words and numbers of verdicts, shared by all probes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Final, Literal

Role = Literal["plain", "strong", "group1", "group2", "quiet", "with", "against"]
Span = tuple[str, Role]
"""A piece of a verdict and its role on the screen."""

_MOST_DECIMALS: Final = 4
_QUOTED = re.compile(
    r"\w\([^()\n]*\)|\[[^][\n]*\]|\{[^{}\n]*\}|=\S+|pip install \S+"  # code
    r"|(?<![\w'])'([^'\n]*)'(?!\w)|(?<![\w\"])\"([^\"\n]*)\"(?!\w)"
)
"""Words in quotes, as `repr` writes them, and code, in which they stay."""
_END = re.compile(r"[.!?][)”’\"']*$")
_ABBREVIATION = re.compile(r"\b(Mr|Mrs|Ms|Dr|St|vs|al|eq|e\.g|i\.e)\.$")


def sentences(spans: Iterable[Span]) -> tuple[str, ...]:
    """The sentences of a verdict.

    A space after a full stop ends a sentence where it begins a piece or stands in a plain one;
    within a piece of any other role, such as a word that was asked about, it does not.

    >>> sentences([("It is ", "plain"), ("not clear", "strong"), (". Ask St. John.", "plain")])
    ('It is not clear.', 'Ask St. John.')
    """
    ended, sentence = [], ""
    for text, role in spans:
        for i, letter in enumerate(text):
            may_end = letter == " " and (i == 0 or role in ("plain", "quiet"))
            if may_end and _END.search(sentence) and not _ABBREVIATION.search(sentence):
                ended.append(sentence)
                sentence = ""
            elif sentence or letter != " ":
                sentence += letter
    return (*ended, sentence) if sentence else tuple(ended)


def joined(spans: Iterable[Span]) -> str:
    """The words of a verdict as one text."""
    return "".join(text for text, _ in spans)


def prose(text: object) -> str:
    """What an error says, for a screen: quoted words get curly quotes, and code stays code.

    >>> prose("There is no case 'hire'. Choose one, or case='loan'.")
    "There is no case “hire”. Choose one, or case='loan'."
    """

    def curly(match: re.Match[str]) -> str:
        words = [group for group in match.groups() if group is not None]
        return f"“{words[0]}”" if words else match[0]

    return _QUOTED.sub(curly, str(text))


def number(value: float, digits: int = 2) -> str:
    """Format a number with a true minus sign, and no minus before zero."""
    text = f"{value:.{digits}f}".replace("-", "−")
    return text[1:] if text.startswith("−") and not text.strip("−0.") else text


def decimals_of(low: float, high: float, neutral: float = 0.0) -> int:
    """Decimals for an interval's ends: two, and as many as tell an end from the neutral value.

    >>> decimals_of(0.04, 0.11), decimals_of(0.0031, 0.11)
    (2, 3)
    """
    for digits in range(2, _MOST_DECIMALS):
        if all(x == neutral or round(x, digits) != neutral for x in (low, high)):
            return digits
    return _MOST_DECIMALS


def interval_text(low: float, high: float) -> str:
    """Format an interval's ends, so that both show on which side of 0 they lie.

    >>> interval_text(-0.02, 0.11), interval_text(0.0031, 0.11)
    ('−0.02 to 0.11', '0.003 to 0.110')
    """
    digits = decimals_of(low, high)
    return f"{number(low, digits)} to {number(high, digits)}"


def p_text(p: float) -> str:
    """Format a p-value: three decimals, or one significant figure below 0.001."""
    return f"{p:.3f}" if p >= 0.001 else f"{p:.{math.ceil(-math.log10(p))}f}"


def count(n: int) -> str:
    """Format a whole number with thousands separators."""
    return f"{n:,}"


def counted(n: int, noun: str) -> str:
    """Format a count with its noun.

    >>> counted(1, "pair"), counted(2000, "pair")
    ('1 pair', '2,000 pairs')
    """
    return f"{count(n)} {noun}{'' if n == 1 else 's'}"


def duration(seconds: float) -> str:
    """Format a limit of time in its largest unit.

    >>> duration(20), duration(900), duration(5400)
    ('20 seconds', '15 minutes', '1.5 hours')
    """
    for unit, length in (("hour", 3600), ("minute", 60)):
        if seconds >= length:
            value = f"{seconds / length:.3g}"
            return f"{value} {unit}{'' if value == '1' else 's'}"
    value = f"{seconds:.3g}"
    return f"{value} second{'' if value == '1' else 's'}"


def either(texts: Sequence[str]) -> str:
    """List texts of which one is chosen.

    >>> either(["Emily"]), either(["Emily", "Anne", "Greg"])
    ('Emily', 'Emily, Anne or Greg')
    """
    *before, last = texts
    return f"{', '.join(before)} or {last}" if before else last


def listed(texts: Sequence[str]) -> str:
    """Return texts as one.

    Examples
    --------
    >>> listed(["Emily", "Anne", "wording 1"])
    'Emily, Anne and wording 1'
    """
    *before, last = texts
    return f"{', '.join(before)} and {last}" if before else last


def percent(alpha: float, digits: int = 0) -> str:
    """Format an alpha as a percentage with a true minus sign."""
    text = f"{100 * alpha:.{digits}f}".replace("-", "−")
    return "0" if text == "−0" else text


def range_text(low: float, high: float) -> str:
    """Format two ends as percentages, with decimals that tell them apart."""
    width = 100 * abs(high - low)
    digits = 0 if width >= 5 else 1 if width >= 0.5 else 2
    while digits < 2 and any(round(100 * x, digits) == 50 != 100 * x for x in (low, high)):
        digits += 1
    return f"{percent(low, digits)} and {percent(high, digits)}"


_WHOLE: Final = 5
"""Points from which on no decimals are shown."""


def would_show(
    effect: float, unit: Literal["points", ""] = "points", most: float = math.inf
) -> str:
    """Say from which size on an effect would have been found: a clause after a semicolon.

    Parameters
    ----------
    effect : float
        As of `biaslab.stats.significance.smallest_effect`; rounded up. NaN gives no text.
    unit : str
        ``points`` of a share, or none.
    most : float
        Largest effect that there can be.

    >>> would_show(0.183)
    '; 19 points or more would show'
    >>> would_show(0.0312, ""), would_show(math.nan)
    ('; 0.032 or more would show', '')
    >>> would_show(0.6, most=0.5)
    '; even the largest could be missed'
    """
    if not math.isfinite(effect) or effect <= 0:
        return ""
    if effect > most:
        return "; even the largest could be missed"
    size = 100 * effect if unit else effect
    digits = 0 if unit and size >= _WHOLE else max(0, 1 - math.floor(math.log10(size)))
    text = f"{math.ceil(size * 10**digits - 1e-9) / 10**digits:.{digits}f}"
    return f"; {text}{' points' * bool(unit)} or more would show"


_SILENT_H: Final = ("hour", "honest", "honor", "honour", "heir")
_SOUNDS_LIKE_YOU_OR_WON: Final = re.compile(
    r"(?:eu|ewe|one\b|once\b|one-|uni(?!n|m)|u[bfhjkqst][aeiou]|utensil|uranium|usual|ukr|ugan|uru)",
    re.IGNORECASE,
)
_VOWEL_LETTERS: Final = "AEFHILMNORSX"
"""Letters whose names begin with a vowel sound."""
_READ_AS_WORDS: Final = frozenset(
    ("AID", "GIF", "LAN", "MEN", "NUN", "PIN", "RAM", "ROM", "SIM", "SON", "VAN", "ZIP")
)
_LONGEST_SPELLED: Final = 3
"""Capitals up to which most abbreviations are spelled letter by letter: SUV, HIV, but NASA."""
_EIGHT: Final = re.compile(r"8|1[18](?:,?\d{3})*(?!\d)")
"""Numbers whose first word begins with a vowel sound: eight, eighty, eleven, eighteen."""


def article(word: str) -> str:
    """Return ``"a"`` or ``"an"``, by the first sound of the next word.

    >>> [article(w) for w in ("hour", "uniform", "ant", "FBI", "NASA", "SUV", "one", "Ugandan")]
    ['an', 'a', 'an', 'an', 'a', 'an', 'a', 'a']
    >>> [article(w) for w in ("80-year-old", "18-year-old", "11", "110", "25-year-old")]
    ['an', 'an', 'an', 'a', 'a']
    """
    word = word.lstrip("\"'“‘([")
    first = re.match(r"[^\W_]+", word)
    if first is None:
        return "a"
    start = first.group()
    small = start.lower()
    if start[0].isdigit():
        return "an" if _EIGHT.match(word) else "a"
    if start.isupper() and _is_spelled(start):
        return "an" if start[0] in _VOWEL_LETTERS else "a"
    if small.startswith(_SILENT_H):
        return "an"
    if _SOUNDS_LIKE_YOU_OR_WON.match(small):
        return "a"
    return "an" if small[0] in "aeiouáéíóúàèâêîôäöüæœ" else "a"


def _is_spelled(capitals: str) -> bool:
    """Return whether an abbreviation is read letter by letter."""
    if len(capitals) <= _LONGEST_SPELLED:
        return capitals not in _READ_AS_WORDS
    return not re.search(r"[AEIOU].", capitals[1:])
