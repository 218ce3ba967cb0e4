"""Tables of docs/findings.md on answers that others recorded and published.

They need files that do not ship: ``BIASLAB_ANSWERS`` names their folder, by default
``../shared/data/answers`` beside the repository.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import biaslab as bl
from biaslab.answers import RecordedAnswers
from biaslab.probes.opinion import ChoicesResult, Split, WordPairsResult, WordTest
from biaslab.probes.opinion.word_pairs import read_word_tests
from biaslab.records.wording import number, p_text, percent
from biaslab.reports.opinion.choices import ends_of
from markdown_tables import table
from real import ROOT

ANSWERS = Path(
    os.environ.get("BIASLAB_ANSWERS", ROOT.parent / "shared" / "data" / "answers")
).expanduser()
IMAGES = ROOT / "docs" / "images"
FILES = ("resume-rankings.jsonl.gz", "iat-chained-gpt4.csv.gz", "iat-gpt4o.csv.gz")
WORDS = "iat-stimuli.csv"
LABELS = {
    f"{race[0]}_{letter}": f"{race} {sex}"
    for race in ("White", "Black", "Hispanic", "Asian")
    for letter, sex in (("W", "women"), ("M", "men"))
}
CONTROLS = 100
"""Times that names, or words, are dealt out anew."""
RUNS = 999
"""Of the ranker that ignores groups, for each of them."""


def is_here() -> bool:
    """Whether the published files are there."""
    return all((ANSWERS / name).is_file() for name in (*FILES, WORDS))


@cache
def ranked() -> RecordedAnswers:
    """The rankings of a newspaper."""
    return bl.replay(ANSWERS / FILES[0])


@cache
def opinion() -> ChoicesResult:
    """The second opinion on them."""
    result = bl.opinion(ranked(), labels=LABELS)
    assert isinstance(result, ChoicesResult)
    result.to_svg(IMAGES / "findings-rankings.svg", title=False)
    return result


def rankings() -> str:
    """Who comes first, beside the same names in groups that were mixed or halved."""
    mixed, halved = dealt_anew(mixed_names), dealt_anew(halved_names)
    rows = []
    for at, cell in enumerate(opinion().cells):
        split = cell.groups
        high, low = ends_of(split)
        rows.append(
            [
                f"{cell.model}, {cell.case}",
                *(f"{one.name} {in_percent(one)}" for one in (high, low)),
                p_text(split.p_adjusted),
                f"{split.ratio:.2f} ({split.fair_ratio.low:.2f} to {split.fair_ratio.high:.2f})",
                f"{percent(cell.first_place)} %",
                str(sum(unevenness(one[at]) >= unevenness(split) for one in mixed)),
                ", ".join(str(sum(one[at].p < 0.05 for one in some)) for some in (mixed, halved)),
            ]
        )
    heads = [
        "model, job", "most often first", "least often", "p", "least ÷ most (fair ranker)",
        "first if listed first", f"mixed groups as uneven, of {CONTROLS}",
        f"p < 0.05, of {CONTROLS}: mixed, halved",
    ]  # fmt: skip
    return table(heads, rows)


def unevenness(split: Split) -> float:
    """How far shares lie from even, as chi-square per choice."""
    return sum((one.share - one.even) ** 2 / one.even for one in split.shares)


def in_percent(one: Any) -> str:
    """A share with its interval."""
    ends = f"{percent(one.interval.low, 1)} to {percent(one.interval.high, 1)}"
    return f"{percent(one.share, 1)} % ({ends})"


def verdict() -> str:
    """The finding on the rankings, and which sentences may be printed."""
    result = opinion()
    lines = [f"{result.headline}", ""]
    for one in result.sentences():
        text = one.text if one.may_print else f"“{one.text}”"
        lines.append(f"- {'May' if one.may_print else 'May not'} be printed: {text} {one.why}")
    return "\n".join(lines)


def dealt_anew(deal: Callable[..., dict[str, str]]) -> list[list[Split]]:
    """What comes out, by model and job, each time that names are dealt to groups anew."""
    answers = ranked()
    orders, group = answers.values[answers.roles["order"]], answers.roles["group"]
    listed = answers.values[group]
    own = {name: of for names, groups in zip(orders, listed, strict=True)
           for name, of in zip(names, groups, strict=True)}  # fmt: skip
    rng = np.random.default_rng(0)
    results = []
    for _ in range(CONTROLS):
        dealt = deal(own, rng)
        column = tuple(tuple(dealt[name] for name in names) for names in orders)
        control = replace(answers, values={**answers.values, group: column})
        result = bl.opinion(control, permutations=RUNS, rng=rng)
        assert isinstance(result, ChoicesResult)
        results.append([cell.groups for cell in result.cells])
    return results


def mixed_names(own: dict[str, str], rng: np.random.Generator) -> dict[str, str]:
    """Each name gets the group of another one."""
    return dict(zip(own, rng.permutation(list(own.values())).tolist(), strict=True))


def halved_names(own: dict[str, str], rng: np.random.Generator) -> dict[str, str]:
    """The names of each group are split in two halves: no group is on one side only."""
    dealt: dict[str, str] = {}
    for group in dict.fromkeys(own.values()):
        names = rng.permutation([name for name, of in own.items() if of == group]).tolist()
        half = len(names) // 2
        dealt |= dict.fromkeys(names[:half], "half 1") | dict.fromkeys(names[half:], "half 2")
    return dealt


def word_pairs() -> str:
    """Association scores of two models, and of one with each list split in two."""
    tests = read_word_tests(ANSWERS / WORDS)
    chained = bl.replay(ANSWERS / FILES[1], answer="iat", case="dataset", leave_out=False)
    # The header of this file lacks the model, so names stand above the column before their own.
    four_o = bl.replay(ANSWERS / FILES[2], model="domain", case="variation", cluster="file")
    four, omni = scored(chained, tests), scored(four_o, tests)
    split = [scored(chained, dealt) for dealt in halves(tests, np.random.default_rng(0))]
    rows = []
    for name, cell in four.items():
        other = next(one for key, one in omni.items() if name.startswith(key))
        means = [result[name].mean for result in split]
        control = f"{number(min(means), 2)} to {number(max(means), 2)}"
        rows.append([name, with_ends(cell), with_ends(other), control])
    heads = ["test", "GPT-4", "GPT-4o", f"GPT-4, each list split in two, {CONTROLS} times"]
    return table(heads, rows)


def scored(answers: RecordedAnswers, tests: dict[str, WordTest]) -> dict[str, Any]:
    """The scores by test."""
    result = bl.opinion(answers, word_tests=tests)
    assert isinstance(result, WordPairsResult)
    return {cell.case: cell for cell in result.cells}


def halves(tests: dict[str, WordTest], rng: np.random.Generator) -> Iterator[dict[str, WordTest]]:
    """Deal half of each list's words to either side: no side has a stereotype."""
    for _ in range(CONTROLS):
        dealt = {}
        for name, test in tests.items():
            sides: tuple[list[str], list[str]] = [], []
            for words in (test.first_words, test.second_words):
                for at, word in enumerate(rng.permutation(words).tolist()):
                    sides[at % 2].append(word)
            dealt[name] = replace(test, first_words=tuple(sides[0]), second_words=tuple(sides[1]))
        yield dealt


def with_ends(cell: Any) -> str:
    """A mean score with its interval; a star where Holm's test finds an association."""
    ends = f"{number(cell.interval.low, 2)} to {number(cell.interval.high, 2)}"
    return f"{number(cell.mean, 2)} ({ends}){' *' * cell.differs}"


TABLES: dict[str, Callable[[], str]] = {
    "rankings": rankings,
    "rankings-verdict": verdict,
    "word-pairs": word_pairs,
}
