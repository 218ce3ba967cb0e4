"""``bl.association.distances``: protected to attribute words, of a subject or from a CSV file."""

from __future__ import annotations

import csv
import hashlib
import math
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import QueryError
from biaslab.files.given import read_given
from biaslab.files.tables import header_delimiter, lines_of, with_points
from biaslab.probes.association.lists import (
    CONNECTIONS,
    CONTROLS,
    KIND_OF,
    AssociationLists,
    SpecSource,
    Words,
    cosines,
)
from biaslab.records.calls import recorded, recorded_classmethod
from biaslab.records.record import Record
from biaslab.records.result import Dropped
from biaslab.stats.crossed.layout import Layout
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.opening.needs import WORD_VECTORS, Named, opened

if TYPE_CHECKING:
    import pandas as pd


Floats = NDArray[np.float64]


@dataclass(frozen=True)
class DistanceTable(Record):
    """Cosine distances of I protected words to J attribute words in B replicates.

    Attributes
    ----------
    words : tuple of str
        Protected words.
    groups : tuple of str
        The group of each.
    attributes : tuple of str
        Attribute words, each once.
    lists : tuple of str
        The list of each; of controls ``human`` or ``neutral``.
    connection : ndarray of int8, shape (I, J)
        Index in `CONNECTIONS` (associated, different, human, none); -1 without a distance.
    distance : ndarray, shape (B, I, J)
        1 - cosine, in [0, 2]; NaN if missing.
    source : str
        Subject or file.
    subject_hash, spec_hash : str or None
        SHA-256 of the subject and of the lists.
    dropped : tuple of Dropped
        Dropped words, with reasons.
    missing : int
        Rows of a file that were left out because their words had no vector.
    repeated : int
        Rows of a file that were left out because an earlier row has the pair and its distance.
    """

    words: tuple[str, ...]
    groups: tuple[str, ...]
    attributes: tuple[str, ...]
    lists: tuple[str, ...]
    connection: NDArray[np.int8]
    distance: Floats
    source: str = ""
    subject_hash: str | None = None
    spec_hash: str | None = None
    dropped: tuple[Dropped, ...] = ()
    missing: int = 0
    repeated: int = 0

    @property
    def n_replicates(self) -> int:
        """Number B of replicates."""
        return len(self.distance)

    @property
    def n(self) -> int:
        """Number N of distances in one replicate."""
        return int((self.connection >= 0).sum())

    @cached_property
    def layout(self) -> Layout:
        """Layout of the table, in classes of protected words with the same cells."""
        names = {name: g for g, name in enumerate(dict.fromkeys(self.groups))}
        groups = np.array([names[g] for g in self.groups], dtype=np.intp)
        return Layout.of(self.connection, groups, KIND_OF)

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """Number of distances by connection type."""
        return {name: int((self.connection == c).sum()) for c, name in enumerate(CONNECTIONS)}

    @property
    def connections(self) -> tuple[str, ...]:
        """Connection types that have distances."""
        return tuple(name for name, n in self.counts.items() if n)

    def of(self, word: str, connection: str) -> Floats:
        """Return distances of a protected word under a connection type, shape (B, n)."""
        row = self.words.index(word)
        return self.distance[:, row, self.connection[row] == CONNECTIONS.index(connection)]

    def means(self) -> Floats:
        """Return each protected word's mean distance by connection type, (B, I, 4)."""
        of_type = self.connection[:, :, None] == np.arange(len(CONNECTIONS))
        sums = np.einsum("bij,ijc->bic", np.nan_to_num(self.distance), of_type)
        with np.errstate(invalid="ignore"):
            return np.asarray(sums / np.where(of_type.any(axis=1), of_type.sum(axis=1), np.nan))

    def replicate(self, b: int) -> Floats:
        """Return distances of one replicate, shape (I, J)."""
        return np.asarray(self.distance[b])

    def first(self, replicates: int | None) -> DistanceTable:
        """Return the table of the first replicates only; of all with None.

        Raises
        ------
        QueryError
            When there are fewer.
        """
        if replicates is None or replicates == self.n_replicates:
            return self
        if not 1 <= replicates <= self.n_replicates:
            raise QueryError(
                f"replicates is {replicates}; {self.source!r} has {self.n_replicates}: use 1 to "
                f"{self.n_replicates}, or None for all."
            )
        return replace(self, distance=self.distance[:replicates])

    def to_frame(self) -> pd.DataFrame:
        """Return one row per distance."""
        import pandas as pd

        i, j = np.nonzero(self.connection >= 0)
        names = np.array(CONNECTIONS)
        rows = {
            "word": np.array(self.words)[i],
            "group": np.array(self.groups)[i],
            "attribute": np.array(self.attributes)[j],
            "list": np.array(self.lists)[j],
            "connection": names[self.connection[i, j]],
        }
        b = self.n_replicates
        frame = pd.DataFrame({name: np.tile(values, b) for name, values in rows.items()})
        frame["replicate"] = np.repeat(np.arange(b), len(i))
        frame["distance"] = self.distance[:, i, j].ravel()
        return frame

    @classmethod
    @recorded_classmethod
    def read_csv(cls, path: str | os.PathLike[str]) -> DistanceTable:
        """Read a table of distances from a CSV file, such as the manuscript's.

        Parameters
        ----------
        path : path
            Columns ``protectedWord``, ``wordToCompare``, ``wordClass``, ``cosineDistance`` or
            ``cosineSimilarity``, ``connection``, or the same in snake case; or those of `to_frame`.
            A pair may stand there again with the same distance: it counts once.

        Raises
        ------
        QueryError
            When a column is missing, a value cannot be read, a pair has two distances, or nothing
            is left.
        """
        return read(path, cls)


