"""One language of a rating: both trees, why, every text on its way, and the balance point."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from scipy import special

from biaslab.probes.rating import (
    Attribute,
    DecisionPath,
    Found,
    MiddleGender,
    RatingResult,
    ShownText,
    balance,
)
from biaslab.probes.rating.middle import MiddleMention
from biaslab_widgets.benches.rating.fields import (
    Balance,
    LanguageDetail,
    LanguageFinding,
    MarkedMention,
    MiddleFinding,
    TextRow,
    Tree,
)
from biaslab_widgets.benches.rating.run import Shown, was_asked
from biaslab_widgets.benches.rating.view import rating_name, title_of
from biaslab_widgets.core.state.fields import empty

ALPHAS = 41
T = TypeVar("T")
_GENDER_VALUES = {"masculine": "He", "feminine": "She"}


class Details:
    """Details of the shown run; what a drag does not change is made once."""

    def __init__(self) -> None:
        self._made: dict[object, Any] = {}
        self._of: object = None

    def of(
        self, shown: Shown, language: str, block: int, middle: MiddleGender | str | None
    ) -> LanguageDetail:
        """What was answered through a language.

        - `shown`: it has a result.
        - `language`: one of the result's.
        - `block`: whose texts are shown.
        - `middle`: gender in the middle text; why there is none; or None while it is not known.
        """
        result = shown.result
        if result is None:
            return empty(LanguageDetail)
        if self._of != (shown.run.number, shown.version):
            self._of, self._made = (shown.run.number, shown.version), {}
        block = min(block, len(result.design.distributions) - 1)
        known = middle if isinstance(middle, MiddleGender) else None
        read = known is not None
        return {
            "language": language,
            "title": title_of(language) if language else "",
            "block": block,
            "texts": self._once(
                ("texts", language, block, read), lambda: _texts(result, language, block, known)
            ),
            "middle": self._once(
                ("middle", language, read), lambda: _middle(result, language, known)
            ),
            "middle_note": middle if isinstance(middle, str) else _note(known),
            "balance": self._once(("balance", language), lambda: _balance(result, language))
            if shown.rates(language)
            else None,
            "reasons": self._once(("reasons", language), lambda: _reasons(result, language)),
        }

    def _once(self, key: object, make: Callable[[], T]) -> T:
        if key not in self._made:
            self._made[key] = make()
        made: T = self._made[key]
        return made


def finding_of(shown: Shown, language: str) -> LanguageFinding:
    """How a language is rated, and why; nothing while its texts are not all asked."""
    whole = shown.whole
    if whole is None or not shown.rates(language):
        return empty(LanguageFinding)
    return {
        "trees": [tree_of(whole.path(language, rule)) for rule in ("paper", "corrected")],
        "explanation": [{"text": t, "role": r} for t, r in whole.explanation(language)],
    }


def language_of(result: RatingResult, language: str) -> str:
    """The chosen language, or the first that has answers."""
    return language if language in result.languages else result.languages[0]


def tree_of(path: DecisionPath) -> Tree:
    """A decision tree as the front end gets it."""
    return {
        "rule": "paper" if path.rule == "paper" else "corrected",
        "rating": "open" if path.is_open else rating_name(path.rating),
        "nodes": [
            {
                "key": node.key,
                "title": node.title,
                "question": node.question,
                "note": node.note,
                "on_path": node.on_path,
                "is_rating": node.is_rating,
            }
            for node in path.nodes
        ],
        "edges": [
            {
                "source": edge.source,
                "target": edge.target,
                "answer": edge.answer,
                "on_path": edge.on_path,
            }
            for edge in path.edges
        ],
    }


def _texts(
    result: RatingResult, language: str, block: int, middle: MiddleGender | None
) -> list[TextRow]:
    """The texts of a block; those that were not asked yet are left out while others are there."""
    design = result.design
    each = design.texts * design.repetitions
    route = result.routes[result.languages.index(language)]
    shown = result.shown_texts(language, design.distributions[block].name)
    nouns: dict[tuple[int, int], MiddleMention] = {}
    if middle is not None:
        nouns = {(mention.text, mention.place): mention for mention in middle.mentions}
    rows = []
    for i, text in enumerate(shown):
        number = block * each + i
        if was_asked(route.responses.responses[number]):
            own = [nouns.get((number, place)) for place in range(design.sentences)]
            rows.append(_text(text, design.attribute, own))
    return rows


def _text(text: ShownText, attribute: Attribute, nouns: Sequence[MiddleMention | None]) -> TextRow:
    values = attribute.all_values
    sources = text.source_values
    marks, moved = [], []
    for place, source in enumerate(sources):
        read = text.middle_values[place] if place < len(text.middle_values) else None
        mark = _middle_mark(read, nouns[place] if place < len(nouns) else None, values)
        if mark is not None:
            marks.append(mark)
        says = -1 if mark is None else mark["value"]
        # What is none of the named values has lost the value, and says no other one.
        moved.append(0 <= says < len(values) - 1 and values[says] != source.value)
    return {
        "source": text.source,
        "middle": text.middle,
        "back": text.back,
        "source_marks": [_mark(mention, values) for mention in sources],
        "middle_marks": marks if len(marks) == len(sources) else _padded(marks, len(sources)),
        "back_marks": [_mark(mention, values) for mention in text.back_values],
        "changed": list(text.changed),
        "moved": moved,
        "failure": text.failure,
    }


def _padded(marks: list[MarkedMention], mentions: int) -> list[MarkedMention]:
    empty: MarkedMention = {"value": -1, "spans": [], "reason": ""}
    return [*marks, *([empty] * (mentions - len(marks)))]


def _mark(mention: Found, values: Sequence[str]) -> MarkedMention:
    value = values.index(mention.value) if mention.value in values else -1
    return {"value": value, "spans": list(mention.spans), "reason": mention.reason}


def _middle_mark(
    read: Found | None, noun: MiddleMention | None, values: Sequence[str]
) -> MarkedMention | None:
    """The noun says it where it has a gender, else the pronoun or the verb."""
    if noun is not None and noun.noun in _GENDER_VALUES:
        value = values.index(_GENDER_VALUES[noun.noun])
        return {"value": value, "spans": [noun.span], "reason": ""}
    return None if read is None or not read.spans else _mark(read, values)


def _middle(
    result: RatingResult, language: str, middle: MiddleGender | None
) -> list[MiddleFinding]:
    """What each term became in the middle text: counts by value."""
    if middle is None:
        return []
    values = result.design.attribute.all_values
    texts = result.routes[result.languages.index(language)].responses.middle_texts
    findings: dict[tuple[str, str], MiddleFinding] = {}
    for mention in middle.mentions:
        row = findings.setdefault(
            (mention.term, mention.value),
            {
                "term": mention.term,
                "given": mention.value,
                "counts": [0] * len(values),
                "example": "",
            },
        )
        says = _GENDER_VALUES.get(mention.gender, values[-1])
        row["counts"][values.index(says)] += 1
        if not row["example"]:
            start, end = mention.span
            row["example"] = (texts[mention.text] or "")[start:end]
    return [findings[key] for key in sorted(findings)]


def _note(middle: MiddleGender | None) -> str:
    return "" if middle is None else middle.summary()


def _balance(result: RatingResult, language: str) -> Balance | None:
    """As a function of the share of he, say: the first value of the attribute."""
    balanced = balance(result, language)
    if not balanced.mentions.any():
        return None
    alphas = np.linspace(0, 1, ALPHAS)
    curve: list[float] = []
    if math.isfinite(balanced.pse):
        # A quartile from the middle of a logistic curve is log 3 of its scale away.
        scale = max(balanced.jnd / math.log(3), 1e-6)  # one that turns at once is a step
        curve = special.expit((alphas - balanced.pse) / scale).round(4).tolist()
    with_answers = [
        (float(x), float(k / n), float(n))
        for x, k, n in zip(balanced.shares, balanced.answers, balanced.mentions, strict=True)
        if n > 0
    ]
    one, other = balanced.values
    ends = balanced.pse_interval
    return {
        "values": (other, one),
        "alphas": alphas.round(4).tolist(),
        "curve": curve,
        "points": with_answers,
        "pse": balanced.pse if math.isfinite(balanced.pse) else None,
        "interval": None if ends is None else (ends.low, ends.high),
        "jnd": balanced.jnd if math.isfinite(balanced.jnd) else None,
        "verdict": [{"text": balanced.summary(), "role": "plain"}],
    }


def _reasons(result: RatingResult, language: str) -> list[tuple[str, int]]:
    """Why mentions could not be read, most frequent first."""
    route = result.routes[result.languages.index(language)]
    counts: dict[str, int] = {}
    for response, mentions in zip(route.responses.responses, route.found, strict=True):
        for each in mentions:
            if each.reason and was_asked(response):
                counts[each.reason] = counts.get(each.reason, 0) + 1
    return sorted(counts.items(), key=lambda item: -item[1])
