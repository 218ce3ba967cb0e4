"""Messages of the library, which speak Python, in the words of the command line."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

_PROBES: Final = {
    "two_afc": "probe two-afc",
    "occupations": "probe occupations",
    "weat": "probe weat",
    "mac": "probe mac",
    "distance_model": "probe distances",
    "association.seat": "probe seat",
    "association.ceat": "probe ceat",
    "sample_posterior": "probe posterior",
    "stereotype_score": "probe sentences",
    "image_association": "probe images",
    "rate": "probe rate",
    "trace": "probe trace",
    "debias": "debias",
    "probes.similarity.word_similarity": "evaluate",
    "compare": "compare",
}
"""Functions of ``bl``, and the commands that call them."""


def _command(found: re.Match[str]) -> str:
    command = _PROBES.get(found[1])
    return f"`biaslab {command}`" if command else found[0]


_WORDS: Final[tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...]] = (
    (r"(?<![\w.])runs\(\) lists all runs", "`biaslab runs` lists all runs"),
    (r"(?<![\w.])restore\('([^']*)'\) brings", r"`biaslab runs restore \1` brings"),
    (r"bl\.specs\.catalog\(\) lists", "`biaslab specs` lists"),
    (r"bl\.subjects\.library\.own_subjects\(\) lists", "`biaslab subjects` lists"),
    (r"when it is opened: bl\.load\('[^']*'\)", "when a probe opens it by this name"),
    (r"(Pass|Open one with) bl\.load\('([^']*)'\)", r"Give \2"),
    (r"bl\.load\('([^']*)'\)", r"\1"),
    (r",? or wrap a torch module in TorchClassifier", ""),
    (r"\bsee \.?dropped\b", "--json gives all"),
    (r"(?<!\w)\.dropped lists", "--json lists"),
    (r"\bdefining=\[\('she', 'he'\), \.\.\.\]", "--defining 'she,he;woman,man'"),
    (r"\bbl\.(\w+(?:\.\w+)*)", _command),
)
"""Patterns of Python, and what stands in their place."""


def in_shell(text: str, *, has_kind: bool = False) -> str:
    """Return a message with commands in place of Python where there is one for it.

    Parameters
    ----------
    text : str
        The message.
    has_kind : bool
        Whether the command that it is for has the option ``--kind``.

    Examples
    --------
    >>> in_shell("There is no run 'x'. runs() lists all runs.")
    "There is no run 'x'. `biaslab runs` lists all runs."
    """
    for pattern, words in _WORDS:
        text = re.sub(pattern, words, text)
    return re.sub(r"\bkind='(\w+)'", r"--kind \1", text) if has_kind else text
