"""``bl.stereotype_score``: the more probable version of a sentence."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from biaslab.answers import RecordedAnswers
from biaslab.arguments import check_names, described, renamed
from biaslab.errors import ArgumentError, QueryError
from biaslab.jobs.context import current_context, reporting_to
from biaslab.jobs.showing import shows_progress
from biaslab.probes.sentences.language_model_score import language_model_score
from biaslab.probes.sentences.pairs import PairSet, SentencePair, words_of
from biaslab.probes.sentences.recorded import RecordedScorer
from biaslab.probes.sentences.score_cache import PairScorer, score_pairs
from biaslab.probes.sentences.scorers.base import PairScores
from biaslab.probes.sentences.sources import Sentences, resolve_pairs
from biaslab.probes.sentences.stereotype_result import ShareDifference, StereotypeScore, compared
from biaslab.probes.sentences.stereotype_shares import (
    INDEPENDENT,
    Known,
    ScoredPairs,
    StereotypeShare,
    Weighting,
)
from biaslab.records.calls import recorded
from biaslab.records.provenance import Provenance, measured
from biaslab.records.record import Record
from biaslab.records.result import Dropped, Interval
from biaslab.specs import Spec, get
from biaslab.stats.reproducibility import seed_number
from biaslab.stats.significance import sign_test, wilson
from biaslab.store import Store
from biaslab.subjects.opening.needs import LANGUAGE_MODEL, Named, opened, suited

if TYPE_CHECKING:
    from biaslab.probes.sentences.sources import Sentences
    from biaslab.services import LanguageModelServer
    from biaslab.specs import Spec
    from biaslab.subjects.language_model.model import LanguageModel
    from biaslab.subjects.language_model.tokens import ChatTemplate


TIE_WITHIN = 1e-4
"""Nats: how far scores of one sentence differ between batches."""
Pairing = Literal["group", "attribute"]


@renamed(lm="subject")
@recorded
@shows_progress
def stereotype_score(
    subject: LanguageModel | LanguageModelServer | PairScorer | RecordedAnswers | Named,
    spec: str | Spec | None = None,
    sentences: Sentences | None = None,
    *,
    scorer: str | PairScorer | None = None,
    pairing: Pairing | None = None,
    groups: tuple[str, str] | None = None,
    weighting: Weighting = "groups",
    level: float = 0.95,
    resamples: int = 2000,
    tie_within: float = TIE_WITHIN,
    memory_mb: float | None = None,
    store: Store | None = None,
    keep: bool = True,
    rng: int | np.random.Generator = 0,
    progress: bool | None = None,  # noqa: ARG001  # of shows_progress
) -> StereotypeScore:
    """Count how often a language model prefers the stereotyped version of a pair.

    Aborted as a job, it returns the scores so far.

    Parameters
    ----------
    subject : LanguageModel or LanguageModelServer
        A masked or causal language model, here or on a server; a scorer that is its own subject,
        such as `biaslab.observers.scorer`; or recorded scores of `biaslab.replay`.
    spec : str or Spec, optional
        Two groups and the attribute lists tied to them. Optional if sentences are
        given.
    sentences : PairSet, FrameSet, sequence of SentencePair, sequence of str, or path, optional
        The pairs; or the frames of another language (`biaslab.frames.get`); or sentences with a
        group's term and an attribute of the spec, to make pairs of; or a file of pairs or
        sentences. By default those that the package makes for the spec.
    scorer : str or Scorer, optional
        How a version is scored: see `biaslab.probes.sentences.scorers`. By default the
        pseudo-log-likelihood of a masked, the log-likelihood of a causal model.
    pairing : {"group", "attribute"}, optional
        Kind of term swapped between the versions: the group's term, as in BiasTestGPT's tool (the
        default), or the attribute, as Jiang et al. (2023), section 2, describe.
    groups : (str, str), optional
        Two of the spec's groups; by default the first two.
    weighting : {"groups", "attributes", "pairs"}
        What has equal weight in the headline: both groups' stereotypes and, within each, its
        attributes, so that a preference for one group's terms in any sentence cancels;
        attributes (the macro average, as in BiasTestGPT's tool and StereoSet); or pairs (the micro
        average, reported beside the other two). The first two are the same where both groups have
        as many attributes. If the pairs are not about stereotypes of both groups, attributes have
        equal weight; if they name fewer than two attributes, pairs.
    level : float
        Of the intervals, in (0, 1).
    resamples : int
        Of the bootstrap, at least 100.
    tie_within : float
        Log-odds this close to 0, in nats, are a tie. The default is how far the scores of one
        sentence differ between batches.
    memory_mb : float, optional
        Limit on the extra memory of a batch, in megabytes.
    store : Store, optional
        Store of scores, so that an interrupted run continues and a sentence is never
        scored twice; by default the person's own store.
    keep : bool
        Whether scores are stored.
    rng : int or numpy.random.Generator
        Of the bootstrap.
    progress : bool, optional
        Whether to show the progress; by default on a terminal and in a notebook cell.

    Returns
    -------
    StereotypeScore

    Raises
    ------
    QueryError
        If there is no pair to score, or spec, sentences and pairing do not fit together.
    SpecError, SentenceError
        If the spec or the file of sentences cannot be read.
    ValueError
        If an option is out of range.

    Notes
    -----
    50 % is neutral. A tie is neither a win nor a loss; ties and failures are counted separately.
    """
    if not 0 < level < 1:
        raise ValueError(f"level is {level}; use a share between 0 and 1, such as 0.95.")
    if resamples < 100:
        raise ValueError(f"resamples is {resamples}; use at least 100, such as 2000.")
    if not tie_within >= 0 or not math.isfinite(tie_within):
        raise ValueError(f"tie_within is {tie_within}; use at least 0 nats, such as {TIE_WITHIN}.")
    if weighting not in get_args(Weighting):
        raise ValueError(f"weighting is {weighting!r}; choose 'groups', 'attributes' or 'pairs'.")
    context = current_context()
    lm: Any = subject
    if isinstance(subject, RecordedAnswers):
        lm = RecordedScorer(subject)
        sentences, keep = lm.pairs if sentences is None else sentences, False
    if isinstance(subject, str | os.PathLike):
        lm = opened(subject, LANGUAGE_MODEL, "bl.stereotype_score")
    chosen = scorer_of(lm, scorer)
    chat: ChatTemplate | None = getattr(lm, "chat", None)
    one_spec = None if spec is None else get(spec)
    pair_set = resolve_pairs(one_spec, sentences, pairing, groups)
    if not len(pair_set):
        raise QueryError(_none(pair_set), _dropped(pair_set))
    with measured(
        probe="stereotype_score",
        subject=lm,
        spec_hash=getattr(one_spec, "content_hash", None),
        parameters={
            "spec": getattr(one_spec, "name", None),
            "sentences": pair_set.source,
            "pairs": pair_set.content_hash,
            "scorer": chosen.name,
            "pairing": pair_set[0].pairing,
            "groups": groups,
            "weighting": weighting,
            "level": level,
            "resamples": resamples,
            "tie_within": tie_within,
            **({} if chat is None else {"template": chat.name, "chat": chat.prefix}),
        },
        seed=rng,
    ) as run:
        options = {} if memory_mb is None else {"memory_mb": memory_mb}
        kept_in = (store or Store()) if keep else None
        scores, notes = score_pairs(
            lm, chosen, pair_set.pairs, store=kept_in, context=context, options=options
        )
        computed = statistics(
            pair_set.pairs,
            scores,
            spec=one_spec,
            weighting=weighting,
            level=level,
            resamples=resamples,
            tie_within=tie_within,
            seed=seed_number(rng),
        )
    return scored_result(
        pair_set,
        chosen,
        computed,
        tie_within=tie_within,
        level=level,
        notes=notes if chat is None else (*notes, chat.note),
        provenance=run.provenance,
    )


def scored_result(
    pair_set: PairSet,
    scorer: PairScorer,
    computed: Mapping[str, Any],
    *,
    tie_within: float,
    level: float,
    notes: Sequence[str] = (),
    provenance: Provenance,
) -> StereotypeScore:
    """Return the result of existing scores.

    - `pair_set`: at least one pair.
    - `scorer`: that scored them.
    - `computed`: output of `statistics`.
    - `tie_within`, `level`: the arguments of `statistics`.
    - `notes`: remarks on the run, for the user.
    """
    return StereotypeScore(
        scorer=scorer.name,
        scorer_label=scorer.label,
        formula=scorer.formula,
        pairing=pair_set[0].pairing,
        tie_within=tie_within,
        level=level,
        unit="logits" if getattr(scorer, "raw", False) else "nats",
        notes=(*pair_set.notes, *notes, *_notes(computed["scores"])),
        dropped=_dropped(pair_set),
        provenance=provenance,
        **computed,
    )


def statistics(
    pairs: Sequence[SentencePair],
    scores: Sequence[PairScores | None],
    *,
    spec: Spec | None = None,
    weighting: Weighting = "groups",
    level: float = 0.95,
    resamples: int = 2000,
    tie_within: float = TIE_WITHIN,
    seed: int = 0,
    known: Known | None = None,
) -> dict[str, Any]:
    """Compute the fields of `StereotypeScore` from the scores of pairs.

    - `scores`: in the same order; None for a pair that was not reached.
    - `spec`: for the order of attributes, and for group terms, which are not part of a frame.
    - `weighting`, `level`, `resamples`, `tie_within`, `seed`: as of `stereotype_score`.
    - `known`: cache of shares of attributes and lists across calls: those whose pairs have not
      changed are not resampled again. They are the same numbers.
    """
    scored_indices = [i for i, score in enumerate(scores) if score is not None]
    scored_pairs = [pairs[i] for i in scored_indices]
    complete = [score for score in scores if score is not None]
    odds = np.array([math.nan if s.log_odds is None else s.log_odds for s in complete], dtype=float)
    scored = ScoredPairs(
        scored_pairs,
        odds,
        tie_within=tie_within,
        level=level,
        resamples=resamples,
        seed=seed,
        terms=_term_words(spec),
        known=known,
    )
    several = scored.several_attributes
    if not several:
        weighting = "pairs"
    elif weighting == "groups" and not scored.unequal_sides:
        weighting = "attributes"
    every = np.ones(len(scored_pairs), dtype=bool)
    micro = scored.whole("pairs") if several else scored.part(every, "all pairs")
    by_pair = {pair.id: score for pair, score in zip(scored_pairs, complete, strict=True)}
    low, high = wilson(micro.wins, micro.decided, level)
    return {
        "pairs": tuple(scored_pairs),
        "scores": tuple(complete),
        "weighting": weighting,
        "macro": scored.whole("attributes" if weighting == "pairs" else weighting)
        if several
        else None,
        "micro": micro,
        "placebo": scored.placebo(weighting),
        "pull": scored.pull(weighting),
        "wilson": Interval(float(low), float(high), level, INDEPENDENT),
        "p": sign_test(micro.wins, micro.losses),
        "attributes": _attributes(scored, scored_pairs, spec),
        "attribute_lists": tuple(
            scored.part(scored.where("attribute_list", name), name)
            for name in _names(p.attribute_list for p in scored_pairs)
        ),
        "bias_types": tuple(
            scored.part(scored.where("bias_type", name), name)
            for name in _names(p.bias_type for p in scored_pairs)
        ),
        "language_model": language_model_score(
            scored, [by_pair[p.id] for p in scored.pairs], tie_within
        ),
        "unscored": len(pairs) - len(scored_pairs),
    }


def _attributes(
    scored: ScoredPairs, pairs: Sequence[SentencePair], spec: Spec | None
) -> tuple[StereotypeShare, ...]:
    """Score every attribute that has pairs, in the spec's order."""
    there = dict.fromkeys((p.attribute_list, p.attribute) for p in pairs if p.attribute)
    listed = [] if spec is None else [(a, t) for a, ts in spec.attributes.items() for t in ts]
    order = [key for key in listed if key in there]
    order += [key for key in there if key not in set(order)]
    return tuple(
        scored.part(
            scored.where("attribute", name) & scored.where("attribute_list", part), name, part
        )
        for part, name in order
    )


