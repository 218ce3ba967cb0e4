"""WEAT: exact and drawn permutation tests, and all sets of the catalogue on 400,000 words.

The exact test takes all 12,870 splits of 8 + 8 associations, the drawn one 10,000 random splits of
25 + 25. The ten WEAT sets of the catalogue are asked of one embedding of 400,000 words in 300
dimensions, float32 and in memory, each with its effect size, permutation test and intervals over
2,000 resamples of the words; "the first time" includes the content hash that the provenance notes,
which is computed once per subject. Times are medians of rounds taken in turns.

The reference for one set is WEFE's algorithm in plain numpy: a cosine of every word and list for
every split. Both are given 200 splits there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import biaslab as bl
from benchmarks.findings import Figure, Findings, faster, judged, under
from benchmarks.timing import in_turns, median_seconds, seconds_of
from biaslab.stats.permutation import permutation_test

WORDS, DIM = 400_000, 300
SETS = [f"weat-{i}" for i in range(1, 11)]
ROUNDS = 11
FEW_SPLITS, SPLITS = 200, 10_000
ONE = "weat-1"
WITH_REPLACEMENT = (
    "WEFE 1.0.1 draws the words of a split with replacement, so that its p is not that of a "
    "permutation test."
)


def measure() -> Findings:
    """Time the tests, then the sets, then the reference."""
    rng = np.random.default_rng(0)
    eight, fifty = rng.normal(size=16), rng.normal(size=50)
    test = in_turns(
        {
            "exact": lambda: permutation_test(eight, 8),
            "one by one": lambda: splits_one_by_one(eight, 8),
            "drawn": lambda: permutation_test(fifty, 25),
            "shuffled": lambda: shuffled_splits(fifty, 25),
        },
        ROUNDS,
    )
    bl.weat(embedding(1000), ONE)  # what is imported at the first call
    subject = embedding(WORDS)
    first = seconds_of(ask, subject)
    again = in_turns({"all": lambda: ask(subject)}, 3)["all"]
    lists = bl.association.AssociationLists.of(ONE)
    vectors = [
        [subject.vectors(list(words))[0] for words in held.values()]
        for held in (lists.groups, lists.attributes)
    ]
    one = in_turns({"one": lambda: bl.weat(subject, ONE, permutations=FEW_SPLITS)}, 3)["one"]
    (x, y), (a, b) = vectors
    reference = median_seconds(lambda: transcription(x, y, a, b), 1, before=1)
    return Findings(
        (
            faster("exact p, 8 + 8 words (12,870 splits)", test["exact"],
                   "splits one by one", test["one by one"], under(10, "ms")),
            faster("10,000 random splits, 25 + 25 words", test["drawn"],
                   "a shuffle per split", test["shuffled"], under(8, "ms")),
            Figure(
                "the catalogue's ten WEAT sets, 400,000 words, the first time",
                f"{first:.2f} s",
                *judged(under(1, "s"), first),
            ),
            Figure("the same again", f"{again:.2f} s", *judged(under(1, "s"), again)),
            faster(f"WEAT 1, {FEW_SPLITS} splits", one,
                   "a numpy transcription of WEFE's algorithm", reference),
        ),
        ("The reference of the last line gives no intervals.", WITH_REPLACEMENT),
    )  # fmt: skip


def embedding(count: int) -> bl.WordEmbedding:
    """So many words, those of the WEAT sets among them."""
    words = dict.fromkeys(
        word
        for name in SETS
        for held in (bl.specs.get(name).groups, bl.specs.get(name).attributes)
        for listed in held.values()
        for word in listed
    )
    names = [*words, *(f"word{i}" for i in range(count - len(words)))]
    order = np.random.default_rng(1).permutation(count)
    vectors = np.random.default_rng(2).standard_normal((count, DIM), dtype=np.float32)
    return bl.WordEmbedding([names[i] for i in order], vectors, name=f"{count:,} words")


def ask(subject: bl.WordEmbedding) -> list[float]:
    """All WEAT sets."""
    return [bl.weat(subject, name).effect_size for name in SETS]


def splits_one_by_one(values: NDArray[np.float64], n_1: int) -> int:
    """An exact test as it is written down."""
    from itertools import combinations

    observed, total, reached = values[:n_1].sum(), values.sum(), 0
    for chosen in combinations(values.tolist(), n_1):
        reached += sum(chosen) >= observed - 1e-12 * abs(total)
    return reached


def shuffled_splits(values: NDArray[np.float64], n_1: int) -> int:
    """A drawn test with a shuffle per split."""
    rng = np.random.default_rng(0)
    observed = values[:n_1].sum()
    return sum(rng.permutation(values)[:n_1].sum() >= observed for _ in range(SPLITS))


def transcription(x: Any, y: Any, a: Any, b: Any) -> tuple[float, float]:
    """WEFE's algorithm in plain numpy: effect size (ddof 0), and p of splits asked one by one."""
    rng = np.random.default_rng(0)

    def s(word: Any, a: Any, b: Any) -> float:
        return float(np.mean(cosine(word, a)) - np.mean(cosine(word, b)))

    def cosine(word: Any, others: Any) -> Any:
        return others @ word / (np.linalg.norm(others, axis=1) * np.linalg.norm(word))

    def statistic(x: Any, y: Any) -> float:
        return sum(s(word, a, b) for word in x) - sum(s(word, a, b) for word in y)

    pool, observed, reached = np.concatenate([x, y]), statistic(x, y), 0
    for _ in range(FEW_SPLITS):
        drawn = rng.permutation(pool)
        reached += statistic(drawn[: len(x)], drawn[len(x) :]) > observed
    every = [s(word, a, b) for word in pool]
    size = (np.mean(every[: len(x)]) - np.mean(every[len(x) :])) / np.std(every)
    return float(size), (reached + 1) / (FEW_SPLITS + 1)
