"""``bl.association.seat``: WEAT over sentences from templates (May et al. 2019)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from biaslab.arguments import renamed
from biaslab.errors import QueryError, SubjectError
from biaslab.probes.association.draws import within
from biaslab.probes.association.effect_size import (
    ceiling,
    check_ddof,
    difference_of_means,
    effect_size,
)
from biaslab.probes.association.lists import AssociationLists, Floats, SpecSource, Words, units
from biaslab.probes.association.word_draws import weat_intervals, word_draws
from biaslab.records.calls import recorded
from biaslab.records.provenance import measured
from biaslab.records.result import Interval, Result
from biaslab.stats.permutation import Alternative, PermutationTest, permutation_test
from biaslab.stats.quantiles import t_quantile
from biaslab.stats.reproducibility import snapped
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.encoder.contextual import ContextualEncoder
from biaslab.subjects.encoder.model import Encoder, Pooling
from biaslab.subjects.opening.needs import ENCODER, Named, opened

if TYPE_CHECKING:
    import pandas as pd


_ROUNDING = 1e-5
"""In cosines of vectors that came through many layers in single precision."""

BLEACHED = (
    "This is {}.", "That is {}.", "There is {}.", "Here is {}.", "{} is here.", "{} is there.",
    "This will be {}.", "They are {}.", "Those are {}.", "These are {}.",
)  # fmt: skip
"""Sentences with little information about their word, in the manner of May et al. (2019)."""


def encoder_of(subject: EmbeddingSubject | Named, probe: str) -> ContextualEncoder:
    """Return the subject, opened by name if needed, if it reads sentences.

    Raises
    ------
    QueryError
        When it is not an encoder.
    """
    if isinstance(subject, EmbeddingSubject) and not isinstance(subject, ContextualEncoder):
        raise QueryError(
            f"{probe} measures words in sentences, but {subject.name!r} has one vector per word. "
            "Use bl.weat, or an encoder: bl.load(..., kind='encoder')."
        )
    encoder: EmbeddingSubject = opened(subject, ENCODER, probe)
    assert isinstance(encoder, ContextualEncoder)  # noqa: S101
    return encoder


def two_by_two(
    spec: SpecSource | None,
    targets: Words | None,
    attributes: Words | Sequence[str] | None,
    groups: Sequence[str] | None,
    probe: str,
) -> AssociationLists:
    """Return two target lists and two attribute lists.

    Raises
    ------
    QueryError
        When there are more or fewer.
    """
    requested = AssociationLists.of(spec, targets=targets, attributes=attributes, groups=groups)
    for what, lists, hint in (
        ("groups", requested.groups, "groups"),
        ("attribute lists", requested.attributes, "attributes"),
    ):
        if len(lists) != 2:
            raise QueryError(
                f"{probe} compares two {what}; got {len(lists)} "
                f"({', '.join(map(repr, lists))}). Choose two with {hint}=(...)."
            )
    return requested


def association(cosines: Floats, m_a: int) -> Floats:
    """Subtract the mean of the others from that of the first `m_a`; 0 within rounding."""
    between = cosines[..., :m_a].mean(axis=-1) - cosines[..., m_a:].mean(axis=-1)
    return snapped(between, within=_ROUNDING)


@dataclass(frozen=True, kw_only=True)
class SeatResult(Result):
    """WEAT over sentences, one for each word and template.

    Attributes
    ----------
    lists : AssociationLists
        Two target lists and two attribute lists.
    templates : tuple of str
        T sentences with ``{}`` for the word.
    pooling : str
        Pooling of a sentence into its vector.
    by_sentence : ndarray, shape (n, T)
        Association of each target word in each template with all attribute sentences.
    same_template : ndarray, shape (T, n)
        The same with the attribute sentences of the same template alone.
    ddof, level : int, float
        Of the effect sizes; of the intervals.
    test : PermutationTest
        Over words, whose sentences stay together.
    sentence_test : PermutationTest
        Over single sentences, as in the paper.
    intervals : tuple of Interval
        Of `effect_size`, by kind: ``words`` (of lists as long as these) and ``templates`` (of the
        mean over templates like these, Student's t; NaN with one).
    statistic_intervals : tuple of Interval
        Of `statistic`, over ``words``. Empty in a result of before.
    """

    schema: ClassVar[str] = "seat/2"

    lists: AssociationLists
    templates: tuple[str, ...]
    pooling: str
    by_sentence: Floats
    same_template: Floats
    ddof: int
    level: float
    test: PermutationTest
    sentence_test: PermutationTest
    intervals: tuple[Interval, ...]
    statistic_intervals: tuple[Interval, ...]

    @classmethod
    def upgrade(cls, content: dict[str, Any], version: int) -> dict[str, Any]:
        """Read a result without an interval of the difference of means."""
        return {**content, "statistic_intervals": ()} if version < 2 else content

    @property
    def _n_1(self) -> int:
        return len(next(iter(self.lists.groups.values())))

    @property
    def association(self) -> Floats:
        """S of each target word: the mean over its sentences, shape (n,)."""
        return np.asarray(self.by_sentence.mean(axis=1))

    @property
    def statistic(self) -> float:
        """Mean of `association` over the first list less that over the second."""
        return float(difference_of_means(self.association[None], self._n_1)[0])

    @property
    def effect_size(self) -> float:
        """Effect size over words, each with the mean of its sentences."""
        return float(effect_size(self.association, self._n_1, self.ddof))

    @property
    def sentence_effect_size(self) -> float:
        """Effect size over sentences, as in the paper."""
        values = self.by_sentence.reshape(-1)
        return float(effect_size(values, self._n_1 * len(self.templates), self.ddof))

    @cached_property
    def effect_size_by_template(self) -> Floats:
        """Effect size in each template alone, on both sides, shape (T,)."""
        return effect_size(self.same_template, self._n_1, self.ddof)

    @property
    def ceiling(self) -> float:
        """Largest effect size for this number of words."""
        return ceiling(self._n_1, len(self.lists.words) - self._n_1, self.ddof)

    @cached_property
    def shares(self) -> dict[str, float]:
        """Shares of the variance of `by_sentence` due to words, templates and both.

        Sums of squares of the two-way table; NaN without variance.
        """
        table = self.by_sentence
        words = table.mean(axis=1, keepdims=True)
        templates = table.mean(axis=0, keepdims=True)
        rest = table - words - templates + table.mean()
        total = float(((table - table.mean()) ** 2).sum())
        sums = {
            "words": float(((words - table.mean()) ** 2).sum()) * table.shape[1],
            "templates": float(((templates - table.mean()) ** 2).sum()) * table.shape[0],
            "words in templates": float((rest**2).sum()),
        }
        return {name: s / total if total > 0 else math.nan for name, s in sums.items()}

    def raw_frame(self) -> pd.DataFrame:
        """One row per sentence, a word in a template: word, group, template, association."""
        import pandas as pd

        named = [(group, word) for group, words in self.lists.groups.items() for word in words]
        count = len(self.templates)
        return pd.DataFrame(
            {
                "word": np.repeat([word for _, word in named], count),
                "group": np.repeat([group for group, _ in named], count),
                "template": np.tile(self.templates, len(named)),
                "association": self.by_sentence.ravel(),
            }
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row for the whole, then one per template."""
        import pandas as pd

        over_words = {i.kind: i for i in self.intervals}["words"]
        rows: list[dict[str, object]] = [
            {
                "unit": unit,
                "template": "",
                "effect_size": size,
                "p": test.p,
                "exceed": test.exceed,
                "partitions": test.partitions,
                "exact": test.exact,
                "words_low": interval[0],
                "words_high": interval[1],
            }
            for unit, size, test, interval in (
                ("word", self.effect_size, self.test, (over_words.low, over_words.high)),
                ("sentence", self.sentence_effect_size, self.sentence_test, (math.nan, math.nan)),
            )
        ]
        rows += [
            {"unit": "template", "template": template, "effect_size": size}
            for template, size in zip(self.templates, self.effect_size_by_template, strict=True)
        ]
        return pd.DataFrame(rows)


@renamed(splits="permutations")
@recorded
def seat(
    subject: EmbeddingSubject | Named,
    spec: SpecSource | None = None,
    *,
    targets: Words | None = None,
    attributes: Words | Sequence[str] | None = None,
    groups: Sequence[str] | None = None,
    templates: Sequence[str] = BLEACHED,
    pooling: Pooling | None = None,
    ddof: int = 1,
    alternative: Alternative = "greater",
    exact_up_to: int = 100_000,
    permutations: int = 10_000,
    level: float = 0.95,
    resamples: int = 2000,
    rng: int | np.random.Generator = 0,
) -> SeatResult:
    """Compute WEAT over sentences: every word in every template (May et al. 2019).

    See arXiv:1903.10561.

    Parameters
    ----------
    subject : Encoder, or name of one
        Gives sentence vectors.
    spec, targets, attributes, groups, ddof, alternative, exact_up_to, permutations
        As of `biaslab.weat`; two target lists and two attribute lists.
    templates : sequence of str
        Sentences with ``{}`` for the word; by default bleached ones.
    level, resamples, rng
        As of `biaslab.weat`.
    pooling : str, optional
        As of `Encoder`: by default the first token for a model that has one for the purpose, else
        the last, as in the paper. A `SentenceEncoder` has one of its own.

    Returns
    -------
    SeatResult
        The paper treats each sentence as a unit. Sentences of one word resemble each
        other, so that this yields small p-values from few words; here the words are the units by
        default, and the paper's numbers are also returned (``sentence_effect_size``,
        ``sentence_test``).

    Raises
    ------
    QueryError
        When the subject is no encoder, lists are not two and two, or a list has one word.
    SubjectError
        When a template has not one ``{}``, or a pooling was chosen for a sentence encoder.
    """
    of_words = encoder_of(subject, "SEAT")
    requested = two_by_two(spec, targets, attributes, groups, "SEAT")
    check_ddof(ddof)
    encoder = _pooled(of_words, templates, pooling)
    parameters = {
        "spec": requested.spec, "templates": tuple(templates), "pooling": encoder.pooling,
        "ddof": ddof, "alternative": alternative, "exact_up_to": exact_up_to,
        "permutations": permutations, "level": level, "resamples": resamples,
    }  # fmt: skip
    with measured(
        probe="seat",
        subject=encoder,
        spec_hash=requested.content_hash,
        seed=rng,
        parameters=parameters,
    ) as run:
        known = requested.known_to(encoder)
        lengths = [len(words) for words in known.groups.values()]
        m_a, m_b = (len(words) for words in known.attributes.values())
        if min(lengths) < 2:
            raise QueryError(
                "An effect size needs at least two known words in each group: got "
                f"{lengths[0]} and {lengths[1]}. Add words.",
                known.dropped,
            )
        sentence_units = units(encoder.vectors(known.words))
        two = units(encoder.vectors(known.attribute_words))
        # Cosines are linear in unit vectors: means over templates can be taken first.
        with_all = np.einsum("tnd,md->ntm", sentence_units, two.mean(axis=0))
        by_sentence = association(with_all, m_a)
        same = association(np.einsum("tnd,tmd->tnm", sentence_units, two), m_a)
        rng = np.random.default_rng(rng)
        options = {
            "alternative": alternative,
            "exact_up_to": exact_up_to,
            "permutations": permutations,
        }
        of_splits = int(rng.integers(2**63))
        test = permutation_test(
            by_sentence.mean(axis=1), lengths[0], seed=of_splits, **options  # type: ignore[arg-type]
        )  # fmt: skip
        sentence_test = permutation_test(
            by_sentence.reshape(-1), lengths[0] * len(templates), seed=of_splits,
            **options,  # type: ignore[arg-type]
        )  # fmt: skip
        table = with_all.mean(axis=1)[None]
        drawn = word_draws(table, lengths, (m_a, m_b), ddof, resamples, rng)
        size = effect_size(by_sentence.mean(axis=1)[None], lengths[0], ddof)
        difference = difference_of_means(by_sentence.mean(axis=1)[None], lengths[0])
        of_statistic, of_size, _ = weat_intervals(difference, size, drawn, level, rng)
        top = ceiling(lengths[0], lengths[1], ddof)
        over = within(of_size, -top, top)
        over_templates = _over_templates(effect_size(same, lengths[0], ddof), level)
    return SeatResult(
        lists=known,
        templates=tuple(templates),
        pooling=encoder.pooling,
        by_sentence=by_sentence,
        same_template=same,
        ddof=ddof,
        level=level,
        test=test,
        sentence_test=sentence_test,
        intervals=(*over, over_templates),
        statistic_intervals=of_statistic,
        dropped=known.dropped,
        provenance=run.provenance,
    )


def _over_templates(sizes: Floats, level: float) -> Interval:
    if len(sizes) < 2 or not np.isfinite(sizes).all():
        return Interval(math.nan, math.nan, level, "templates")
    mean = float(sizes.mean())
    reach = float(t_quantile(len(sizes) - 1, (1 + level) / 2))
    reach *= float(sizes.std(ddof=1)) / math.sqrt(len(sizes))
    return Interval(mean - reach, mean + reach, level, "templates")


def _pooled(
    subject: ContextualEncoder, templates: Sequence[str], pooling: Pooling | None
) -> ContextualEncoder:
    """Return the encoder under these templates, as one that gives vectors of sentences."""
    if isinstance(subject, Encoder):
        has_first = subject.tokenizer.cls_token_id is not None
        return subject.under(templates, pooling=pooling or ("cls" if has_first else "last"))
    if pooling is not None:
        raise SubjectError(
            f"{subject.name} has a pooling of its own. Leave out pooling={pooling!r}."
        )
    return subject.under(templates)
