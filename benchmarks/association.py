"""WEAT: exact and drawn permutation tests, and all sets of the catalogue on 400,000 words.

The exact test takes all 12,870 splits of 8 + 8 associations, the drawn one 10,000 random splits of
25 + 25. The ten WEAT sets of the catalogue are asked of one embedding of 400,000 words in 300
dimensions, float32 and in memory, each with its effect size, permutation test and intervals over
2,000 resamples of the words; "the first time" includes the content hash that the provenance notes,
which is computed once per subject. Times are medians of rounds taken in turns.

The reference for one set is WEFE's algorithm: a cosine of every word and list for every split. It
is WEFE itself where `BIASLAB_WEFE` names a Python that can import it (`pip install wefe` into an
environment of its own), and else a plain numpy transcription; the line says which. Both are given
200 splits there.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import biaslab as bl
from benchmarks.findings import Figure, Findings, judged, under
from benchmarks.timing import in_turns, milliseconds
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
    start = time.perf_counter()
    ask(subject)
    first = time.perf_counter() - start
    again = in_turns({"all": lambda: ask(subject)}, 3)["all"]
    lists = bl.association.AssociationLists.of(ONE)
    vectors = [
        [subject.vectors(list(words))[0] for words in held.values()]
        for held in (lists.groups, lists.attributes)
    ]
    one = in_turns({"one": lambda: bl.weat(subject, ONE, permutations=FEW_SPLITS)}, 3)["one"]
    name, reference = reference_of(lists, vectors)
    return Findings(
        (
            Figure(
                "exact p, 8 + 8 words (12,870 splits)",
                milliseconds(test["exact"]),
                *judged(under(10, "ms"), 1000 * test["exact"]),
                f"splits one by one {milliseconds(test['one by one'])}",
                f"{test['one by one'] / test['exact']:.0f}x faster",
            ),
            Figure(
                "10,000 random splits, 25 + 25 words",
                milliseconds(test["drawn"]),
                *judged(under(8, "ms"), 1000 * test["drawn"]),
                f"a shuffle per split {milliseconds(test['shuffled'])}",
                f"{test['shuffled'] / test['drawn']:.0f}x faster",
            ),
            Figure(
                "the catalogue's ten WEAT sets, 400,000 words, the first time",
                f"{first:.2f} s",
                *judged(under(1, "s"), first),
            ),
            Figure("the same again", f"{again:.2f} s", *judged(under(1, "s"), again)),
            Figure(
                f"WEAT 1, {FEW_SPLITS} splits",
                milliseconds(one),
                reference=f"{name} {milliseconds(reference)}",
                ratio=f"{reference / one:.0f}x faster",
            ),
        ),
        (
            f"The reference of the last line is {name}, which gives no intervals.",
            WITH_REPLACEMENT,
        ),
    )


def embedding(count: int) -> bl.WordEmbedding:
    """So many words, those of the WEAT sets among them."""
    asked = dict.fromkeys(
        word
        for name in SETS
        for held in (bl.specs.get(name).groups, bl.specs.get(name).attributes)
        for words in held.values()
        for word in words
    )
    names = [*asked, *(f"word{i}" for i in range(count - len(asked)))]
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


def reference_of(
    lists: bl.association.AssociationLists, vectors: list[list[Any]]
) -> tuple[str, float]:
    """Name and seconds of the reference."""
    if python := os.environ.get("BIASLAB_WEFE"):
        return wefe_itself(python, lists, vectors)
    (x, y), (a, b) = vectors
    took = in_turns({"it": lambda: transcription(x, y, a, b)}, 1)["it"]
    return "a numpy transcription of WEFE's algorithm", took


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


_WEFE = """
import json, sys, time
import numpy as np
from gensim.models import KeyedVectors
from wefe.metrics import WEAT
from wefe.query import Query
from wefe.word_embedding_model import WordEmbeddingModel
lists = json.load(open(sys.argv[1]))
held = np.load(sys.argv[2])
vectors = KeyedVectors(held["vectors"].shape[1])
vectors.add_vectors(lists["words"], held["vectors"])
query = Query(*[[list(w) for w in lists[k]] for k in ("targets", "attributes")])
took = []
for _ in range(2):
    start = time.perf_counter()
    found = WEAT().run_query(query, WordEmbeddingModel(vectors, "same"), calculate_p_value=True,
                             p_value_iterations=lists["splits"])
    took.append(time.perf_counter() - start)
import wefe
print(json.dumps([wefe.__version__, took[-1], float(found["effect_size"])]))
"""


def wefe_itself(
    python: str, lists: bl.association.AssociationLists, vectors: list[list[Any]]
) -> tuple[str, float]:
    """WEFE, in the environment that holds it, on the same vectors."""
    targets, attributes = (list(held.values()) for held in (lists.groups, lists.attributes))
    flat = [word for words in (*targets, *attributes) for word in words]
    place = {word: i for i, word in enumerate(flat)}
    every = np.concatenate([v for held in vectors for v in held])[list(place.values())]
    with tempfile.TemporaryDirectory() as folder:
        asked, stored = Path(folder) / "lists.json", Path(folder) / "vectors.npz"
        data = {"words": list(place), "targets": targets, "attributes": attributes}
        asked.write_text(json.dumps({**data, "splits": FEW_SPLITS}))
        np.savez(stored, vectors=every)
        command = [python, "-c", _WEFE, str(asked), str(stored)]
        ran = subprocess.run(command, check=True, capture_output=True, text=True)
    version, took, _ = json.loads(ran.stdout.splitlines()[-1])
    return f"WEFE {version}", float(took)
