"""``bl.association.ceat``: WEAT over sampled contexts (Guo and Caliskan 2021)."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from biaslab.errors import QueryError
from biaslab.files.tables import lines_of, read_text
from biaslab.probes.association.draws import within
from biaslab.probes.association.effect_size import ceiling, check_ddof, effect_size
from biaslab.probes.association.lists import AssociationLists, Floats, SpecSource, Words, units
from biaslab.probes.association.seat import BLEACHED, association, encoder_of, two_by_two
from biaslab.probes.association.word_draws import SHORTEST, one_draw_each
from biaslab.probes.unknown_words import list_dropped
from biaslab.records.calls import recorded
from biaslab.records.provenance import measured
from biaslab.records.result import Dropped, Interval, Result
from biaslab.stats.pooling import RandomEffects, random_effects
from biaslab.stats.significance import check_level
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.opening.needs import Named

if TYPE_CHECKING:
    import pandas as pd

Contexts = Mapping[str, Sequence[str]] | Sequence[str] | Path
_BLOCK = 500
"""Draws computed at once."""


@dataclass(frozen=True, kw_only=True)
class CeatResult(Result):
    """WEAT effect sizes over draws of one context per word.

    Attributes
    ----------
    lists : AssociationLists
        Two target lists and two attribute lists.
    contexts : mapping of str to int
        How many contexts each word was drawn from.
    templates : bool
        Whether all words were put into the same templates, instead of being found in texts.
    effect_sizes, variances : ndarray, shape (N,)
        Of each draw; draws without any spread are left out and counted in `flat`.
    as_long, endless : ndarray, shape (R,)
        Effect sizes for other words, each in a draw of contexts of its own: of lists as long as
        these, and of endless ones (as of WEAT). Empty if an attribute list has one word.
    flat : int
        Draws left out.
    combined : RandomEffects
        Of the draws, as in the paper.
    ddof, level : int, float
        Of the effect sizes; of the intervals.
    """

    schema: ClassVar[str] = "ceat/2"

    lists: AssociationLists
    contexts: Mapping[str, int]
    templates: bool
    effect_sizes: Floats
    variances: Floats
    as_long: Floats
    endless: Floats
    flat: int
    combined: RandomEffects
    ddof: int
    level: float

    @property
    def effect_size(self) -> float:
        """The combined effect size."""
        return self.combined.mean

    @property
    def share_positive(self) -> float:
        """Share of draws in which list X is nearer to A than list Y is."""
        return float((self.effect_sizes > 0).mean())

    @property
    def over_contexts(self) -> Interval:
        """Interval of the effect sizes over draws of contexts, for these words."""
        return self._quantiles(self.effect_sizes, "contexts")

    @property
    def over_words_and_contexts(self) -> Interval:
        """The same for other lists as long as these; NaN if a list has one word."""
        drawn = self._quantiles(self.as_long, "words and contexts")
        (interval,) = within((drawn,), -self.ceiling, self.ceiling)
        return interval

    @property
    def ceiling(self) -> float:
        """Largest effect size for this number of words."""
        n_x, n_y = (len(words) for words in self.lists.groups.values())
        return ceiling(n_x, n_y, self.ddof)

    def _quantiles(self, values: Floats, kind: str) -> Interval:
        if not len(values):
            return Interval(math.nan, math.nan, self.level, kind)
        ends = np.quantile(values, [(1 - self.level) / 2, (1 + self.level) / 2])
        return Interval(float(ends[0]), float(ends[1]), self.level, kind)

    @classmethod
    def upgrade(cls, content: dict[str, Any], version: int) -> dict[str, Any]:
        """Read resampled words as the draws they were used for."""
        if version < 2:
            resampled = content.pop("resampled")
            return {**content, "as_long": resampled, "endless": resampled}
        return content

    def raw_frame(self) -> pd.DataFrame:
        """One row per sample of contexts: draw, effect_size, variance."""
        import pandas as pd

        return pd.DataFrame(
            {
                "draw": np.arange(len(self.effect_sizes)),
                "effect_size": self.effect_sizes,
                "variance": self.variances,
            }
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row: the combined effect, its spread over draws, and both intervals."""
        import pandas as pd

        c = self.combined
        return pd.DataFrame(
            [
                {
                    "effect_size": c.mean,
                    "se": c.se,
                    "low": c.low,
                    "high": c.high,
                    "p": c.p,
                    "tau2": c.tau2,
                    "i2": c.i2,
                    "q": c.q,
                    "draws": c.n,
                    "share_positive": self.share_positive,
                    "contexts_low": self.over_contexts.low,
                    "contexts_high": self.over_contexts.high,
                    "words_and_contexts_low": self.over_words_and_contexts.low,
                    "words_and_contexts_high": self.over_words_and_contexts.high,
                }
            ]
        )