@recorded
def distances(
    subject: EmbeddingSubject | Named,
    spec: SpecSource | None = None,
    *,
    groups: Sequence[str] | None = None,
    targets: Words | None = None,
    attributes: Words | Sequence[str] | None = None,
    attribute_groups: Words | None = None,
    controls: Words | None = None,
    replicates: int | None = None,
) -> DistanceTable:
    """Compute the distances of protected words to attribute and control words.

    Parameters
    ----------
    subject : EmbeddingSubject, or name of one
        An embedding or an ensemble.
    spec : Spec, AssociationLists, name or path of a spec
    groups, targets, attributes, attribute_groups, controls
        In place of the spec's: as of `AssociationLists.of`.
    replicates : int, optional
        How many of the subject's replicates; by default all.

    Returns
    -------
    DistanceTable

    Raises
    ------
    QueryError
        When nothing is left of a group or an attribute list.
    SpecError
        When a name is no spec's.
    """
    subject = opened(subject, WORD_VECTORS, "bl.association.distances")
    lists = spec if isinstance(spec, AssociationLists) else None
    lists = AssociationLists.of(
        lists if lists is not None else spec,
        groups=groups,
        targets=targets,
        attributes=attributes,
        attribute_groups=attribute_groups,
        controls=controls,
    ).known_to(subject)
    dropped = list(lists.dropped)
    words = _once(lists.groups, "groups", {}, dropped)
    columns = _once(lists.attributes, "attributes", words, dropped)
    columns |= _once(lists.controls, "controls", {**words, **columns}, dropped)
    if not columns:
        raise QueryError(
            "Every attribute word is also a protected word. Give other attribute words.",
            dropped=tuple(dropped),
        )
    names, attribute_words = tuple(words), tuple(columns)
    group_of_word = tuple(group for _, group in words.values())
    of_groups = {
        group: [
            CONNECTIONS.index(
                CONTROLS[name] if kind == "controls" else lists.connection(group, name)
            )
            for kind, name in columns.values()
        ]
        for group in dict.fromkeys(group_of_word)
    }
    connection = np.array([of_groups[group] for group in group_of_word], dtype=np.int8)
    connection.flags.writeable = False
    distance = 1 - cosines(subject, names, attribute_words, replicates)
    distance.flags.writeable = False
    return DistanceTable(
        words=names,
        groups=group_of_word,
        attributes=attribute_words,
        lists=tuple(name for _, name in columns.values()),
        connection=connection,
        distance=distance,
        source=subject.name,
        subject_hash=subject.content_hash,
        spec_hash=lists.content_hash,
        dropped=tuple(dropped),
    )


