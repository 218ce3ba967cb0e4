"""How much it matters whether a model is shown sentences as plain text or in a chat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from biaslab.errors import QueryError
from biaslab.probes.sentences.probe import stereotype_score
from biaslab.probes.sentences.stereotype_comparison import ShareDifference, compared
from biaslab.probes.sentences.stereotype_result import StereotypeScore
from biaslab.record import Record
from biaslab.subjects.opening.needs import LANGUAGE_MODEL, Named, opened

if TYPE_CHECKING:
    from biaslab.probes.sentences.inputs import Sentences
    from biaslab.specs import Spec
    from biaslab.subjects.language_model.model import LanguageModel

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


def compare_templates(
    lm: LanguageModel | Named,
    spec: str | Spec | None = None,
    sentences: Sentences | None = None,
    *,
    rng: int | np.random.Generator = 0,
    **options: Any,
) -> TemplateComparison:
    """Score sentences as plain text and as answers in a chat, side by side.

    Parameters
    ----------
    lm : LanguageModel
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
    model = opened(lm, LANGUAGE_MODEL, "compare_templates")
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