@recorded
def ceat(
    subject: EmbeddingSubject | Named,
    spec: SpecSource | None = None,
    *,
    targets: Words | None = None,
    attributes: Words | Sequence[str] | None = None,
    groups: Sequence[str] | None = None,
    contexts: Contexts | None = None,
    draws: int = 10_000,
    per_word: int = 50,
    ddof: int = 1,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
) -> CeatResult:
    r"""Compute the distribution of WEAT over contexts (Guo and Caliskan 2021).

    See arXiv:2006.03955. Each draw takes one context of every word at random, and has an effect
    size :math:`d` and a variance, :math:`(n_X + n_Y) / (n_X n_Y) + d^2 / (2 (n_X + n_Y))` (the
    large-sample form of Hedges 1981). They are combined under random effects by DerSimonian and
    Laird, as in the paper.

    Parameters
    ----------
    subject : Encoder, or name of one
        Its pooling turns a context into a word's vector; "term" is the paper's.
    spec, targets, attributes, groups, ddof, level, rng
        As of `biaslab.weat`; two target lists and two attribute lists.
    contexts : mapping, sequence of str, or Path, optional
        A mapping from each word to its texts; templates with ``{}``; or texts (of a file: one a
        line), of which each word uses those that contain it. By default the subject's contexts if
        it has several, else bleached templates.
    draws : int
        Number N of draws, 2 or more.
    per_word : int
        Largest number of contexts per word, drawn at random.

    Returns
    -------
    CeatResult
        The combined effect, and the distribution over contexts and over words and contexts.

    Raises
    ------
    QueryError
        When the subject is no encoder, lists are not two and two, or too few words have a context.
    """
    encoder = encoder_of(subject, "CEAT")
    requested = two_by_two(spec, targets, attributes, groups, "CEAT")
    check_ddof(ddof)
    if draws < 2 or per_word < 1:
        raise ValueError(
            f"draws={draws}, per_word={per_word}: give at least two draws and one context."
        )
    check_level(level)
    if contexts is None:
        contexts = encoder.contexts if len(encoder.contexts) > 1 else BLEACHED
    texts = _texts(contexts)
    parameters = {
        "spec": requested.spec, "draws": draws, "per_word": per_word, "ddof": ddof, "level": level,
        "contexts": hashlib.sha256(repr(texts).encode("utf-8", "surrogatepass")).hexdigest(),
    }  # fmt: skip
    with measured(
        probe="ceat",
        subject=encoder,
        spec_hash=requested.content_hash,
        seed=rng,
        parameters=parameters,
    ) as run:
        rng = np.random.default_rng(rng)
        known = requested.known_to(encoder)
        sampled = {
            word: _contexts_of(word, texts, per_word, rng)
            for word in dict.fromkeys([*known.words, *known.attribute_words])
        }
        known, dropped = _with_contexts(known, sampled)
        vectors = {
            word: units(encoder.encode(*zip(*sampled[word], strict=True)))
            for word in dict.fromkeys([*known.words, *known.attribute_words])
        }
        sizes = _effect_sizes(known, vectors, draws, ddof, rng)
        as_long, endless = _for_other_words(known, vectors, min(draws, 2000), ddof, rng)
        effects = sizes[np.isfinite(sizes)]
        if len(effects) < 2:
            raise QueryError("All associations are equal, so there is no spread to compare with.")
        n_x, n_y = (len(words) for words in known.groups.values())
        variances = (n_x + n_y) / (n_x * n_y) + effects**2 / (2 * (n_x + n_y))
        combined = random_effects(effects, variances, level)
    return CeatResult(
        lists=known,
        contexts={word: len(v) for word, v in vectors.items()},
        templates=isinstance(texts, tuple) and all("{}" in text for text in texts),
        effect_sizes=effects,
        variances=variances,
        as_long=as_long[np.isfinite(as_long)],
        endless=endless[np.isfinite(endless)],
        flat=len(sizes) - len(effects),
        combined=combined,
        ddof=ddof,
        level=level,
        dropped=(*known.dropped, *dropped),
        provenance=run.provenance,
    )


_Texts = tuple[str, ...] | dict[str, tuple[str, ...]]
_Placed = list[tuple[str, tuple[int, int]]]