def _once(
    lists: Mapping[str, tuple[str, ...]],
    kind: str,
    claimed: Mapping[str, tuple[str, str]],
    dropped: list[Dropped],
) -> dict[str, tuple[str, str]]:
    """Assign words to lists; a word in several lists counts in the first."""
    roles: dict[str, tuple[str, str]] = {}
    for name, words in lists.items():
        for word in words:
            if (first := claimed.get(word) or roles.get(word)) is not None:
                reason = f"is already in {first[0]}.{first[1]}; a word counts once"
                dropped.append(Dropped(word, f"{kind}.{name}", reason))
            else:
                roles[word] = (kind, name)
    return roles


Table = TypeVar("Table")
REPEATED = "repeated rows"
"""Role of a protected word some of whose rows were left out because they stood there before."""
SENTINEL = -1.0
"""A lower similarity is no cosine: the authors write -100 for words without a vector."""
_SAME = 1e-6
"""Distances this close are one distance that was written twice."""
_NAMES = {
    "word": ("protectedWord", "protected_word", "word"),
    "attribute": ("wordToCompare", "word_to_compare", "attribute"),
    "list": ("wordClass", "word_class", "list"),
    "connection": ("connection",),
    "distance": ("cosineDistance", "cosine_distance", "distance"),
    "similarity": ("cosineSimilarity", "cosine_similarity", "similarity"),
    "group": ("group",),
}


class _Row(NamedTuple):
    line: int
    word: str
    attribute: str
    list: str
    connection: int
    distance: float
    group: str


