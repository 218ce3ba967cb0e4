"""``bl.association.ceat``: WEAT over sampled contexts (Guo and Caliskan 2021)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from biaslab.calls import recorded
from biaslab.errors import QueryError
from biaslab.probes.association.cosines import Floats, units
from biaslab.probes.association.effect_size import check_ddof, effect_size
from biaslab.probes.association.lists import AssociationLists, SpecSource, Words
from biaslab.probes.association.sentence_lists import (
    BLEACHED,
    association,
    encoder_of,
    two_by_two,
)
from biaslab.probes.unknown_words import list_dropped
from biaslab.provenance import measured
from biaslab.results import Dropped, Interval, Result
from biaslab.stats.levels import check_level
from biaslab.stats.random_effects import RandomEffects, random_effects
from biaslab.subjects.base import EmbeddingSubject
from biaslab.subjects.opened import Named

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
    resampled : ndarray, shape (R,)
        Effect sizes of draws in which the words were resampled too.
    flat : int
        Draws left out.
    combined : RandomEffects
        Of the draws, as in the paper.
    ddof, level : int, float
        Of the effect sizes; of the intervals.
    """

    schema: ClassVar[str] = "ceat/1"

    lists: AssociationLists
    contexts: Mapping[str, int]
    templates: bool
    effect_sizes: Floats
    variances: Floats
    resampled: Floats
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
        """The same had other words like these been chosen too."""
        return self._quantiles(self.resampled, "words and contexts")

    def _quantiles(self, values: Floats, kind: str) -> Interval:
        ends = np.quantile(values, [(1 - self.level) / 2, (1 + self.level) / 2])
        return Interval(float(ends[0]), float(ends[1]), self.level, kind)

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
        sizes = _effect_sizes(known, vectors, draws, ddof, rng, resample=False)
        resampled = _effect_sizes(known, vectors, min(draws, 2000), ddof, rng, resample=True)
        effects = sizes[np.isfinite(sizes)]
        resampled = resampled[np.isfinite(resampled)]
        if len(effects) < 2 or len(resampled) < 2:
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
        resampled=resampled,
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
        try:
            read = contexts.read_text(encoding="utf-8-sig").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise QueryError(f"{contexts} cannot be read as UTF-8 text: {error}.") from error
        return tuple(line.strip() for line in read if line.strip())
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
    *,
    resample: bool,
) -> Floats:
    """Return effect sizes of draws of one context per word, shape (draws,).

    All cosines of target and attribute contexts are computed once; a draw looks them up.
    """
    sides: list[tuple[Sequence[Sequence[str]], Floats, np.ndarray, np.ndarray]] = []
    for named in (lists.groups, lists.attributes):
        words = [word for each in named.values() for word in each]
        counts = np.array([len(vectors[word]) for word in words])
        firsts = np.cumsum([0, *counts[:-1]])
        sides.append(
            (list(named.values()), np.concatenate([vectors[w] for w in words]), counts, firsts)
        )
    table = sides[0][1] @ sides[1][1].T
    m_a = len(sides[1][0][0])
    n_x = len(sides[0][0][0])
    out = np.empty(draws)
    for start in range(0, draws, _BLOCK):
        size = min(_BLOCK, draws - start)
        picks = [_picks(side[0], side[2], side[3], size, rng, resample) for side in sides]
        cosines = table[picks[0][:, :, None], picks[1][:, None, :]]
        values = association(cosines, m_a)
        out[start : start + size] = effect_size(values, n_x, ddof)
    return out


def _picks(
    lists: Sequence[Sequence[str]],
    counts: np.ndarray,
    firsts: np.ndarray,
    size: int,
    rng: np.random.Generator,
    resample: bool,
) -> np.ndarray:
    """Return the row of the context drawn for each word, shape (size, words)."""
    words = np.tile(np.arange(len(counts)), (size, 1))
    if resample:
        begin = 0
        parts = []
        for each in lists:
            parts.append(rng.integers(begin, begin + len(each), size=(size, len(each))))
            begin += len(each)
        words = np.concatenate(parts, axis=1)
    return firsts[words] + rng.integers(0, counts[words])