def _texts(contexts: Contexts) -> _Texts:
    if isinstance(contexts, Mapping):
        return {word: tuple(texts) for word, texts in contexts.items()}
    if isinstance(contexts, Path):
        lines = lines_of(read_text(contexts, QueryError))
        return tuple(line.strip() for line in lines if line.strip())
    if isinstance(contexts, str):
        raise QueryError(
            "contexts must be a list of texts, a mapping of words to texts, or a Path."
        )
    return tuple(contexts)


def _contexts_of(word: str, texts: _Texts, per_word: int, rng: np.random.Generator) -> _Placed:
    """Return contexts of a word with its position in each, at most `per_word`."""
    every = texts.get(word, ()) if isinstance(texts, dict) else texts
    pattern = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", re.IGNORECASE)
    placed: _Placed = []
    for text in dict.fromkeys(every):
        if (start := text.find("{}")) >= 0:
            placed.append((text.replace("{}", word), (start, start + len(word))))
        elif match := pattern.search(text):
            placed.append((text, match.span()))
    if len(placed) > per_word:
        chosen = rng.choice(len(placed), size=per_word, replace=False)
        placed = [placed[i] for i in sorted(chosen)]
    return placed


def _with_contexts(
    lists: AssociationLists, contexts: Mapping[str, _Placed]
) -> tuple[AssociationLists, list[Dropped]]:
    """Remove words without contexts from the lists."""
    from dataclasses import replace

    dropped: list[Dropped] = []
    known: dict[str, dict[str, tuple[str, ...]]] = {}
    for kind in ("groups", "attributes"):
        known[kind] = {}
        for name, words in getattr(lists, kind).items():
            role = f"{kind}.{name}"
            dropped += [
                Dropped(w, role, "no context contains it") for w in words if not contexts[w]
            ]
            known[kind][name] = tuple(word for word in words if contexts[word])
            if len(known[kind][name]) < (2 if kind == "groups" else 1):
                raise QueryError(
                    f"Too few words of {name!r} have a context: "
                    f"{list_dropped((*lists.dropped, *dropped))}. Give more texts.",
                    (*lists.dropped, *dropped),
                )
    return replace(lists, groups=known["groups"], attributes=known["attributes"]), dropped


def _effect_sizes(
    lists: AssociationLists,
    vectors: Mapping[str, Floats],
    draws: int,
    ddof: int,
    rng: np.random.Generator,
) -> Floats:
    """Return effect sizes of draws of one context per word, shape (draws,)."""
    n_x, m_a = (len(next(iter(named.values()))) for named in (lists.groups, lists.attributes))
    return np.concatenate(
        [
            effect_size(association(cosines, m_a), n_x, ddof)
            for cosines in _tables(lists, vectors, draws, rng)
        ]
    )


def _for_other_words(
    lists: AssociationLists,
    vectors: Mapping[str, Floats],
    draws: int,
    ddof: int,
    rng: np.random.Generator,
) -> tuple[Floats, Floats]:
    """Return draws of effect sizes for other words and contexts, as `one_draw_each`."""
    n_x, n_y = (len(words) for words in lists.groups.values())
    m_a, m_b = (len(words) for words in lists.attributes.values())
    if min(n_x, n_y, m_a, m_b) < SHORTEST:
        return np.zeros(0), np.zeros(0)
    drawn = [
        one_draw_each(cosines, (n_x, n_y), (m_a, m_b), ddof, rng)
        for cosines in _tables(lists, vectors, draws, rng)
    ]
    as_long, endless = (np.concatenate(each) for each in zip(*drawn, strict=True))
    return as_long, endless


def _tables(
    lists: AssociationLists, vectors: Mapping[str, Floats], draws: int, rng: np.random.Generator
) -> Iterator[Floats]:
    """Yield cosines of one context per word, in blocks of shape (size, targets, attributes).

    All cosines of target and attribute contexts are computed once; a draw looks them up.
    """
    sides: list[tuple[Floats, np.ndarray, np.ndarray]] = []
    for named in (lists.groups, lists.attributes):
        words = [word for each in named.values() for word in each]
        counts = np.array([len(vectors[word]) for word in words])
        firsts = np.cumsum([0, *counts[:-1]])
        sides.append((np.concatenate([vectors[w] for w in words]), counts, firsts))
    table = sides[0][0] @ sides[1][0].T
    for start in range(0, draws, _BLOCK):
        size = min(_BLOCK, draws - start)
        one, two = (
            firsts + rng.integers(0, counts, size=(size, len(counts)))
            for _, counts, firsts in sides
        )
        yield table[one[:, :, None], two[:, None, :]]
