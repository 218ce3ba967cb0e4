"""What a person takes along from the rating bench: tables, the result, the rating card."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from biaslab.errors import QueryError
from biaslab.files.csv_text import rows_text
from biaslab.probes.rating import RatingResult
from biaslab.services import language_name

CARDS = {
    "json": ("json", "application/json"),
    "markdown": ("md", "text/markdown"),
    "html": ("html", "text/html"),
}
TABLES = ("texts", "ratings")


def card(result: RatingResult, kind: str) -> tuple[str, str, str]:
    """The rating card as a file: its ending, its media type, its text.

    Raises `QueryError` when there is no such format.
    """
    if kind not in CARDS:
        raise QueryError(f"There is no card as “{kind}”: choose one of {', '.join(CARDS)}.")
    made = result.card()
    text = {"json": made.to_json, "markdown": made.to_markdown, "html": made.to_html}[kind]()
    return *CARDS[kind], text


def table(result: RatingResult, what: str) -> str:
    """CSV text: every text with its answers, or a row per language and block.

    Raises `QueryError` when there is no such table.
    """
    what = what or TABLES[0]
    if what not in TABLES:
        raise QueryError(f"There is no table “{what}”: choose one of {', '.join(TABLES)}.")
    return _texts(result) if what == "texts" else result.to_csv()


def _texts(result: RatingResult) -> str:
    """A row per mention: its text with both answers, what it said and what came back."""
    columns = ["language", "block", "text", "mention", "term", "given", "back", "source", "middle",
               "answer", "problem"]  # fmt: skip
    return rows_text(columns, _mentions(result))


def _mentions(result: RatingResult) -> Iterator[list[Any]]:
    for language in result.languages:
        shown = iter(result.shown_texts(language))
        title = language_name(language) if language else ""
        number = 0
        for block in result.blocks:
            for text in block.texts:
                number += 1
                row = next(shown)
                for place, (mention, value) in enumerate(
                    zip(text.mentions, row.back_values, strict=True), start=1
                ):
                    yield [
                        title, block.distribution.name, number, place, mention.term,
                        mention.value, value.value, row.source, row.middle, row.back,
                        row.failure or value.reason,
                    ]  # fmt: skip


def stem(service: str) -> str:
    """Name of a file without its ending."""
    plain = "".join(c if c.isalnum() else "-" for c in service).strip("-")
    return f"rating-{plain or 'service'}"