def read(path: str | os.PathLike[str], table: Callable[..., Table]) -> Table:
    """Read the `table` in a file, made of its fields; see `DistanceTable.read_csv`."""
    source = Path(path)
    try:
        content = read_given(source)
        text = content.decode("utf-8-sig")
    except OSError as error:
        raise QueryError(f"{source.name} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise QueryError(f"{source.name} is not UTF-8 text. Save it as UTF-8.") from error
    reader = csv.DictReader(lines_of(text), delimiter=header_delimiter(text))
    columns = _columns(source.name, reader.fieldnames or ())
    rows: list[_Row] = []
    lost: list[_Row] = []
    for row in reader:
        parsed = _row(source.name, reader.line_num, row, columns)
        (rows if math.isfinite(parsed.distance) else lost).append(parsed)
    if not rows:
        why = f"all {len(lost)} rows have no distance" if lost else "it has no rows"
        raise QueryError(f"{source.name} contains no distance: {why}.")
    return table(**_fields(source.name, rows, lost, hashlib.sha256(content).hexdigest()))


def _columns(name: str, column: object) -> dict[str, str]:
    there = list(column) if isinstance(column, list | tuple) else []
    columns = {
        part: next(n for n in names if n in there)
        for part, names in _NAMES.items()
        if any(n in there for n in names)
    }
    for part in ("word", "attribute", "list", "connection"):
        if part not in columns:
            raise QueryError(
                f"{name} has no column {_NAMES[part][0]!r}; it has: "
                f"{', '.join(map(repr, there)) or 'none'}."
            )
    if not {"distance", "similarity"} & set(columns):
        raise QueryError(f"{name} has neither a column 'cosineDistance' nor 'cosineSimilarity'.")
    return columns


def _row(name: str, line: int, row: Mapping[str, str | None], columns: Mapping[str, str]) -> _Row:
    texts = {part: (row.get(column) or "").strip() for part, column in columns.items()}
    for part in ("word", "attribute", "list"):
        if not texts[part]:
            raise QueryError(f"{name}, line {line}: {columns[part]!r} is empty.")
    if texts["connection"] not in CONNECTIONS:
        raise QueryError(
            f"{name}, line {line}: the connection {texts['connection']!r} is not one of"
            f" {', '.join(CONNECTIONS)}."
        )
    numbers = {p: _number(name, line, texts[p]) for p in ("distance", "similarity") if p in texts}
    distance = numbers.get("distance", 1 - numbers.get("similarity", math.nan))
    similarity = numbers.get("similarity", 1 - distance)
    if not (similarity >= SENTINEL - 1e-6 and 1 - distance >= SENTINEL - 1e-6):
        distance = math.nan  # a sentinel, or empty
    elif distance < -1e-6:
        raise QueryError(
            f"{name}, line {line}: a cosine distance is from 0 to 2, not {distance:g}."
        )
    return _Row(
        line,
        texts["word"],
        texts["attribute"],
        texts["list"],
        CONNECTIONS.index(texts["connection"]),
        distance,
        texts.get("group", ""),
    )


def _number(name: str, line: int, text: str) -> float:
    if text in ("", "NA", "NaN", "nan"):
        return math.nan
    try:
        return float(with_points(text))
    except ValueError:
        raise QueryError(f"{name}, line {line}: {text!r} is not a number.") from None


def _fields(name: str, rows: list[_Row], lost: list[_Row], digest: str) -> dict[str, Any]:
    """Return the fields of a `DistanceTable`."""
    words = {w: i for i, w in enumerate(dict.fromkeys(row.word for row in rows))}
    columns: dict[str, str] = {}
    for row in rows:
        first = columns.setdefault(row.attribute, row.list)
        if first != row.list:
            raise QueryError(
                f"{name}, line {row.line}: {row.attribute!r} is in {row.list!r} here and in"
                f" {first!r} earlier. Put each attribute word in one list."
            )
    places = {a: j for j, a in enumerate(columns)}
    connection = np.full((len(words), len(places)), -1, dtype=np.int8)
    distance = np.full((1, len(words), len(places)), np.nan)
    repeated: Counter[str] = Counter()
    for row in rows:
        i, j = words[row.word], places[row.attribute]
        if connection[i, j] < 0:
            connection[i, j], distance[0, i, j] = row.connection, row.distance
            continue
        first = distance[0, i, j]
        if connection[i, j] != row.connection or abs(row.distance - first) > _SAME:
            raise QueryError(
                f"{name}, line {row.line}: a second distance of {row.word!r} to "
                f"{row.attribute!r}, {row.distance:g} ({CONNECTIONS[row.connection]}) after "
                f"{first:g} ({CONNECTIONS[connection[i, j]]}). Give each pair one distance, and "
                "use one file per embedding."
            )
        repeated[row.word] += 1
    gone = [("word", row.word) for row in lost if row.word not in words]
    gone += [(row.list, row.attribute) for row in lost if row.attribute not in places]
    dropped = tuple(
        Dropped(term, role, "has no vector: all its rows have the placeholder -100 or no number")
        for role, term in dict.fromkeys(gone)
    )
    dropped += tuple(
        Dropped(word, REPEATED, f"{n} more rows have the same pairs with the same distances")
        for word, n in repeated.items()
    )
    return {
        "words": tuple(words),
        "groups": _groups(rows, words, columns),
        "attributes": tuple(places),
        "lists": tuple(columns.values()),
        "connection": connection,
        "distance": distance,
        "source": name,
        "subject_hash": digest,
        "dropped": dropped,
        "missing": len(lost),
        "repeated": repeated.total(),
    }


def _groups(
    rows: list[_Row], words: Mapping[str, int], columns: Mapping[str, str]
) -> tuple[str, ...]:
    """Return each word's group: from the file, else its stereotype lists."""
    named: dict[str, str] = {row.word: row.group for row in rows if row.group}
    by_word: dict[str, dict[str, None]] = {word: {} for word in words}
    for row in rows:
        if row.connection == 0:
            by_word[row.word][columns[row.attribute]] = None
    return tuple(
        named.get(word) or " and ".join(lists).removesuffix("_stereotype") or "no stereotypes"
        for word, lists in by_word.items()
    )
