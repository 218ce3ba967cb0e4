"""Scorers: how probable a language model finds each version of a sentence."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import DeviceMemoryError, QueryError, SubjectError
from biaslab.jobs.job import JobContext
from biaslab.records.record import Record

if TYPE_CHECKING:
    from biaslab.subjects.language_model.model import LanguageModel
    from biaslab.subjects.language_model.reading import Look
    from biaslab.subjects.language_model.tokens import TokenizedText


VERSIONS = ("stereotyped", "against", "unrelated")


@dataclass(frozen=True)
class SentenceScore(Record):
    """One version of a pair, scored; or why it could not be.

    Only counted tokens are listed: special tokens never, and with some scorers
    only a part of the sentence.

    Attributes
    ----------
    log_score : float or None
        The score in nats; higher is more probable. None if it failed. (Of the scorer
        ``group-term-logit`` a mean of logits, without a unit.)
    tokens : tuple of str
        The n counted tokens, as the tokenizer writes them.
    spans : ndarray of int64, shape (n, 2)
        Position of each in the text: its first character and the one after its last.
    contributions : ndarray of float64, shape (n,)
        Contribution of each to ``log_score``, which is their sum.
    failure : str
        Why there is no score, with the remedy; empty if there is one.
    note : str
        Remark on the score for the user; empty without one.
    """

    log_score: float | None
    tokens: tuple[str, ...]
    spans: NDArray[np.int64]
    contributions: NDArray[np.float64]
    failure: str = ""
    note: str = ""

    @classmethod
    def failed(cls, reason: str) -> SentenceScore:
        """Return a missing score with its reason."""
        return cls(None, (), np.empty((0, 2), dtype=np.int64), np.empty(0), failure=reason)


@dataclass(frozen=True)
class PairScores(Record):
    """All versions of one pair, scored.

    Attributes
    ----------
    stereotyped, against : SentenceScore
        Both versions.
    unrelated : SentenceScore or None
        The third version; None if the pair has none.
    """

    stereotyped: SentenceScore
    against: SentenceScore
    unrelated: SentenceScore | None = None

    @property
    def log_odds(self) -> float | None:
        """Score of the stereotyped version minus that of the other; None if one has none."""
        first, second = self.stereotyped.log_score, self.against.log_score
        return None if first is None or second is None else first - second

    @property
    def failure(self) -> str:
        """Why both versions cannot be compared; empty if they can."""
        first, second = self.stereotyped.failure, self.against.failure
        return first if first == second or not second else second if not first else (
            f"{first} {second}"
        )  # fmt: skip


MEMORY_MB = 512
"""Default limit on the extra memory of a batch, in megabytes."""
Span = tuple[int, int]
#: Pairs whose texts are requested from a server at once.
_PREFETCHED_PAIRS = 64
#: Batches that are made up of the same pairs: these are done, and handed out, together.
_BATCHES_TOGETHER = 4
_WORDS = re.compile(r"\w+|[^\w\s]")
_QUOTED = 60


class Scorable(Protocol):
    """Interface of a `SentencePair` for scorers."""

    @property
    def stereotyped(self) -> str:
        """One version."""

    @property
    def against(self) -> str:
        """The other version."""

    @property
    def unrelated(self) -> str | None:
        """A third version, if there is one."""

    @property
    def terms(self) -> tuple[Span | None, Span | None]:
        """Positions of the swapped term in either version, if known."""


@dataclass(frozen=True)
class Plan:
    """Model inputs for one version.

    Attributes
    ----------
    text : TokenizedText
        Its tokens.
    looks : tuple of Look
        Inputs of the model, and the positions that are read.
    scored : ndarray of int64, shape (n,)
        Which tokens the readings belong to, in the order of all looks' readings.
    weight : float
        Weight of each reading in the sum.
    """

    text: TokenizedText
    looks: tuple[Look, ...]
    scored: NDArray[np.int64]
    weight: float = 1.0


class Scorer:
    """How probable a language model finds each version of a pair.

    A scorer implements `plan`, which returns the model inputs for one version; or
    `plans`, if they depend on the other version. The rest is here.

    Attributes
    ----------
    name, label : str
        For code, and for the screen.
    formula : str
        The definition, for the screen; w is a sentence of n tokens.
    about : str
        Its purpose, in a sentence or two.
    source : str
        Its source.
    kinds : tuple of str
        Kinds of language models that it can ask: "mlm", "clm".
    raw : bool
        Reads logits rather than log probabilities.
    looks_per_token : bool
        Shows the model a text once for each of its tokens, not once.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    formula: ClassVar[str]
    about: ClassVar[str]
    source: ClassVar[str]
    kinds: ClassVar[tuple[str, ...]]
    raw: ClassVar[bool] = False
    looks_per_token: ClassVar[bool] = False

    def __repr__(self) -> str:
        """Name and kinds."""
        return f"<Scorer {self.name!r} for {' and '.join(self.kinds)}>"

    def plan(self, lm: LanguageModel, pair: Scorable, version: str) -> Plan:
        """Return the model inputs for one version of a pair.

        Raises
        ------
        QueryError
            When the version cannot be scored: gives reason and remedy.
        """
        raise NotImplementedError

    def plans(self, lm: LanguageModel, pair: Scorable) -> Mapping[str, Plan | str]:
        """Return model inputs for each version of a pair, or why it cannot be scored."""
        plans: dict[str, Plan | str] = {}
        for version in versions_of(pair):
            try:
                plans[version] = self.plan(lm, pair, version)
            except QueryError as error:
                plans[version] = str(error)
        return plans

    def score(
        self,
        lm: LanguageModel,
        pairs: Sequence[Scorable],
        *,
        memory_mb: float | None = None,
        context: JobContext | None = None,
    ) -> list[PairScores]:
        """Score pairs, in their order.

        Parameters
        ----------
        lm : LanguageModel
            The model.
        pairs : sequence of SentencePair
            The pairs.
        memory_mb : float, optional
            Limit on the extra memory of a batch, in megabytes; by default measured on the model's
            device.
        context : JobContext, optional
            Of a job: progress, cancel.

        Raises
        ------
        QueryError
            When the scorer does not fit the kind of model, or the memory is 0. A problem
            of a sentence is stored in its score, and the others are scored.
        """
        results: list[PairScores | None] = [None] * len(pairs)
        for number, scores in self.stream(lm, pairs, memory_mb=memory_mb, context=context):
            results[number] = scores
        return [scores for scores in results if scores is not None]

    def stream(
        self,
        lm: LanguageModel,
        pairs: Sequence[Scorable],
        *,
        memory_mb: float | None = None,
        context: JobContext | None = None,
    ) -> Iterator[tuple[int, PairScores]]:
        """Score like `score`, but yield pairs as they are done, the short ones first.

        Yields
        ------
        (int, PairScores)
            Number of the pair from 0, and its scores. Each pair comes once.
        """
        self.check(lm)
        if memory_mb is not None and memory_mb <= 0:
            raise QueryError(f"memory_mb={memory_mb}: give a number of megabytes above 0.")
        context = context or JobContext()
        costs = [self._cost(pair) for pair in pairs]
        order = sorted(range(len(pairs)), key=costs.__getitem__)
        total, done, finished = sum(costs), 0.0, 0
        enough = _BATCHES_TOGETHER * lm.tokens_at_once
        waiting: list[tuple[int, Mapping[str, Plan | str]]] = []
        tokens = 0
        short: list[str] = []
        prefetch = getattr(lm, "prefetch", None)
        for place, number in enumerate(order):
            context.checkpoint()
            if prefetch is not None and place % _PREFETCHED_PAIRS == 0:
                some = order[place : place + _PREFETCHED_PAIRS]
                prefetch([t for i in some for t in versions_of(pairs[i]).values()], context)
            plans = self._plans(lm, pairs[number])
            if short:  # what follows is longer
                why = f"It was not reached. {short[0]}"
                plans = {v: why if isinstance(p, Plan) else p for v, p in plans.items()}
            waiting.append((number, plans))
            tokens += sum(
                len(look.ids) for p in plans.values() if isinstance(p, Plan) for look in p.looks
            )
            if tokens < enough and place + 1 < len(order):
                continue
            for each, scores in self._scored(lm, waiting, memory_mb, context, short):
                done += costs[each]
                finished += 1
                yield each, scores
            context.report(done, total, f"{finished} of {len(pairs)} pairs")
            waiting, tokens = [], 0

    def check(self, lm: LanguageModel) -> None:
        """Refuse a model of another kind.

        Raises
        ------
        QueryError
            Names a scorer that fits.
        """
        if lm.kind not in self.kinds:
            fitting = ", ".join(repr(each.name) for each in scorers_for(lm.kind))
            what = "masked" if lm.kind == "mlm" else "causal"
            raise QueryError(
                f"The scorer {self.name!r} cannot ask {lm.name}, which is a {what} model. Choose"
                f" one of {fitting}."
            )

    def _cost(self, pair: Scorable) -> float:
        """Estimate the work for a pair, in any unit."""
        longest = max(len(text) for text in versions_of(pair).values())
        return float(longest**2 if self.looks_per_token else longest)

    def _plans(self, lm: LanguageModel, pair: Scorable) -> Mapping[str, Plan | str]:
        plans = self.plans(lm, pair)
        first, second = (plans.get(version) for version in VERSIONS[:2])
        if (
            isinstance(first, Plan)
            and isinstance(second, Plan)
            and np.array_equal(first.text.ids, second.text.ids)
        ):
            reason = (
                "Both versions are the same text. Write two different texts."
                if first.text.text == second.text.text
                else f"Both versions have the same tokens: {lm.name} cannot distinguish them,"
                f" because it does not know {_difference(first, second)}. Use other words, or"
                " another model."
            )
            return {**plans, VERSIONS[0]: reason, VERSIONS[1]: reason}
        return plans

    def _scored(
        self,
        lm: LanguageModel,
        waiting: Sequence[tuple[int, Mapping[str, Plan | str]]],
        memory_mb: float | None,
        context: JobContext,
        short: list[str],
    ) -> Iterator[tuple[int, PairScores]]:
        """Yield scores; why memory ran out is added to ``short``."""
        plans = [
            plan
            for _, pair_plans in waiting
            for plan in pair_plans.values()
            if isinstance(plan, Plan)
        ]
        read = iter(self._read(lm, plans, memory_mb, context, short))
        for number, pair_plans in waiting:
            yield (
                number,
                PairScores(
                    **{
                        version: next(read)
                        if isinstance(plan, Plan)
                        else SentenceScore.failed(plan)
                        for version, plan in pair_plans.items()
                    }
                ),
            )

    def _read(
        self,
        lm: LanguageModel,
        plans: Sequence[Plan],
        memory_mb: float | None,
        context: JobContext,
        short: list[str],
    ) -> list[SentenceScore]:
        looks = [look for plan in plans for look in plan.looks]
        try:
            values = lm.read(looks, memory_mb=memory_mb, raw=self.raw, between=context.checkpoint)
        except SubjectError as error:
            if len(plans) == 1:
                if isinstance(error, DeviceMemoryError):
                    short.append(str(error))
                return [SentenceScore.failed(str(error))]
            return [s for plan in plans for s in self._read(lm, [plan], memory_mb, context, short)]
        scores, at = [], 0
        for plan in plans:
            plan_values = values[at : at + len(plan.looks)]
            at += len(plan.looks)
            scores.append(_assembled(lm, plan, np.concatenate(plan_values)))
        return scores