def _term_words(spec: Spec | None) -> frozenset[str]:
    terms = [] if spec is None else [term for held in spec.groups.values() for term in held]
    return frozenset(word for term in terms for word in words_of(term))


def _names(values: Any) -> list[str]:
    return [name for name in dict.fromkeys(values) if name]


def scorer_of(lm: Any, scorer: str | PairScorer | None) -> PairScorer:
    """Return the requested scorer; a subject that scores itself is its own.

    Raises `QueryError` if this is no language model, or there is no such scorer for it.
    """
    if scorer is None and _scores(lm):
        adapted: PairScorer = lm
        return adapted
    if scorer is not None and not isinstance(scorer, str):
        if not _scores(scorer):
            raise ArgumentError(
                f"scorer is {described(scorer)}. Pass a name, such as 'group-term', or a scorer"
                " of biaslab.probes.sentences.scorers."
            )
        return scorer
    from biaslab.probes.sentences.scorers import get_scorer

    model = suited(lm, LANGUAGE_MODEL, "bl.stereotype_score")
    return get_scorer(scorer, model.kind)


def _scores(thing: object) -> bool:
    return callable(getattr(thing, "score", None)) and hasattr(thing, "formula")


def _dropped(pair_set: PairSet) -> tuple[Dropped, ...]:
    return tuple(
        Dropped(
            rejection.text or rejection.attribute,
            "sentence" if rejection.text else "attribute",
            rejection.reason,
        )
        for rejection in pair_set.rejected
    )


