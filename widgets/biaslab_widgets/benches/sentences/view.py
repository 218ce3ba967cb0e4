"""The three steps and the results of the third, as the front end gets them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from biaslab.probes.sentences.pairs import SentencePair
from biaslab.probes.sentences.probe import TIE_WITHIN
from biaslab.probes.sentences.scorers.base import PairScores
from biaslab.probes.sentences.stereotype_result import ShareDifference, StereotypeScore
from biaslab.probes.sentences.stereotype_shares import StereotypeShare
from biaslab.records.wording import counted, percent, range_text
from biaslab.reports.sentences.chart import STEPS
from biaslab.reports.sentences.words import (
    SWAPPED,
    details,
    pull_in_short,
    pull_of,
    ties_and_failures,
)
from biaslab_widgets.benches.sentences.fields import (
    AttributeRow,
    ListRow,
    ModelRow,
    PairScoresOf,
    Picture,
    Share,
)
from biaslab_widgets.benches.sentences.results import RESAMPLES
from biaslab_widgets.benches.sentences.set import SentenceSet
from biaslab_widgets.benches.sentences.words import Words
from biaslab_widgets.core.bench.model_tests import State
from biaslab_widgets.core.bench.three_steps_view import (
    first_step,
    footer_of,
    in_short,
    later_step,
    plain,
    strong,
    tested_step,
    verdict_of_models,
)
from biaslab_widgets.core.state.bench_state import StepState, TestProgress
from biaslab_widgets.core.state.records import Span, finite


def steps_of(
    words: Words, held: SentenceSet, models: Sequence[str], run: TestProgress | None
) -> list[StepState]:
    """The steps as the headers show them.

    - `models`: names of the chosen models.
    - `run`: of the test; None before the first one.
    """
    pairs = len(held.pairs)
    opens = "" if pairs else words.why
    subject = counted(len(models), "model")
    if run is not None and not run["running"] and len(models) > 1:
        subject += ", same sentences"
    return [
        first_step(words.note, words.why),
        later_step("Sentences", _sentences_note(held), opens, done=pairs > 0),
        tested_step(subject, run, _why_no_test(words, pairs, models), "scored"),
    ]


def _why_no_test(words: Words, pairs: int, models: Sequence[str]) -> str:
    if not pairs:
        return words.why or "There are no sentences yet: make some in step 2."
    return "" if models else "No model is chosen: choose one in step 1."


def _sentences_note(held: SentenceSet) -> str:
    pairs, lost = len(held.pairs), len(held.aside) + len(held.unusable)
    if not pairs and not lost:
        return "none yet"
    kept = f"{counted(pairs, 'pair')} kept"
    return f"{kept}, {lost:,} rejected with reasons" if lost else kept


def verdict_of(results: Sequence[StereotypeScore]) -> list[Span]:
    """The verdict in plain words: of the first model in full, of others in short."""
    return verdict_of_models(results, _short)


def _short(one: StereotypeScore) -> list[Span]:
    if not one.overall.decided:
        name = strong(one.provenance.subject)
        undecided = plain(", no pair is decided.")
        return [plain(" For "), name, undecided]

    def between(low: float, high: float) -> str:
        return f"{range_text(low, high).replace(' and ', ' to ')} %"

    share = f"{percent(one.share)} %"
    if one.one_sided:
        ends = f" ({between(one.interval.low, one.interval.high)}): no verdict."
        return [plain(" For "), strong(one.provenance.subject), plain(", it is "), strong(share),
                plain(ends)]  # fmt: skip
    pull = pull_of(one)
    further = pull_in_short(pull) if pull else []
    return in_short(one, share, between, joint=": ", bias="a bias ", further=further)


def caveat_of(results: Sequence[StereotypeScore]) -> str:
    """What the intervals are over, what was counted apart, and with which scorers."""
    if not results:
        return ""
    first = results[0]
    kinds = list(dict.fromkeys(one.interval.kind for one in results))
    intervals = "intervals are" if len(results) > 1 else "interval is"
    parts = [f"The {percent(first.level)} % {intervals} over {' or '.join(kinds)}."]
    if len(first.attributes) == 1:
        parts.append("One attribute says nothing about others.")
    parts.append(
        ties_and_failures([one.ties for one in results], [one.failures for one in results])
    )
    labels = list(dict.fromkeys(one.scorer_label for one in results))
    parts.append(f"{'Scorer' if len(labels) == 1 else 'Scorers'}: {', '.join(labels)}.")
    parts.append(f"Swapped: {SWAPPED[first.pairing]}.")
    return " ".join(parts)


NOTHING: Share = {
    "share": None,
    "low": None,
    "high": None,
    "lean": 0,
    "wins": 0,
    "losses": 0,
    "ties": 0,
    "failures": 0,
    "mean_log_odds": None,
}


@dataclass(frozen=True)
class ModelShown:
    """A model of step 3.

    - `scorer`, `label`, `formula`, `unit`: empty while the model is not open.
    - `scores`: in the order of the pairs.
    """

    name: str
    about: str
    kind: str
    scorer: str
    label: str
    formula: str
    unit: str
    state: State
    message: str
    seconds: float
    scores: Sequence[PairScores | None]
    result: StereotypeScore | None

    @property
    def tested(self) -> int:
        """How many pairs have scores, or were found to fail."""
        return sum(one is not None for one in self.scores)


def picture_of(
    models: Sequence[ModelShown],
    pairs: Sequence[SentencePair],
    words: Words,
    run: TestProgress,
    differences: Sequence[ShareDifference],
    seed: int,
) -> Picture:
    """Everything drawn but the squares, which are `scores_of`."""
    results = [model.result for model in models if model.result is not None]
    spec = getattr(words.spec, "name", "")
    return {
        "groups": _groups(pairs, words),
        "run": run,
        "models": [_model(model) for model in models],
        "lists": _lists(pairs, words),
        "attributes": _attributes(models, pairs, words),
        "bias_types": _bias_types(models, pairs),
        "edges": (float(STEPS[0]), float(STEPS[1])),
        "unit": " and ".join(dict.fromkeys(m.unit for m in models if m.unit)) or "nats",
        "failures": [
            {"pair": pair.id, "model": model.name, "reason": scores.failure}
            for model in models
            for pair, scores in zip(pairs, model.scores, strict=True)
            if scores is not None and scores.log_odds is None
        ],
        "comparisons": [one.summary() for one in differences],
        "verdict": verdict_of(results),
        "caveat": caveat_of(results),
        "footer": footer_of(results, seed, RESAMPLES, spec),
    }


def scores_of(models: Sequence[ModelShown]) -> list[PairScoresOf]:
    """The squares."""
    return [
        {
            "model": model.name,
            "log_odds": [finite(None if s is None else s.log_odds, 5) for s in model.scores],
            "outcomes": "".join(letter(s) for s in model.scores),
        }
        for model in models
    ]


def letter(scores: PairScores | None) -> str:
    """A pair's outcome: ``s``, ``a``, ``t`` for a tie, ``f`` for a failure, ``-`` for none yet."""
    if scores is None:
        return "-"
    odds = scores.log_odds
    if odds is None:
        return "f"
    return "t" if abs(odds) <= TIE_WITHIN else "s" if odds > 0 else "a"