SCORERS: dict[str, Scorer] = {}
"""All scorers by name, entered by the package; of each kind of model the first is its default."""


def scorers_for(kind: str) -> tuple[Scorer, ...]:
    """Return scorers for a kind of language model, the default one first.

    Parameters
    ----------
    kind : {"mlm", "clm"}
        The model's kind.
    """
    return tuple(scorer for scorer in SCORERS.values() if kind in scorer.kinds)


def _assembled(lm: LanguageModel, plan: Plan, values: NDArray[np.float64]) -> SentenceScore:
    if not np.isfinite(values).all():
        where = plan.text.tokens[int(plan.scored[int(np.argmin(np.isfinite(values)))])]
        return SentenceScore.failed(
            f"{lm.name} answers NaN or infinity at {where!r}. Open it with dtype='float32'; if it"
            " still does, its weights are damaged."
        )
    contributions = plan.weight * values
    text = plan.text
    unknown = [text.text[a:b] for a, b in text.spans[text.unknown].tolist()]
    return SentenceScore(
        float(contributions.sum()),
        tuple(text.tokens[i] for i in plan.scored),
        text.spans[plan.scored],
        contributions,
        note=f"The tokenizer does not know {_listed(unknown)}: read as {lm.tokenizer.unk_token}."
        if unknown
        else "",
    )


