"""Base of all subjects made of word vectors: B replicates over one vocabulary."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biaslab.arguments import instance, strings
from biaslab.errors import SubjectError, UnknownTermError
from biaslab.records.calls import Reopened
from biaslab.subjects.embedding.rows import (
    Choice,
    InverseLengths,
    Neighbour,
    mean_cosines,
    multiply,
)
from biaslab.subjects.embedding.terms import (
    SHARED_VECTOR,
    CasePolicy,
    Resolution,
    TermFinder,
    Unknown,
    index_words,
)
from biaslab.threads.cores import spread
from biaslab.threads.recent import Recent

#: Requests of at most this many terms are live ones (a bench that redraws) and are remembered.
_LIVE_TERMS = 64
_CACHES = frozenset(
    {
        "_index", "_finder", "_inverse_lengths", "_live", "_resolved", "_suggested", "_lock",
        "_fault_table",
    }
)  # fmt: skip
#: Rows per slice when a whole matrix is read, to bound memory.
_SLICE = 16_384


class EmbeddingSubject(Reopened):
    """B word embeddings of d dimensions over one vocabulary of V words.

    Attributes
    ----------
    name : str
        Name shown to the person.
    kind : str
        "embedding", "ensemble" or "observer".
    about : str
        One-line description of the subject.
    notes : tuple of str
        Remarks from opening it, for the user (duplicate words and the like).
    words : sequence of str
        The distinct words of the vocabulary.
    letter_case : str
        Case policy of look-ups.
    """

    kind: str = "embedding"

    def __init__(
        self,
        words: Sequence[str],
        replicates: Sequence[NDArray[np.generic]],
        scales: Sequence[NDArray[np.floating]] | None,
        *,
        name: str,
        letter_case: CasePolicy,
        about: str,
        notes: Iterable[str],
    ) -> None:
        self._replicates = tuple(replicates)
        self._scales = None if scales is None else tuple(scales)
        self._check(words)
        self.name = name
        self.letter_case = letter_case
        self.about = about
        self.notes = tuple(notes)
        self._words_by_row = words
        self._begin()
        self.words: Sequence[str] = words
        if len(self._index) < len(words):
            self.words = tuple(self._index)
            self.notes += self._without_word(len(words) - len(self._index))

    def _without_word(self, rows: int) -> tuple[str, ...]:
        """Return notes on rows that no word names."""
        plural = "words occur" if rows > 1 else "word occurs"
        return (f"{rows:,} {plural} more than once; the first vector is used.",)

    def _begin(self) -> None:
        """Make the caches, which do not travel to another process."""
        self._index = index_words(self._words_by_row)
        self._finder = TermFinder(self._index, self.letter_case)
        self._inverse_lengths = InverseLengths(self._replicates)
        self._live: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._resolved: Recent[tuple[tuple[str, ...], bool], Resolution] = Recent(_LIVE_TERMS)
        self._suggested: Recent[tuple[str, int], list[str]] = Recent(16 * _LIVE_TERMS)
        self._lock = threading.Lock()

    def _content(self) -> Mapping[str, Any] | None:
        content = {name: value for name, value in vars(self).items() if name not in _CACHES}
        # A mapped file would be read into memory there too; a plain array says so.
        plain = [np.asarray(v) if isinstance(v, np.memmap) else v for v in self._replicates]
        return {**content, "_replicates": tuple(plain)}

    def _restore(self, content: Mapping[str, Any]) -> None:
        super()._restore(content)
        self._begin()

    def _check(self, words: Sequence[str]) -> None:
        if not self._replicates:
            raise SubjectError("No vectors were given. Pass at least one replicate.")
        shape = self._replicates[0].shape
        for vectors in self._replicates:
            if vectors.ndim != 2 or vectors.shape != shape:
                raise SubjectError(
                    f"Vectors of shape {vectors.shape} do not match {shape}. Pass one (V, d) array"
                    " per replicate, all of the same shape."
                )
            if vectors.dtype.kind not in "fi":
                raise SubjectError(
                    f"Vectors of type {vectors.dtype} are not supported. Pass float32, float16 or"
                    " int8."
                )
        if shape[0] != len(words):
            raise SubjectError(
                f"{len(words):,} words but {shape[0]:,} vectors. Pass one row per word."
            )
        if not len(words) or not shape[1]:
            raise SubjectError("The embedding is empty. Pass at least one word and dimension.")
        if not all(isinstance(word, str) for word in words):
            raise SubjectError("Words must be text. Convert them with str() first.")
        if self._scales is not None:
            for scale in self._scales:
                if scale.shape != shape[:1]:
                    raise SubjectError(
                        f"Scales of shape {scale.shape} for {shape[0]:,} words. "
                        "Pass one scale per word (and replicate)."
                    )

    @property
    def remarks(self) -> tuple[str, ...]:
        """What every result says of this subject: its notes."""
        return self.notes

    @property
    def n_replicates(self) -> int:
        """Number B of replicates."""
        return len(self._replicates)

    @property
    def dim(self) -> int:
        """Number d of dimensions."""
        return int(self._replicates[0].shape[1])

    @property
    def dtype(self) -> np.dtype[np.generic]:
        """Type in which the vectors are stored; they are returned as float32."""
        return self._replicates[0].dtype

    def __len__(self) -> int:
        """Number of distinct words."""
        return len(self._index)

    def __contains__(self, term: object) -> bool:
        """Whether `vectors` accepts the term."""
        return isinstance(term, str) and bool(self.resolve([term]).known)

    def __repr__(self) -> str:
        """One line: kind, name and sizes."""
        return (
            f"<{type(self).__name__} {self.name!r}: {len(self):,} words x {self.dim}"
            f" x {self.n_replicates} {'replicate' if self.n_replicates == 1 else 'replicates'}>"
        )

    def resolve(self, terms: Sequence[str], *, suggest: bool = True) -> Resolution:
        """Sort terms into known and unknown, each unknown one with its reason.

        Parameters
        ----------
        terms : sequence of str
            Words or phrases.
        suggest : bool
            Whether to look for the nearest known words of each unknown one: that takes some
            milliseconds each, which thousands of them would make felt.

        Returns
        -------
        Resolution
        """
        terms = tuple(_as_list(terms))
        if len(terms) > 16 * _LIVE_TERMS:
            return self._resolve(terms, suggest)
        return self._resolved.get((terms, suggest), lambda: self._resolve(terms, suggest))

    def _resolve(self, terms: tuple[str, ...], suggest: bool) -> Resolution:
        plain = self._finder.plain_rows(terms)
        is_plain = plain is not None and len(set(plain)) == len(plain)
        if plain and is_plain and not self._faults(plain) and not self._shared(plain):
            # The common case: distinct words, spelled as in the vocabulary.
            return Resolution(terms, read_as={term: (term,) for term in terms})
        known: dict[str, tuple[int, ...]] = {}
        unknown: list[Unknown] = []
        duplicates: list[str] = []
        matched: set[tuple[int, ...]] = set()
        missing: set[str] = set()
        matches = self._finder.find_all(terms)
        faults = self._faults(
            {row for rows in matches if not isinstance(rows, str) for row in rows}
        )
        for term, rows in zip(terms, matches, strict=True):
            if isinstance(rows, str):
                if term in missing:
                    duplicates.append(term)
                else:
                    missing.add(term)
                    unknown.append(self._not_found(term, rows, suggest))
            elif rows in matched:
                duplicates.append(term)
            else:
                matched.add(rows)
                if fault := next(filter(None, map(faults.get, rows)), None):
                    unknown.append(Unknown(term, fault))
                else:
                    known[term] = rows
        words = self._words_by_row
        single = {rows[0]: term for term, rows in known.items() if len(rows) == 1}
        for row, other in self._shared(single).items():
            term = single[row]
            reason = f"{SHARED_VECTOR} {words[other]!r}, so that both count once"
            unknown.append(Unknown(term, reason))
            del known[term]
        return Resolution(
            known=tuple(known),
            unknown=tuple(unknown),
            duplicates=tuple(duplicates),
            read_as={term: tuple(map(words.__getitem__, rows)) for term, rows in known.items()},
        )

    def suggest(self, term: str, limit: int = 5) -> list[str]:
        """Return the nearest known words by spelling; empty for a known term."""
        instance(term, str, "term", "Pass a word, such as 'nurse'.")
        return list(self._suggested.get((term, limit), lambda: self._near(term, limit)))

    def _near(self, term: str, limit: int) -> list[str]:
        hits = self._finder.suggest(term, 2 * limit)
        return [hit for hit in hits if self._usable(hit)][:limit]

    def vectors(self, terms: Sequence[str]) -> NDArray[np.float32]:
        """Return vectors of terms in every replicate, float32 of shape (B, n, d).

        Only the rows asked for are read. A phrase is the mean of the vectors of its words, not
        normalised (Liang and Acuna 2020, section 3.1).

        Raises
        ------
        UnknownTermError
            Names the terms that are not known and the nearest known words.
        """
        terms = _as_list(terms)
        if len(terms) > _LIVE_TERMS:
            return self._read(terms)
        with self._lock:
            missing = [t for t in dict.fromkeys(terms) if t not in self._live]
        fresh: dict[str, NDArray[np.float32]] = {}
        if missing:
            read = self._read(missing)
            fresh = {t: read[:, i].copy() for i, t in enumerate(missing)}
        out = np.empty((self.n_replicates, len(terms), self.dim), dtype=np.float32)
        with self._lock:
            self._live.update(fresh)
            late = []
            for i, term in enumerate(terms):
                if (row := self._live.get(term)) is None:
                    late.append(i)  # another thread's terms pushed it out meanwhile
                    continue
                self._live.move_to_end(term)
                out[:, i] = row
            while len(self._live) > 16 * _LIVE_TERMS:
                self._live.popitem(last=False)
        if late:
            out[:, late] = self._read([terms[i] for i in late])
        return out

    def __getitem__(self, term: str) -> NDArray[np.float32]:
        """The vector of a term: shape (d,), or (B, d) of several replicates.

        Raises
        ------
        UnknownTermError
            When it is not known.

        Examples
        --------
        >>> import biaslab as bl
        >>> emb = bl.load({"he": [1.0, 0.0], "she": [0.0, 1.0]})
        >>> emb["she"].tolist()
        [0.0, 1.0]
        """
        instance(term, str, "term", "Pass a word, such as 'nurse'; vectors() takes a list.")
        vectors = self.vectors([term])[:, 0]
        return vectors[0] if len(vectors) == 1 else vectors

    def nearest(self, term: str, n: int = 10) -> list[Neighbour]:
        """Return the words most similar to a term by cosine, most similar first.

        Parameters
        ----------
        term : str
            A word or phrase; its own words are left out.
        n : int
            How many, at least 1.

        Returns
        -------
        list of Neighbour
            Pairs (word, cosine); of an ensemble the cosine is the mean over replicates, and words
            that any replicate lacks are left out. Of words with one vector the first is listed.

        Raises
        ------
        UnknownTermError
            When the term is not known.

        Examples
        --------
        >>> import biaslab as bl
        >>> emb = bl.load({"he": [1, 0], "him": [0.6, 0.8], "she": [0, 1]})
        >>> [(word, round(cosine, 3)) for word, cosine in emb.nearest("she")]
        [('him', 0.8), ('he', 0.0)]
        """
        if n < 1:
            raise ValueError(f"n is {n}; ask for at least 1 word.")
        query = self[term].reshape(self.n_replicates, -1)
        cosines = mean_cosines(self._replicates, query)
        rows = self._finder.find(term)
        cosines[[*rows] if not isinstance(rows, str) else []] = np.nan
        if len(self._index) < len(cosines):  # of a word with several vectors the first counts
            first = np.zeros(len(cosines), dtype=bool)
            first[list(self._index.values())] = True
            cosines[~first] = np.nan
        order = np.argsort(-cosines, kind="stable")  # NaN sorts last
        order = order[: np.isfinite(cosines).sum()]
        some, near = n, order[:n].tolist()
        while True:  # of the words of one vector, the first is a neighbour
            shared = self._shared(near)
            near = [row for row in near if row not in shared]
            if len(near) >= n or some >= len(order):
                break
            near, some = order[: 4 * some].tolist(), 4 * some
        return [Neighbour(self._words_by_row[row], float(cosines[row])) for row in near[:n]]

    def project(self, terms: Sequence[str], onto: NDArray[np.floating]) -> NDArray[np.float32]:
        """Project terms' unit vectors onto given vectors, without copies.

        Parameters
        ----------
        terms : sequence of str
            n known terms, as for `vectors`.
        onto : ndarray, shape (B', d, K)
            K vectors for each of the first B' replicates.

        Returns
        -------
        ndarray, shape (B', n, K)
            float32. With unit vectors as ``onto`` these are cosines.

        Raises
        ------
        UnknownTermError
            As of `vectors`.
        """
        by = np.ascontiguousarray(onto, dtype=np.float32)
        if len(terms) <= _LIVE_TERMS:
            vectors = self.vectors(terms)[: len(by)]
            return np.asarray(vectors / np.linalg.norm(vectors, axis=2, keepdims=True) @ by)
        matches: list[tuple[int, ...] | str] = []
        plain = self._finder.plain_rows(_as_list(terms))
        if plain is None:
            matches = self._finder.find_all(terms)
            # A phrase gets the values of its first word here, and its own ones below.
            plain = [-1 if isinstance(f, str) else f[0] for f in matches]
        rows = np.array(plain, dtype=np.int64)
        if (rows < 0).any() or self._without_direction(rows).any():
            raise self._unknown_terms(terms)
        out = np.empty((len(by), len(rows), by.shape[2]), dtype=np.float32)
        choice = Choice.of(rows, self.dim)
        inverse = self._inverse_lengths.of(rows)

        def fill(b: int) -> None:
            for place, which, block in choice.blocks(self._replicates[b]):
                # The scale of a quantised row cancels in its direction.
                product = multiply(block, by[b], out[b, place])
                product *= inverse[b, which, None]

        spread(fill, len(by), out.size // by.shape[2] * self.dim)
        if phrases := [i for i, f in enumerate(matches) if len(f) > 1]:
            means = self.vectors([terms[i] for i in phrases])[: len(by)]
            out[:, phrases] = means / np.linalg.norm(means, axis=2, keepdims=True) @ by
        return out

    def replicate(self, b: int) -> EmbeddingSubject:
        """Return replicate ``b`` (from 0) as an embedding; it shares memory with this one."""
        raise NotImplementedError

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of words and vectors, hexadecimal; the file format does not enter.

        Computed on first use: some seconds for gigabytes.
        """
        digest = hashlib.sha256()
        digest.update("\n".join(self._words_by_row).encode("utf-8", "surrogatepass"))
        for b, vectors in enumerate(self._replicates):
            digest.update(f"|{vectors.dtype.name} {vectors.shape}|".encode())
            _update(digest, vectors)
            if self._scales is not None:
                _update(digest, self._scales[b].astype(np.float32))
        return digest.hexdigest()

    def _usable(self, term: str) -> bool:
        rows = self._finder.find(term)
        return not isinstance(rows, str) and not self._faults(rows)

    def _not_found(self, term: str, part: str, suggest: bool) -> Unknown:
        if not term.strip():
            return Unknown(term, "empty")
        reason = "not in the vocabulary"
        if part != term:
            reason = f"{_shortened(part)} is not in the vocabulary"
        return Unknown(term, reason, tuple(self.suggest(term)) if suggest else ())

    def _read(self, terms: Sequence[str]) -> NDArray[np.float32]:
        matches = self._finder.find_all(terms)
        rows = [r for r in matches if not isinstance(r, str)]
        flat = np.fromiter(chain.from_iterable(rows), dtype=np.int64)
        if len(rows) < len(matches) or self._without_direction(flat).any():
            raise self._unknown_terms(terms)
        read = self._gather(flat)
        if len(flat) == len(terms):
            return read
        starts = np.cumsum([0, *(len(r) for r in rows[:-1])])
        lengths = np.array([len(r) for r in rows], dtype=np.float32)
        sums = np.add.reduceat(read, starts, axis=1)
        sums /= lengths[None, :, None]
        return sums

    def _unknown_terms(self, terms: Sequence[str]) -> UnknownTermError:
        unknown = self.resolve(terms).unknown
        lines = []
        for entry in unknown[:5]:
            text = f"{_shortened(entry.term)}: {entry.reason}"
            if entry.suggestions:
                text += f" (did you mean {', '.join(entry.suggestions)}?)"
            lines.append(text)
        if len(unknown) > 5:
            lines.append(f"and {len(unknown) - 5:,} more")
        return UnknownTermError(
            f"{self.name} does not know {'; '.join(lines)}. Correct these terms or leave them out;"
            " resolve(terms) separates known from unknown ones.",
            unknown,
        )

    def _gather(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return rows of every replicate, dequantised: (B, n, d)."""
        out = np.empty((self.n_replicates, len(rows), self.dim), dtype=np.float32)
        choice = Choice.of(rows, self.dim)
        for b, vectors in enumerate(self._replicates):
            for place, _, block in choice.blocks(vectors):
                out[b, place] = block
            if self._scales is not None:
                out[b] *= self._scales[b][rows].astype(np.float32)[:, None]
        return out

    def _without_direction(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which rows are zero or not finite in some replicate, shape (n,)."""
        if (table := self._fault_table) is not None:
            return (table[0][rows] > 0) | (table[1][rows] > 0)
        return self._inverse_lengths.unsound(rows)

    @cached_property
    def _fault_table(self) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        """In how many replicates each row is zero, and not finite; quantised rows only.

        The scale shows both, so that no vector needs to be read.
        """
        if self._scales is None:
            return None
        zero = sum((scale == 0).astype(np.int64) for scale in self._scales)
        wild = sum((~np.isfinite(scale)).astype(np.int64) for scale in self._scales)
        return np.asarray(zero), np.asarray(wild)

    def _shared(self, rows: Iterable[int]) -> dict[int, int]:
        """Return rows whose vectors are equal to those of an earlier one, and which."""
        requested = np.fromiter(rows, dtype=np.int64)
        first: dict[bytes, int] = {}
        shared = {}
        vectors = self._replicates[0].take(requested, axis=0)
        for row, vector in zip(requested.tolist(), vectors, strict=True):
            earlier = first.setdefault(vector.tobytes(), row)
            # Equal in one replicate, they are nearly always in all.
            if earlier != row and np.ptp(self._gather(np.array([earlier, row])), axis=1).max() == 0:
                shared[row] = earlier
        return shared

    def _faults(self, rows: Iterable[int]) -> dict[int, str]:
        """Return the reason for each row without a direction in some replicate."""
        requested = np.fromiter(rows, dtype=np.int64)
        faulty = requested[self._without_direction(requested)]
        if (table := self._fault_table) is not None:
            zero, wild = table[0][faulty], table[1][faulty]
        else:
            inverse = self._inverse_lengths.of(faulty)[:, faulty]
            zero, wild = np.isposinf(inverse).sum(axis=0), (~(inverse > 0)).sum(axis=0)
        counts = zip(faulty.tolist(), zero.tolist(), wild.tolist(), strict=True)
        return {row: self._reason(none, odd) for row, none, odd in counts}

    def _reason(self, zero: int, wild: int) -> str:
        if self.n_replicates == 1:
            return "its vector holds NaN or infinity" if wild else "its vector is all zeros"
        if wild:
            return f"its vector holds NaN or infinity in {wild} of {self.n_replicates} replicates"
        return f"missing from {zero} of {self.n_replicates} replicates"


def _as_list(terms: Sequence[str]) -> Sequence[str]:
    # Long lists of plain text, which are the usual ones, pass without a look at each term.
    if not isinstance(terms, list | tuple) or not set(map(type, terms)) <= {str}:
        return strings(terms, "terms")
    return terms


def _shortened(term: str, longest: int = 60) -> str:
    """Return a term for a message: quoted, control characters escaped, shortened."""
    return repr(term if len(term) <= longest else term[: longest - 3] + "...")


def _update(digest: hashlib._Hash, values: NDArray[np.generic]) -> None:
    for start in range(0, len(values), _SLICE):
        digest.update(np.ascontiguousarray(values[start : start + _SLICE]).tobytes())
