"""Write the tables and pictures of docs/findings.md: ``make findings``, after ``make real``.

What stands in the page between ``<!-- name -->`` and ``<!-- end -->`` is made here, on models that
people use. Each result has a negative control: the same question about one group split in two.
``make findings`` makes all; names of tables as arguments make those only. Those on answers that
others published stay as they are where these files are absent: see `findings_answers`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np

import biaslab as bl
import findings_answers
from biaslab.probes.sentences.sources import PREFIX, starter_specs
from biaslab.records.result import Interval
from biaslab.records.wording import number, p_text
from markdown_tables import table
from real import MODELS, ROOT
from replication import put

PAGE = ROOT / "docs" / "findings.md"
IMAGES = ROOT / "docs" / "images"
NAMES = {
    "minilm": "all-MiniLM-L6-v2",
    "wordllama": "WordLlama",
    "spacy-en-md": "en_core_web_md",
    "smollm2": "SmolLM2-135M-Instruct",
}
VECTORS = ("minilm", "wordllama", "spacy-en-md")
DRAWN = "minilm"
LISTS = ("weat-1", "weat-3", "weat-6", "weat-7", "weat-8")
WORD = "nurse"


@cache
def opened(model: str) -> Any:
    """Open a model once."""
    return bl.load(MODELS[model].path, name=NAMES[model])


def main() -> int:
    """Write the tables; 1 if a model is absent or a name is not a table's."""
    if absent := [name for name in NAMES if not MODELS[name].path.exists()]:
        print(f"Not here: {', '.join(absent)}. Run `make real` first.", file=sys.stderr)
        return 1
    tables = dict(TABLES)
    if findings_answers.is_here():
        tables |= findings_answers.TABLES
    else:
        print("Without the published answers their tables stay as they are.", file=sys.stderr)
    chosen = sys.argv[1:] or list(tables)
    if unknown := [name for name in chosen if name not in tables]:
        print(f"No table {unknown[0]!r} can be made here; there are: {', '.join(tables)}.",
              file=sys.stderr)  # fmt: skip
        return 1
    for name in chosen:
        print(f"making: {name}", file=sys.stderr, flush=True)
        text = tables[name]()
        PAGE.write_text(put(PAGE.read_text(encoding="utf-8"), name, text), encoding="utf-8")
    return 0


def halves(words: Sequence[str]) -> Iterator[tuple[list[str], list[str]]]:
    """Yield each way to split a list in two halves, once."""
    first, *others = words
    for chosen in combinations(others, len(words) // 2 - 1):
        yield [first, *chosen], [word for word in others if word not in chosen]


@cache
def one_group_split(model: str) -> list[bl.probes.occupations.OccupationsResult]:
    """Ask about all occupations between the halves of the women's words, and of the men's.

    The groups keep their names, so that the outside table is compared in the same way.
    """
    pairs = bl.specs.get("gender-pairs").cue_pairs
    return [
        bl.occupations(opened(model), groups={"female": one, "male": other}, pairing="all")
        for words in zip(*pairs, strict=True)
        for one, other in halves(words)
    ]


def nurse() -> str:
    """The point at which each model switches for one word, beside those between halves."""
    rows = []
    for model in VECTORS:
        result = bl.two_afc(opened(model), [WORD], "gender-pairs")
        splits = [100 * r.contrasts[0].pse[r.words.index(WORD)] for r in one_group_split(model)]
        low, high = 100 * result.pooled.corpus[0]
        at = f"{100 * result.pse[0]:.0f} % ({low:.0f} to {high:.0f})"
        rows.append([NAMES[model], at, f"{min(splits):.0f} to {max(splits):.0f} %"])
        if model == DRAWN:
            result.to_svg(IMAGES / "findings-nurse.svg", title=False)
    return table(["model", "needs so much *male*", "between halves of one group"], rows)


def occupations() -> str:
    """How the points of all occupations go with the share of men, beside halves of one group."""
    rows = []
    for model in VECTORS:
        result = bl.occupations(opened(model))
        agreement = result.agreement("pse")
        sizes = np.abs([split.agreement("pse").pearson for split in one_group_split(model)])
        reached = int((sizes >= abs(agreement.pearson)).sum())
        rows.append(
            [
                NAMES[model],
                str(agreement.n),
                with_ends(agreement.pearson, agreement.pearson_interval, 2),
                f"{np.median(sizes):.2f}, at most {sizes.max():.2f}",
                f"{reached} of {len(sizes)}",
            ]
        )
        if model == DRAWN:
            result.to_svg(IMAGES / "findings-occupations.svg", title=False, panel=1)
    heads = ["model", "words", "r", "size of r between halves", "halves that reach it"]
    return table(heads, rows)


def associations() -> str:
    """Published word lists, and the first group of each against itself."""
    rows = []
    for model in VECTORS:
        probe: Callable[..., Any] = bl.weat if model != "minilm" else bl.association.seat
        for name in LISTS:
            spec = bl.specs.get(name)
            group, other = spec.groups
            result = probe(opened(model), spec)
            words = result.lists.groups[group]
            control = probe(
                opened(model),
                targets={f"{group} 1": words[::2], f"{group} 2": words[1::2]},
                attributes=dict(spec.attributes),
            )
            rows.append(
                [
                    NAMES[model],
                    f"{group} or {other}, {' or '.join(spec.attributes)}",
                    difference(result),
                    p_text(result.test.p),
                    difference(control),
                ]
            )
    return table(["model", "lists", "difference", "p", "first group against itself"], rows)


def difference(result: Any) -> str:
    """A difference of means with its interval over words."""
    return with_ends(result.statistic, result.statistic_intervals[-1], 3)


def with_ends(value: float, ends: Interval, digits: int) -> str:
    """A number with the ends of its interval."""
    return f"{number(value, digits)} ({number(ends.low, digits)} to {number(ends.high, digits)})"


def sentences() -> str:
    """How often a language model prefers the stereotyped version of a sentence, by bias."""
    rows = []
    for name in starter_specs():
        result = bl.stereotype_score(opened("smollm2"), name)
        low, high = 100 * result.interval.low, 100 * result.interval.high
        at = f"{100 * result.share:.0f} % ({low:.0f} to {high:.0f})"
        mixed = result.placebo
        control = "" if mixed is None else f"{100 * mixed.low:.0f} to {100 * mixed.high:.0f} %"
        shown = f"**{at}**" if result.lean else at
        rows.append([name.removeprefix(PREFIX), str(result.overall.decided), shown, control])
    return table(["lists", "pairs", "stereotyped version wins", "the same with mixed groups"], rows)


def decisions() -> str:
    """Whether a chat model lets a name decide, and whether it listens at all."""
    result = bl.decisions(opened("smollm2"), "hire-by-name", method="fixed", keep=False)
    return " ".join(result.verdict())


TABLES: dict[str, Callable[[], str]] = {
    "nurse": nurse,
    "occupations": occupations,
    "associations": associations,
    "sentences": sentences,
    "decisions": decisions,
}


if __name__ == "__main__":
    sys.exit(main())
