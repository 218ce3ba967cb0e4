"""Sentences of a store, found by their term and attribute."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from biaslab.store.batches import batches
from biaslab.store.part import Part
from biaslab.store.tables import tables


@dataclass(frozen=True)
class KeptSentence:
    """A sentence in the store.

    Attributes
    ----------
    hash : str
        Identifies the sentence: duplicates are stored once. At most 64 characters.
    term, attribute : str
        Search keys, exactly as written here; at most 200 characters each.
    document : str
        The stored text.
    """

    hash: str
    term: str
    attribute: str
    document: str


class Sentences(Part):
    """Methods of a store for sentences."""

    def keep_sentences(self, sentences: Iterable[KeptSentence]) -> int:
        """Store sentences, all or none; known hashes are left unchanged.

        Returns
        -------
        int
            Number of new sentences.
        """
        return self._insert_new(tables().sentences, {s.hash: vars(s) for s in sentences})

    def kept_sentences(
        self, terms: Iterable[str], attributes: Iterable[str]
    ) -> tuple[KeptSentence, ...]:
        """Return sentences with these terms and attributes, oldest first."""
        import sqlalchemy as sa

        table = tables().sentences
        requested = set(terms)
        rows: list[Any] = []
        with self._database.reading() as connection:
            if connection is None or not sa.inspect(connection).has_table(table.name):
                return ()
            for some in batches(attributes):
                query = sa.select(table).where(table.c.attribute.in_(some))
                rows += [row for row in connection.execute(query) if row.term in requested]
        rows.sort(key=lambda row: row.number)
        return tuple(KeptSentence(r.hash, r.term, r.attribute, r.document) for r in rows)
