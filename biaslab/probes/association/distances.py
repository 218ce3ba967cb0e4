"""``bl.association.distances``: protected to attribute words."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from biaslab.calls import recorded, recorded_classmethod
from biaslab.errors import QueryError
from biaslab.probes.association import distance_csv
from biaslab.probes.association.cosines import cosines
from biaslab.probes.association.lists import (
    CONNECTIONS,
    CONTROLS,
    KIND_OF,
    AssociationLists,
    SpecSource,
    Words,
)
from biaslab.record import Record
from biaslab.results import Dropped
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
        held = self.connection[:, :, None] == np.arange(len(CONNECTIONS))
        sums = np.einsum("bij,ijc->bic", np.nan_to_num(self.distance), held)
        with np.errstate(invalid="ignore"):
            return np.asarray(sums / np.where(held.any(axis=1), held.sum(axis=1), np.nan))

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
        return distance_csv.read(path, cls)


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
