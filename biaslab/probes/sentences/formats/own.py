"""The project's own JSON of pairs, rejected sentences included."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from biaslab.errors import SentenceError
from biaslab.probes.sentences.formats.published import Collected, Row, text_of
from biaslab.probes.sentences.pairs import PairSet, RejectedSentence, SentencePair

SCHEMA = "sentence-pairs/1"
COLUMNS = ("stereotyped", "against")
_KNOWN = tuple(f.name for f in fields(SentencePair))


def read_document(document: Mapping[str, Any], source: str) -> PairSet:
    """Return the pairs of a document.

    Raises `SentenceError` if it is of another version, or malformed.
    """
    schema = document.get("schema")
    if schema != SCHEMA:
        raise SentenceError(
            f"{source}: the schema is {schema!r}; this biaslab reads {SCHEMA!r}. Update biaslab."
        )
    try:
        return PairSet(
            tuple(_pair(entry) for entry in document["pairs"]),
            tuple(RejectedSentence(**entry) for entry in document.get("rejected", ())),
            str(document.get("source", "")),
            str(document.get("spec", "")),
            tuple(document.get("notes", ())),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise SentenceError(f"{source} is not a {SCHEMA} file: {error}") from error


def _pair(entry: Mapping[str, Any]) -> SentencePair:
    values = {name: value for name, value in entry.items() if name in _KNOWN}
    for name in ("groups", "terms", "references"):
        if name in values:
            values[name] = _tuples(values[name])
    return SentencePair(**values)


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def document_of(pairs: PairSet) -> dict[str, Any]:
    """Return the set as plain values, with its schema."""
    return {
        "schema": SCHEMA,
        "source": pairs.source,
        "spec": pairs.spec,
        "notes": list(pairs.notes),
        "pairs": [pair.to_dict() for pair in pairs],
        "rejected": [vars(entry) for entry in pairs.rejected],
    }


def read(rows: Iterable[Row], source: str) -> PairSet:
    """Return pairs of a table with columns ``stereotyped`` and ``against``."""
    collected = Collected(source)
    for number, row in enumerate(rows, start=1):
        where = f"row {number}"
        versions = collected.versions(row, COLUMNS, where)
        if versions is None:
            continue
        known: dict[str, Any] = {
            name: text_of(row, name) or text_of(row, name.replace("_", " "))
            for name in ("attribute", "attribute_list", "bias_type", "remark", "id")
        }
        groups = text_of(row, "group"), text_of(row, "other group")
        terms = _terms(row, versions)
        try:
            pair = SentencePair(
                *versions,
                groups=groups,
                terms=terms,
                unrelated=text_of(row, "unrelated") or None,
                pairing=text_of(row, "pairing") or "group",
                source=text_of(row, "source") or source,
                **known,
            )
        except SentenceError as error:
            collected.reject(versions[0], "unreadable", str(error), where)
            continue
        collected.add(pair, where)
    return collected.result()


def _terms(row: Row, versions: tuple[str, str]) -> Any:
    from biaslab.probes.sentences.formats.published import place
    from biaslab.probes.sentences.swap import only_difference

    words = text_of(row, "term"), text_of(row, "other term")
    spans = tuple(place(text, word) for text, word in zip(versions, words, strict=True))
    return spans if None not in spans else only_difference(*versions)


def rows_of(pairs: Iterable[SentencePair]) -> list[dict[str, Any]]:
    """Return table rows, one per pair; spans are implied by the words of the terms."""
    rows = []
    for pair in pairs:
        terms = pair.term_texts()
        rows.append(
            {
                "id": pair.id,
                "attribute": pair.attribute,
                "attribute list": pair.attribute_list,
                "stereotyped": pair.stereotyped,
                "against": pair.against,
                "unrelated": pair.unrelated or "",
                "group": pair.groups[0],
                "other group": pair.groups[1],
                "term": terms[0] or "",
                "other term": terms[1] or "",
                "bias type": pair.bias_type,
                "pairing": pair.pairing,
                "remark": pair.remark,
                "source": pair.source,
            }
        )
    return rows
