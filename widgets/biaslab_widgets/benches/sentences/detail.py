"""One pair word by word: what each word adds to either version's score, with every model."""

from __future__ import annotations

import math
from collections.abc import Sequence

from biaslab.probes.sentences.pairs import SentencePair, Span
from biaslab.probes.sentences.scorers.base import PairScores, SentenceScore
from biaslab.probes.sentences.swap import is_agreement, side_by_side
from biaslab.probes.sentences.terms import find
from biaslab_widgets.benches.sentences.fields import Detail, ModelDetail, Word
from biaslab_widgets.benches.sentences.view import ModelShown, letter
from biaslab_widgets.core.state.records import finite

PER_TOKEN = ("log-likelihood-per-token", "mean-loss", "unmasked")
"""Scorers whose score is a mean over tokens."""
_BEYOND_WORDS = 1000
Row = tuple[Span | None, Span | None]
Value = tuple[float | None, float | None, float | None]


def detail_of(pairs: Sequence[SentencePair], number: int, models: Sequence[ModelShown]) -> Detail:
    """Both versions of a pair, side by side.

    - `number`: which one, from 0.
    - `models`: with their scores of all pairs.
    """
    pair = pairs[number]
    rows = side_by_side(*pair.versions)
    alike = [i for i, p in enumerate(pairs) if _kin(p) == _kin(pair)]
    columns = [_values(model.scores[number], rows) for model in models]
    roles = _roles(pair, rows)
    words: list[Word] = [
        {
            "first": _text(pair.stereotyped, row[0]),
            "second": _text(pair.against, row[1]),
            "role": roles[i],  # type: ignore[typeddict-item]  # one of those of the record
            "values": [column[i] for column in columns],
        }
        for i, row in enumerate(rows)
    ]
    about = pair.attribute or pair.bias_type
    place = f"pair {alike.index(number) + 1} of {len(alike)}"
    return {
        "pair": pair.id,
        "place": f"{about}, {place}" if about else place,
        "words": words,
        "models": [_model(model, model.scores[number]) for model in models],
        "unit": " and ".join(dict.fromkeys(m.unit for m in models if m.unit)) or "nats",
        "attribute": pair.attribute,
        "remark": pair.remark,
    }


def by_word(
    pair: SentencePair, scores: PairScores
) -> list[tuple[str, str, float | None, float | None, float | None]]:
    """Each word of either version, and what it adds: to one, to the other, and the difference."""
    rows = side_by_side(*pair.versions)
    return [
        (_text(pair.stereotyped, row[0]), _text(pair.against, row[1]), *value)
        for row, value in zip(rows, _values(scores, rows), strict=True)
    ]


def _kin(pair: SentencePair) -> tuple[str, ...]:
    return (pair.attribute, pair.attribute_list) if pair.attribute else ("", "", pair.bias_type)


def _text(text: str, span: Span | None) -> str:
    return "" if span is None else text[span[0] : span[1]]


def _roles(pair: SentencePair, rows: Sequence[Row]) -> list[str]:
    attribute = [f.span for f in find(pair.stereotyped, [pair.attribute])] if pair.attribute else []
    roles = []
    for first, second in rows:
        words = _text(pair.stereotyped, first), _text(pair.against, second)
        if _meets(first, pair.terms[:1]) or _meets(second, pair.terms[1:]):
            roles.append("term")
        elif _meets(first, pair.references[0]) or _meets(second, pair.references[1]):
            roles.append("agrees")
        elif words[0] == words[1]:
            roles.append("attribute" if _meets(first, attribute) else "same")
        else:
            roles.append("agrees" if all(words) and is_agreement(*words) else "changed")
    return roles


def _meets(span: Span | None, others: Sequence[Span | None]) -> bool:
    return span is not None and any(o and span[0] < o[1] and o[0] < span[1] for o in others)


def _values(scores: PairScores | None, rows: Sequence[Row]) -> list[Value]:
    if scores is None or scores.log_odds is None:
        return [(None, None, None)] * len(rows)
    first = _by_word(scores.stereotyped, [row[0] for row in rows])
    second = _by_word(scores.against, [row[1] for row in rows])
    return [(finite(a, 5), finite(b, 5), _minus(a, b)) for a, b in zip(first, second, strict=True)]


def _by_word(score: SentenceScore, words: Sequence[Span | None]) -> list[float | None]:
    """What the tokens of each word add up to; what stands between two words goes to the first.

    A token that a tokenizer has made of more than one word counts for the first of them.
    """
    sums: list[float | None] = [None] * len(words)
    places = [(span, i) for i, span in enumerate(words) if span is not None]
    if not places:
        return sums
    for (start, end), value in zip(score.spans.tolist(), score.contributions.tolist(), strict=True):
        inside = next((i for (a, b), i in places if start < b and a < end), None)
        if inside is None:
            inside = next((i for (a, _), i in reversed(places) if a <= start), places[0][1])
        sums[inside] = (sums[inside] or 0.0) + value
    return sums


def _minus(first: float | None, second: float | None) -> float | None:
    return None if first is None and second is None else finite((first or 0.0) - (second or 0.0), 5)


def _model(model: ModelShown, scores: PairScores | None) -> ModelDetail:
    odds = None if scores is None else scores.log_odds
    return {
        "name": model.name,
        "log_score": None if scores is None else finite(scores.stereotyped.log_score, 5),
        "log_score_against": None if scores is None else finite(scores.against.log_score, 5),
        "log_odds": finite(odds, 5),
        "outcome": letter(scores),  # type: ignore[typeddict-item]  # one of the five
        "ratio": "" if odds is None else ratio(odds, model.unit, model.scorer, letter(scores)),
        "failure": "" if scores is None else scores.failure,
    }


def ratio(log_odds: float, unit: str, scorer: str, outcome: str) -> str:
    """How many times as probable the winning version is, in words; empty where it is no ratio."""
    if unit != "nats":
        return ""
    if outcome == "t":
        return "equally probable"
    times = math.exp(min(abs(log_odds), 50.0))
    number = (
        f"more than {_BEYOND_WORDS:,}" if times > _BEYOND_WORDS
        else f"{times:,.0f}" if times >= 100
        else f"{times:.3g}" if times >= 10
        else f"{times:.1f}" if times >= 1.05
        else f"{times:.3f}"
    )  # fmt: skip
    of = "" if log_odds > 0 else ": the version against the stereotype"
    per = ", per token" if scorer in PER_TOKEN else ""
    return f"{number} times as probable{per}{of}"
