"""Tables of docs/guide/replication.md on the rating of services that can only be called.

The paper is Srivastava and Rossi (2018). All but one are made of simulated services, whose rating
is known, and of what the paper prints. That of Apertium's round trips needs Apertium on this
machine.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import biaslab as bl
from biaslab.asking.languages import language_name
from biaslab.probes.rating import (
    Comparison,
    PaperRule,
    Rating,
    RatingResult,
    Rules,
    aggregate,
    compose,
)
from biaslab.probes.rating.ratings import ORDER
from biaslab.services import Composite, FunctionService, apertium, apertium_is_installed
from markdown_tables import table

#: Table 1 as printed: middle language to the ratings of Google's and of Yandex's translator.
TABLE_1 = {
    "tr": ("BS", "DSBS"), "ru": ("DSBS", "DSBS"), "it": ("BS", "DSBS"), "es": ("DSBS", "DSBS"),
    "hi": ("UCS", "BS"), "pt": ("DSBS", "DSBS"), "fr": ("DSBS", "DSBS"), "ar": ("DSBS", "DSBS"),
}  # fmt: skip
#: Its last two rows: overall, and without Turkish and Hindi.
TABLE_1_OVERALL = {"all eight": ("BS", "BS"), "without Turkish and Hindi": ("BS", "DSBS")}
TRANSLATORS = ("Google (G)", "Yandex (Y)")

#: Table 2 as printed: (first, second) to the composite.
TABLE_2 = {
    ("BS", "BS"): "BS/ UCS/ DSBS", ("BS", "UCS"): "UCS", ("BS", "DSBS"): "BS",
    ("UCS", "BS"): "BS", ("UCS", "UCS"): "UCS", ("UCS", "DSBS"): "DSBS",
    ("DSBS", "BS"): "BS", ("DSBS", "UCS"): "UCS", ("DSBS", "DSBS"): "DSBS",
}  # fmt: skip

PER_TEXT = Rules(paper=PaperRule(unit="text"))
OBSERVERS = ("faithful", "noisy", "compensating", "always-he", "always-she", "erasing")
BEHAVIOUR = {"UCS": "compensating", "DSBS": "faithful", "BS": "always-he"}
LARGE = 320
"""Texts of a block where answers are drawn at random: the rating is then that of the rates."""
MIDDLES = ("es", "ca", "gl", "it", "pt", "fr", "eo")
HEADS = ("sentence", "through", "50/50", "10/90", "90/10", "unresolved", "paper", "corrected")
TEMPLATES = {"is a": "She is a baker.", "works as": "She works as a baker and likes her job."}

Sections = dict[str, Callable[[], str]]


def bundled() -> Sections:
    """Sections that need nothing but the package."""
    return {
        "overall ratings": overall_ratings,
        "steps of a rating": steps,
        "ratings of simulated services": observers,
        "two services in a row": compositions,
    }


def present() -> bool:
    """Whether Apertium is on this machine."""
    return apertium_is_installed()


def measured() -> Sections:
    """The section that asks Apertium."""
    return {"round trips of Apertium": lambda: table(HEADS, round_trips(apertium(), MIDDLES))}


def overall_ratings() -> str:
    """Table 1's last rows, as printed and by both ways to aggregate its first eight."""
    rows = []
    for place, name in enumerate(TRANSLATORS):
        for which, printed in TABLE_1_OVERALL.items():
            left = [
                Rating(ratings[place])
                for language, ratings in TABLE_1.items()
                if which == "all eight" or language not in ("tr", "hi")
            ]
            counts = ", ".join(f"{left.count(r)} {r}" for r in ORDER if r in left)
            ours = [str(aggregate(left, by)) for by in ("worst", "vote")]
            rows.append([name, which, counts, printed[place], *ours])
    heads = ("translator", "languages", "ratings", "the paper", "worst case", "by vote")
    return table(heads, rows)


def steps() -> str:
    """Every comparison of the paper's rule on a service that follows, and on an always-he one."""
    rows = []
    for behaviour in ("faithful", "always-he"):
        for unit, result in (("mention", _rated(behaviour)), ("text", _per_text(behaviour))):
            found = result.comparisons()
            rows += [_step(behaviour, unit, one, result.rating().paper) for one in found]
    heads = ("service", "counts per", "step", "input", "output", "compared with", "χ²", "p")
    return table((*heads, "similar", "rating"), rows)


