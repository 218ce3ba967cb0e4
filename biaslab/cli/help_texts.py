"""Help texts: wrapped paragraphs, and lists whose lines stay as they are."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterable


class HelpFormatter(argparse.HelpFormatter):
    """Formatter that leaves indented lines of descriptions and epilogs as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        lines = [
            indent + line if line.startswith("  ") else textwrap.fill(line, width)
            for line in text.splitlines()
        ]
        return "\n".join(lines)


def as_sentence(text: str) -> str:
    """Return the text with a capital letter and a full stop."""
    return f"{text[:1].upper()}{text[1:]}."


def examples_text(examples: Iterable[str]) -> str:
    """Return command lines under a heading."""
    lines = [f"  {one}" for one in examples]
    return "\n".join(["Examples:" if len(lines) > 1 else "Example:", *lines])
