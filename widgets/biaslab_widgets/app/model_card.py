"""Facts of a model card: the README.md beside a model."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_FACT = re.compile(r"^- \*\*([^*]+)\*\*:? (.*)$")
_MARKS = re.compile(r"\*\*|`")
_LONGEST = 400
_MOST = 6


@dataclass(frozen=True)
class ModelCard:
    """What a model card says.

    Attributes
    ----------
    about : str
        Its first paragraph.
    planted : str
        The paragraph on a bias that was planted; empty where there is none.
    facts : tuple of (str, str)
        Titles and texts of its first list.
    """

    about: str = ""
    planted: str = ""
    facts: tuple[tuple[str, str], ...] = ()


def read_card(folder: Path) -> ModelCard:
    """Read the card of a folder; an empty one where there is none."""
    try:
        text = (folder / "README.md").read_text(encoding="utf-8", errors="replace")[:50_000]
    except OSError:
        return ModelCard()
    if text.startswith("---\n"):
        text = text.partition("\n---\n")[2]
    head, *sections = re.split(r"^## ", text, flags=re.MULTILINE)
    paragraphs = [part for part in head.split("\n\n") if part.strip() and part[0] not in "#-"]
    planted = next((part for part in sections if "was planted" in part.partition("\n")[0]), "")
    return ModelCard(
        about=_plain(paragraphs[0]) if paragraphs else "",
        planted=_plain(planted.partition("\n\n")[2].partition("\n\n")[0]),
        facts=tuple(_facts(head))[:_MOST],
    )


def _facts(text: str) -> list[tuple[str, str]]:
    facts: list[tuple[str, str]] = []
    for line in text.splitlines():
        if match := _FACT.match(line):
            facts.append((match[1], match[2]))
        elif facts and line.startswith("  "):
            facts[-1] = (facts[-1][0], f"{facts[-1][1]} {line.strip()}")
    return [(title, _plain(fact)) for title, fact in facts]


def _plain(text: str) -> str:
    plain = " ".join(_MARKS.sub("", text).split())
    return plain if len(plain) <= _LONGEST else plain[:_LONGEST].rpartition(" ")[0] + " …"