def _none(pair_set: PairSet) -> str:
    if pair_set.rejected:
        first = pair_set.rejected[0]
        return (
            f"No pair is left to score: all {len(pair_set.rejected)} sentences were rejected, the "
            f"first, “{first.text}”, because: {first.reason}"
        )
    return "There is no pair to score. Give sentences, or a spec that has some."


def _notes(scores: Sequence[PairScores]) -> list[str]:
    """Return remarks of scorers with their numbers of pairs, the most frequent first."""
    counts: dict[str, int] = {}
    for score in scores:
        for note in {score.stereotyped.note, score.against.note} - {""}:
            counts[note] = counts.get(note, 0) + 1
    return [
        f"{note} ({n} pair{'' if n == 1 else 's'})"
        for note, n in sorted(counts.items(), key=lambda c: (-c[1], c[0]))
    ]


WAYS = ("plain", "chat", "chat without system prompt")


@dataclass(frozen=True)
class TemplateComparison(Record):
    """Scores of one model that was shown the same sentences in several ways.

    Attributes
    ----------
    results : mapping of str to StereotypeScore
        By way: "plain", "chat" and, where it differs, "chat without system prompt".
    differences : mapping of str to ShareDifference
        Of each chat from plain text; above 0, the chat prefers the stereotype more often.
    """

    results: Mapping[str, StereotypeScore]
    differences: Mapping[str, ShareDifference]

    def __repr__(self) -> str:
        """A line for each way."""
        lines = [f"{way}: {_percent(result)}" for way, result in self.results.items()]
        for way, found in self.differences.items():
            low, high = (100 * end for end in (found.interval.low, found.interval.high))
            lines.append(
                f"{way} less plain: {100 * found.difference:+.0f} points, between {low:+.0f} and"
                f" {high:+.0f}"
            )
        return "\n".join(lines)