def versions_of(pair: Scorable) -> dict[str, str]:
    """Return texts of a pair by version; without the third if there is none."""
    texts = {"stereotyped": pair.stereotyped, "against": pair.against}
    return texts if pair.unrelated is None else {**texts, "unrelated": pair.unrelated}


def term_span(pair: Scorable, version: str) -> Span:
    """Return the position of the swapped term in a version.

    From the pair if known; else, and for an unrelated version, the only place that differs.

    Raises
    ------
    QueryError
        When the versions differ in more than one place, so that it is not known.
    """
    stated = pair.terms[VERSIONS.index(version)] if version != "unrelated" else None
    if stated is not None:
        return stated
    other = pair.against if version == "stereotyped" else pair.stereotyped
    text = versions_of(pair)[version]
    span = changed_span(text, other)
    if span is None:
        raise QueryError(
            f"It is unclear which word of {text[:_QUOTED]!r} is the group’s term, because the"
            " versions differ in several places. Mark the term, or choose a scorer of whole"
            " sentences."
        )
    return span


def changed_span(text: str, other: str) -> Span | None:
    """Return the only span where a text differs from another, in whole words."""
    words, others = list(_WORDS.finditer(text)), list(_WORDS.finditer(other))
    matcher = difflib.SequenceMatcher(
        None, [w[0] for w in words], [w[0] for w in others], autojunk=False
    )
    changed = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    if len(changed) != 1 or changed[0][1] == changed[0][2]:
        return None
    return words[changed[0][1]].start(), words[changed[0][2] - 1].end()


def _difference(first: Plan, second: Plan) -> str:
    spans = [changed_span(a.text.text, b.text.text) for a, b in ((first, second), (second, first))]
    parts = [
        plan.text.text[span[0] : span[1]]
        for plan, span in zip((first, second), spans, strict=True)
        if span
    ]
    return _listed(parts) or "the signs"


def _listed(parts: Sequence[str]) -> str:
    return ", ".join(repr(part) for part in dict.fromkeys(parts))