def _step(behaviour: str, unit: str, one: Comparison, rating: Rating) -> list[str]:
    return [
        behaviour,
        unit,
        str(one.step),
        one.block,
        _counts(one.output),
        _counts(one.specified),
        f"{one.statistic:.2f}",
        "< 0.001" if one.p < 0.001 else f"{one.p:.3f}",
        "yes" if one.similar else "no",
        str(rating),
    ]


def observers() -> str:
    """The paper's design on services whose rating is known, by both rules."""
    rows = []
    for behaviour in OBSERVERS:
        result = _rated(behaviour)
        rating = result.rating()
        rows.append(
            [
                behaviour,
                str(bl.observers.service(behaviour).rating),
                *(_counts(block) for block in result.output_counts()),
                str(rating.paper),
                str(_per_text(behaviour).rating().paper),
                str(rating.corrected),
                _chance(rating.probabilities.get(str(rating.corrected))),
            ]
        )
    heads = ("service", "truth", "50/50", "10/90", "90/10", "paper, per mention")
    return table((*heads, "paper, per text", "corrected", "P"), rows)


def compositions() -> str:
    """Table 2, cell by cell: printed, from the definitions, and measured."""
    rows = []
    for first in ORDER:
        for second in ORDER:
            parts = [bl.observers.service(BEHAVIOUR[each]) for each in (first, second)]
            pairs: Sequence[tuple[Any, Any]] = [(parts[0], parts[1])]
            if first == second == Rating.BS:
                pairs = _biased_pairs()
            for one, other in pairs:
                alone = [_of(each).rating().corrected for each in (one, other)]
                if alone != [first, second]:
                    raise RuntimeError(f"{_plain(one)} and {_plain(other)} are rated {alone}.")
                whole = _of(Composite(one, other)).rating().corrected
                rows.append(
                    [
                        f"{first} * {second}",
                        TABLE_2[str(first), str(second)],
                        *(str(compose(first, second, rule)) for rule in ("paper", "definition")),
                        f"{_plain(one)}, then {_plain(other)}",
                        str(whole),
                    ]
                )
    heads = ("services", "Table 2", 'rule="paper"', 'rule="definition"', "run as", "measured")
    return table(heads, rows)


def round_trips(translator: Any, middles: Sequence[str]) -> list[list[str]]:
    """Counts of he/she/other by block, and both ratings, of every sentence and language."""
    rows = []
    for template, example in TEMPLATES.items():
        design = bl.RatingDesign.paper(seed=1, middles=middles, template=template)
        result = bl.rate(translator, design, keep=False)
        for language in result.languages:
            rating = result.rating(language)
            rows.append(
                [
                    example,
                    language_name(language),
                    *(_counts(block) for block in result.output_counts(language)),
                    str(rating.unresolved),
                    str(rating.paper),
                    str(rating.corrected),
                ]
            )
    return rows


def _biased_pairs() -> list[tuple[Any, Any]]:
    """Pairs of biased services that add up, cancel each other for one input, and for any."""
    return [
        (bl.observers.service("always-he"), bl.observers.service("always-she")),
        (_says_he(1.0, 0.5), _says_he(0.65, 0.0)),
        (bl.observers.service("always-he"), _says_he(0.5, 1.0)),
    ]


def _says_he(of_he: float, of_she: float) -> FunctionService:
    """A service that says *he* at one rate for *he* and at another for *she*."""
    rate = {"He": of_he, "She": of_she}

    def answer(text: str) -> str:
        def said(found: re.Match[str]) -> str:
            key = f"{of_he} {of_she} {found.start()} {text}".encode()
            drawn = int.from_bytes(hashlib.blake2b(key, digest_size=4).digest(), "big") / 2**32
            return "He" if drawn < rate[found.group()] else "She"

        return re.sub(r"\b(?:He|She)\b", said, text)

    return FunctionService(answer, name=f"he {100 * of_he:.0f} % and {100 * of_she:.0f} %")


def _plain(service: Any) -> str:
    return str(getattr(service, "behaviour", service.name))


def _of(service: Any) -> RatingResult:
    design = bl.RatingDesign.paper(seed=1, middles=(), texts=LARGE)
    return bl.rate(service, design, keep=False)


@cache
def _rated(behaviour: str) -> RatingResult:
    design = bl.RatingDesign.paper(seed=1, middles=())
    return bl.rate(bl.observers.service(behaviour), design, keep=False)


def _per_text(behaviour: str) -> RatingResult:
    return _rated(behaviour).re_rate(rules=PER_TEXT)


def _counts(values: Sequence[float]) -> str:
    return "/".join(f"{value:.0f}" for value in values)


def _chance(p: float | None) -> str:
    return "" if p is None else f"{p:.2f}"