@renamed(lm="subject")
@reporting_to(None)
def compare_templates(
    subject: LanguageModel | Named,
    spec: str | Spec | None = None,
    sentences: Sentences | None = None,
    *,
    rng: int | np.random.Generator = 0,
    **options: Any,
) -> TemplateComparison:
    """Score sentences as plain text and as answers in a chat, side by side.

    Parameters
    ----------
    subject : LanguageModel
        A causal model with a chat template.
    spec, sentences, **options
        As of `biaslab.stereotype_score`.
    rng : int or numpy.random.Generator
        Of the bootstraps.

    Raises
    ------
    SubjectError
        If the model is masked or has no chat template.
    QueryError
        As `biaslab.stereotype_score`; or if plain text and a chat decide no pair both.
    """
    check_names(options, stereotype_score, "compare_templates")
    model = opened(subject, LANGUAGE_MODEL, "compare_templates")
    if not hasattr(model, "with_template"):
        raise QueryError(
            f"{getattr(model, 'name', model)} is shown texts as they are. Open the model itself:"
            " bl.load(name, kind='clm')."
        )
    shown = {way: model.with_template(way) for way in WAYS}
    chat, without_system = (shown[way].chat for way in WAYS[1:])
    if chat and without_system and chat.prefix == without_system.prefix:
        del shown[WAYS[2]]
    results = {
        way: stereotype_score(one, spec, sentences, rng=rng, **options)
        for way, one in shown.items()
    }
    plain = results["plain"]
    return TemplateComparison(
        results,
        {
            way: compared(result, plain, rng=rng)
            for way, result in results.items()
            if result is not plain
        },
    )


def _percent(result: StereotypeScore) -> str:
    share = result.macro or result.micro
    low, high = (100 * end for end in (share.interval.low, share.interval.high))
    return (
        f"{100 * share.share:.0f} % of {share.decided} pairs stereotyped, between {low:.0f} and"
        f" {high:.0f} %"
    )