def _model(model: ModelShown) -> ModelRow:
    result = model.result
    return {
        "name": model.name,
        "about": model.about,
        "kind": model.kind,
        "scorer": model.scorer,
        "scorer_label": model.label,
        "formula": model.formula,
        "unit": model.unit or "nats",
        "state": model.state,
        "message": model.message,
        "scored": model.tested,
        "seconds": round(model.seconds, 2),
        "overall": NOTHING
        if result is None
        else {**_share(result.overall), "lean": _lean(result.lean)},
        "details": [] if result is None else [*details(result), *result.notes],
    }


def _share(one: StereotypeShare) -> Share:
    return {
        "share": finite(one.share, 5),
        "low": finite(one.interval.low, 5),
        "high": finite(one.interval.high, 5),
        "lean": _lean(one.lean),
        "wins": one.wins,
        "losses": one.losses,
        "ties": one.ties,
        "failures": one.failures,
        "mean_log_odds": finite(one.mean_log_odds, 5),
    }


def _lean(lean: int) -> Literal[-1, 0, 1]:
    return (-1, 0, 1)[lean + 1]


def _groups(pairs: Sequence[SentencePair], words: Words) -> tuple[str, str]:
    """The two groups of the lists; of pairs from elsewhere those of the first pair."""
    if any(pair.groups[0] in words.groups for pair in pairs) and all(words.groups):
        return words.groups
    named = next((pair.groups for pair in pairs if any(pair.groups)), words.groups)
    return named[0], named[1]


def _lists(pairs: Sequence[SentencePair], words: Words) -> list[ListRow]:
    names = list(dict.fromkeys(name for _, name in _order(pairs, words)))
    groups = _groups(pairs, words)
    rows: list[ListRow] = []
    for name in names:
        group = words.group_of(name)
        if group < 0:
            tied = {pair.groups[0] for pair in pairs if pair.attribute_list == name}
            first = tied.pop() if len(tied) == 1 else ""
            group = groups.index(first) if first in groups else -1
        rows.append({"name": name, "group": group})
    return rows


def _order(pairs: Sequence[SentencePair], words: Words) -> list[tuple[str, str]]:
    """Attributes with pairs, and their lists: in the order of the lists, then of the pairs."""
    there = dict.fromkeys((p.attribute, p.attribute_list) for p in pairs if p.attribute)
    listed = [key for key in words.attributes if key in there]
    return [*listed, *(key for key in there if key not in set(listed))]


def _attributes(
    models: Sequence[ModelShown], pairs: Sequence[SentencePair], words: Words
) -> list[AttributeRow]:
    shares = [
        {} if m.result is None else {(s.name, s.part_of): _share(s) for s in m.result.attributes}
        for m in models
    ]
    places: dict[tuple[str, str], list[int]] = {}
    for place, pair in enumerate(pairs):
        places.setdefault((pair.attribute, pair.attribute_list), []).append(place)
    groups = {row["name"]: row["group"] for row in _lists(pairs, words)}
    return [
        {
            "name": name,
            "list": held,
            "group": groups.get(held, -1),
            "shares": [of.get((name, held), NOTHING) for of in shares],
            "pairs": places[(name, held)],
        }
        for name, held in _order(pairs, words)
    ]


def _bias_types(models: Sequence[ModelShown], pairs: Sequence[SentencePair]) -> list[AttributeRow]:
    shares: list[Mapping[str, Share]] = [
        {} if m.result is None else {s.name: _share(s) for s in m.result.bias_types} for m in models
    ]
    return [
        {
            "name": name,
            "list": "",
            "group": -1,
            "shares": [of.get(name, NOTHING) for of in shares],
            "pairs": [place for place, pair in enumerate(pairs) if pair.bias_type == name],
        }
        for name in dict.fromkeys(pair.bias_type for pair in pairs if pair.bias_type)
    ]
