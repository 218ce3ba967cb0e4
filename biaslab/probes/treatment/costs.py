"""What a treatment costs: perplexity, accuracy, and agreement with judged similarity."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from biaslab.asking.opening import decider_of
from biaslab.asking.protocols import Decider, Reply
from biaslab.cases import Case, Question
from biaslab.jobs.context import current_context
from biaslab.probes.similarity import Judgements, sets_of, similarity_change
from biaslab.probes.treatment.material import any_question, is_known, other_cases
from biaslab.probes.treatment.result import Change
from biaslab.records.result import Dropped, Interval
from biaslab.records.wording import percent
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.language_model.model import LanguageModel
from biaslab.subjects.language_model.reading import Look

Floats = NDArray[np.float64]
CostOf = Callable[[Any, int], Change]
"""Takes a treated subject and the number of the placebo."""
LEVEL: Final = 0.95
_TASKS: Final = 240
"""Questions to a subject that gives probabilities;"""
_FEW_TASKS: Final = 40
"""to one that is called for each reply."""
_CAN_DO: Final = 2 / 3
"""Share of right answers before, from which on a case is a task that the subject can do."""
_EDGE: Final = 0.15
"""Share of the levels at either end, where one answer is right."""
_LEAST: Final = 1e-300


class _Task(NamedTuple):
    case: Case
    question: Question
    right: str


def costs_of(
    subject: Any,
    case: Case | None,
    held_out: Sequence[str] | None,
    similarity: Any,
    tasks: int | None,
    seed: int,
) -> tuple[list[CostOf], tuple[Dropped, ...]]:
    """Return what measures the costs of a treatment of a subject, and cases that it cannot do.

    The arguments are those of `measure_treatment`; `case` is the treated one.
    """
    if isinstance(subject, EmbeddingSubject):
        return [partial(_similarity, subject, judged) for judged in sets_of(similarity)], ()
    costs: list[CostOf] = []
    is_model = isinstance(subject, LanguageModel)
    if is_model and subject.kind == "clm" and held_out:
        costs.append(partial(_of_texts, held_out, _text_losses(subject, held_out)))
    if tasks == 0 or (is_model and subject.kind == "mlm"):
        return costs, ()
    decider = decider_of(subject)
    count = tasks or (_TASKS if decider.gives_probabilities else _FEW_TASKS)
    rng = np.random.default_rng([seed, 2])
    asked = _tasks(decider, other_cases(case)[0], count, rng)
    questions = [one.question for one in asked]
    answered = list(zip(asked, _replies(decider, questions), strict=True))
    able, dropped = [], []
    for name in dict.fromkeys(one.case.name for one in asked):
        own = [pair for pair in answered if pair[0].case.name == name]
        share = float(np.mean([_is_right(*pair) for pair in own]))
        if share >= _CAN_DO:
            able += own
        else:
            why = f"the subject answers {percent(share)} % of clear questions right before"
            dropped.append(Dropped(name, "task", why))
    if not able:
        return costs, tuple(dropped)
    costs.append(partial(_accuracy, able))
    if decider.gives_probabilities:
        others = [any_question(one.case, rng) for one, _ in able]
        costs.append(partial(_of_replies, others, _replies(decider, others)))
    return costs, tuple(dropped)


def _tasks(
    decider: Decider, cases: Sequence[Case], count: int, rng: np.random.Generator
) -> list[_Task]:
    """Return questions with a right answer about cases in turn, as far as they can be answered."""
    able = [one for one in cases if one.yes_or_no is not None and is_known(decider, one)]
    tasks = []
    for number in range(count if able else 0):
        case = able[number % len(able)]
        assert case.yes_or_no is not None  # noqa: S101  # others are left out
        levels = case.quality.levels
        edge = max(1, round(_EDGE * len(levels)))
        is_high = bool(rng.integers(2))
        level = float(rng.choice(levels[-edge:] if is_high else levels[:edge]))
        is_yes = is_high == (case.quality.sign > 0)
        right = case.yes_or_no.yes if is_yes else case.yes_or_no.no
        tasks.append(_Task(case, any_question(case, rng, level), right))
    return tasks


def _replies(decider: Decider, questions: Sequence[Question]) -> list[Reply]:
    return decider.decide(questions, current_context())


def _is_right(task: _Task, reply: Reply) -> float:
    """Return the probability of the right answer, or whether it was given."""
    if reply.probabilities:
        return reply.probabilities[task.question.answers.index(task.right)]
    return float(reply.answer == task.right)


def _accuracy(able: Sequence[tuple[_Task, Reply]], one: Any, placebo: int) -> Change:
    """Return the change of the share of right answers, paired over questions."""
    again = _replies(decider_of(one), [task.question for task, _ in able])
    before = np.array([_is_right(*pair) for pair in able])
    pairs = zip((task for task, _ in able), again, strict=True)
    after = np.array([_is_right(*pair) for pair in pairs])
    change = after - before
    half = _t(len(change) - 1) * _spread(change)
    mean = float(change.mean())
    interval = Interval(mean - half, mean + half, LEVEL, "other questions like these")
    what = "accuracy on clear questions of other cases"
    shares = float(before.mean()), float(after.mean())
    return Change("accuracy", what, placebo, *shares, mean, interval)


def _of_replies(
    questions: Sequence[Question], before: Sequence[Reply], treated: Any, placebo: int
) -> Change:
    """Return the change of the perplexity of the replies that the subject gives before."""
    after = _replies(decider_of(treated), questions)
    losses = np.array(
        [
            [_loss(one, one), _loss(one, two)]
            for one, two in zip(before, after, strict=True)
            if one.probabilities and two.probabilities
        ]
    )
    what = "perplexity of replies to other cases"
    return _perplexity(what, losses[:, 0], losses[:, 1], np.ones(len(losses)), placebo)


def _loss(of: Reply, by: Reply) -> float:
    """Return the expected negative log probability, in nats, of a reply, given another's."""
    log = np.log(np.maximum(np.array(by.probabilities) * by.mass, _LEAST))
    return -float(np.array(of.probabilities) @ log)


