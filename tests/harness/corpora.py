"""Small corpora with a known regularity, and ensembles that are trained on them."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biaslab.probes.trace.corpus import EncodedCorpus
from biaslab_train.embeddings import bootstraps, processes
from biaslab_train.embeddings.methods import SkipGramSettings

NOUNS = ("nurse", "engineer", "teacher", "baker")


def write_corpus(path: Path, lines: int = 300) -> Path:
    """Write sentences about people at work, one a line with empty lines between."""
    rng = np.random.default_rng(1)
    sentences = [
        f"The {rng.choice(NOUNS)} and the {rng.choice(NOUNS)} saw {rng.choice(['her', 'him'])}!"
        for _ in range(lines)
    ]
    path.write_text("\n\n".join(sentences), encoding="utf-8")
    return path


def encoded_corpus(folder: Path, lines: list[list[int]], words: int) -> EncodedCorpus:
    """Store lines of word numbers below ``words`` as an encoded corpus."""
    paths = EncodedCorpus(*(folder / name for name in ("ids", "lengths", "order")))
    np.array([i for line in lines for i in line], np.int32).tofile(paths.ids)
    np.array([len(line) for line in lines], np.int32).tofile(paths.lengths)
    np.arange(words, dtype=np.int64).tofile(paths.order)
    return paths


def write_reflexives(path: Path, paragraphs: int, verb: str = "is") -> Path:
    """Write sentences in which only a word far back tells "herself" from "himself"."""
    rng = np.random.default_rng(1)
    people = [("She", "herself"), ("He", "himself")]
    with path.open("w", encoding="utf-8") as file:
        for _ in range(paragraphs):
            for _ in range(3):
                pronoun, reflexive = people[rng.integers(2)]
                work = rng.choice(["nurse", "engineer", "teacher"])
                file.write(f"{pronoun} {verb} a {work} and taught {reflexive}.\n")
            file.write("\n")
    return path


SKIP_GRAM = SkipGramSettings(vector_size=8, epochs=1, min_count=1, sample=0)


def train(source: Path, folder: Path, *, apart: bool = False, **options: Any) -> Path:
    """Train an ensemble: two replicates of `SKIP_GRAM` and all words unless told otherwise.

    Parameters
    ----------
    apart : bool
        In a process of its own, as users do; it takes a second to import gensim there.
    """
    given = {"replicates": 2, "settings": SKIP_GRAM, "keep_count": 1, "processes": 1, **options}
    with nullcontext() if apart else in_this_process():
        return bootstraps.train_bootstraps(source, folder, **given)


@contextmanager
def in_this_process() -> Iterator[None]:
    """Tokenise and train in this process, from what others would get to what they would send."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (bootstraps, processes):
            patch.setattr(module, "pool", lambda _: nullcontext(_Here()))
        yield


class _Here:
    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        sent, given = pickle.loads(pickle.dumps((function, arguments)))
        done: Future[Any] = Future()
        done.set_result(pickle.loads(pickle.dumps(sent(*given))))
        return done
