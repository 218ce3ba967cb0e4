"""Tables and numbers of the pages that tools write."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""

    def lines() -> Iterator[str]:
        yield "| " + " | ".join(heads) + " |"
        yield "|" + "---|" * len(heads)
        for row in rows:
            yield "| " + " | ".join(row) + " |"

    return "\n".join(lines())


def minus(text: str) -> str:
    """Numbers with a true minus sign."""
    return text.replace("-", "−")