def _text_losses(lm: LanguageModel, texts: Sequence[str]) -> Floats:
    """Return the negative log probability, in nats, and the number of tokens of texts, (n, 2)."""
    looks = []
    for text in texts:
        tokens = lm.tokenize(text)
        own = tokens.own[tokens.own > 0]
        looks.append(Look(tokens.ids, own - 1, tokens.ids[own]))
    read = lm.read(looks)
    return np.array([[-values.sum(), len(values)] for values in read])


def _of_texts(texts: Sequence[str], before: Floats, treated: Any, placebo: int) -> Change:
    after = _text_losses(treated, texts)
    what = "perplexity of held-out texts"
    return _perplexity(what, before[:, 0], after[:, 0], before[:, 1], placebo)


def _perplexity(what: str, before: Floats, after: Floats, tokens: Floats, placebo: int) -> Change:
    """Return the relative change of a perplexity, with its interval over texts.

    The log of the ratio is a ratio of sums; its variance is that of the linearised ratio.
    """
    one, two = (float(each.sum() / tokens.sum()) for each in (before, after))
    log = two - one
    rest = (after - before - log * tokens) / tokens.mean()
    half = _t(len(tokens) - 1) * _spread(rest)
    interval = Interval(
        math.expm1(log - half), math.expm1(log + half), LEVEL, "other texts like these"
    )
    return Change(
        "perplexity", what, placebo, math.exp(one), math.exp(two), math.expm1(log), interval
    )


def _similarity(subject: EmbeddingSubject, judged: Judgements, one: Any, placebo: int) -> Change:
    before, after, interval = similarity_change(subject, one, judged, LEVEL)
    what = f"agreement with {judged.name} (Spearman)"
    return Change("similarity", what, placebo, before, after, after - before, interval)


def _t(df: int) -> float:
    return float(special.stdtrit(df, (1 + LEVEL) / 2)) if df > 0 else math.nan


def _spread(values: Floats) -> float:
    """Return the standard error of a mean."""
    return float(values.std(ddof=1) / math.sqrt(len(values))) if len(values) > 1 else math.nan
