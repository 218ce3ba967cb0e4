"""``bl.trace``: which passages of its corpus pull a word toward which cue."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from biaslab.arguments import instance, renamed
from biaslab.errors import CorpusError, QueryError
from biaslab.jobs.context import JobContext, current_context
from biaslab.jobs.showing import shows_progress
from biaslab.probes.psychometrics.probe import two_afc
from biaslab.probes.psychometrics.result import TwoAFCResult
from biaslab.probes.trace.counted import CountedCorpus, counts_folder, open_counted
from biaslab.probes.trace.result import LeftOut, Passage, TogetherOut, TraceResult
from biaslab.probes.trace.traced_word import TracedWord
from biaslab.records.calls import recorded
from biaslab.records.provenance import measured
from biaslab.records.result import Dropped, Interval
from biaslab.specs import Spec
from biaslab.stats.quantiles import t_quantile
from biaslab.stats.significance import check_level
from biaslab.stats.threads import one_blas_thread
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.opening.load import bundled_names
from biaslab.subjects.opening.needs import WORD_VECTORS, Named, opened

Floats = NDArray[np.float64]
Pair = tuple[str, str]
KINDS: tuple[Literal["passages"], Literal["blocks"]] = ("passages", "blocks")
SIDES: tuple[Literal[1], Literal[2]] = (1, 2)
LEAST_MB = 10
FEWEST_REPLICATES = 32
"""Resampled corpora behind an interval; more if the subject has more."""


@renamed(check="leave_out", memory=("memory_mb", lambda count: count / 1e6))
@recorded
@shows_progress
def trace(
    subject: EmbeddingSubject | Named,
    word: str,
    cues: Sequence[Pair] | Pair | Spec | str = "gender-pairs",
    counts: str | os.PathLike[str] | None = None,
    *,
    passages: int = 10,
    leave_out: int = 0,
    level: float = 0.95,
    memory_mb: float = 2000,
    progress: bool | None = None,  # noqa: ARG001  # of shows_progress
) -> TraceResult:
    r"""Find the passages of a corpus that make the bias of a word.

    For each passage (line of the corpus) with the word or a rare cue, the PSE without it is
    predicted from the counts that are left. Passages with only a frequent cue (more than 10,000
    times in the corpus) are left to `block_pulls`: one of them hardly moves it.

    Parameters
    ----------
    subject : EmbeddingSubject or name of one
        An ensemble of vectors made from counts, such as ``"wiki-bootstraps"``.
    word : str
        One word of its vocabulary.
    cues : sequence of (str, str), Spec or name of one
        Cue pairs (cue 1, cue 2), of one word each.
    counts : path, optional
        Folder that ``biaslab train counts`` wrote, or ``biaslab train bootstraps --method
        ppmi-svd``; by default where the former writes it.
    passages : int
        How many passages to show each way.
    leave_out : int
        If above 0, really leave so many passages and blocks out, those that pull most each way:
        four decompositions of the corpus.
    level : float
        Of all intervals, in (0, 1).
    memory_mb : float
        Megabytes to count in, about.
    progress : bool, optional
        Whether to show the progress; by default on a terminal and in a notebook cell.

    Returns
    -------
    TraceResult

    Raises
    ------
    CorpusError
        When there are no counts, or they are those of another subject.
    QueryError
        When the word or all cues are unknown, or the word stands in fewer than two passages.

    Notes
    -----
    A word's vector is its row of associations, :math:`\max(0, \log \frac{n_{wc} N}{n_w n_c})`,
    times :math:`V S^{p-1}` of the whole corpus. Without a passage, the rows of the word and of both
    cues change, and three rows give another PSE: no decomposition is needed as long as the
    dimensions hardly turn. The interval of a pull is that of one more resampled corpus, in the same
    dimensions: it is centred on the pull, and its width is the spread over the resamples.

    References
    ----------
    Brunet, Alkalay-Houlihan, Anderson and Zemel (2019), "Understanding the origins of bias in word
    embeddings", ICML.
    """
    context = current_context()
    embedding = opened(subject, WORD_VECTORS, "bl.trace")
    instance(word, str, "word", "Pass one word, such as 'nurse'.")
    check_level(level)
    if passages < 1 or leave_out < 0:
        raise ValueError(
            f"passages is {passages} and leave_out {leave_out}; use at least 1, and 0 or more."
        )
    if memory_mb < LEAST_MB:
        raise ValueError(f"memory_mb is {memory_mb:g}; give at least {LEAST_MB} megabytes.")
    memory = 1e6 * memory_mb
    # What a passage changes is a mean of switch points.
    curves = two_afc(embedding, [word], cues, family="normal", level=level)
    folder = Path(counts) if counts is not None else _default_folder(subject)
    corpus = _opened_counts(folder, embedding, memory)
    pairs, dropped = _single_words(curves, corpus)
    with (
        measured(
            probe="trace",
            subject=embedding,
            parameters={
                "word": word,
                "pairs": pairs,
                "corpus": corpus.sha256,
                "passages": passages,
                "leave_out": leave_out,
                "level": level,
            },
        ) as run,
        one_blas_thread(),
    ):
        replicates = max(FEWEST_REPLICATES, embedding.n_replicates)
        traced = TracedWord(corpus, curves.items[0], pairs, replicates, memory, context)
        chosen = [traced.strongest(toward, passages) for toward in SIDES]
        shown, together = _with_intervals(traced, chosen, level, context)
        checks = tuple(_checks(traced, leave_out, context)) if leave_out else ()
    low, high = curves.pooled.corpus[0].tolist()
    known = math.isfinite(low) and math.isfinite(high)
    return TraceResult(
        provenance=run.provenance,
        dropped=(*curves.dropped, *dropped),
        word=curves.items[0],
        pairs=pairs,
        pse=float(curves.pooled.pse[0]),
        pse_interval=Interval(low, high, level, curves.corpus_kind) if known else None,
        whole=traced.whole,
        toward_1=shown[0],
        toward_2=shown[1],
        together_1=together[0],
        together_2=together[1],
        checks=checks,
        lines=traced.passages.lines + 1,
        blocks=traced.block_of + 1,
        occurrences=traced.occurrences,
        pulls=traced.pulls.astype(np.float32),
        block_pulls=traced.block_pulls.astype(np.float32),
        replicates=replicates,
    )


def _default_folder(subject: EmbeddingSubject | Named) -> Path:
    if isinstance(subject, EmbeddingSubject):
        return counts_folder(subject.name)
    name = os.fspath(subject)
    return counts_folder(name if name in bundled_names() else Path(name))


def _opened_counts(folder: Path, embedding: EmbeddingSubject, memory: float) -> CountedCorpus:
    corpus = open_counted(folder, memory)
    if tuple(embedding.words) != corpus.vocabulary:
        raise CorpusError(
            f"The counts are those of another subject: their {len(corpus.vocabulary):,} words are"
            f" not those of {embedding.name}. Count the corpus of this subject."
        )
    return corpus


def _single_words(
    curves: TwoAFCResult, corpus: CountedCorpus
) -> tuple[tuple[Pair, ...], tuple[Dropped, ...]]:
    """Cue pairs of single words in the counts' own spelling; the word too has to be one."""
    (word,) = curves.items
    if word not in corpus.rank:
        raise QueryError(
            f"“{word}” is not one word of the counted corpus. Pass a single word in lower case."
        )
    pairs = tuple(pair for pair in curves.pairs if all(cue in corpus.rank for cue in pair))
    if not pairs:
        raise QueryError("No cue pair consists of two single words of the counted corpus.")
    reason = "a cue of several words, or in another spelling, cannot be traced"
    return pairs, tuple(
        Dropped(f"{one} / {two}", "cue pair", reason)
        for one, two in curves.pairs
        if (one, two) not in pairs
    )


def _with_intervals(
    traced: TracedWord, chosen: list[NDArray[np.int64]], level: float, context: JobContext
) -> tuple[list[tuple[Passage, ...]], list[TogetherOut]]:
    """The chosen passages of both sides, one by one and together."""
    context.checkpoint()
    every = np.concatenate(chosen)
    resampled = traced.resampled_pulls([*every.reshape(-1, 1), *chosen]).mean(axis=2).T
    passages = []
    for i, values, text in zip(every, resampled, traced.excerpts(every), strict=False):
        pull = float(traced.pulls[i].mean())
        passages.append(
            Passage(
                line=int(traced.passages.lines[i]) + 1,
                block=int(traced.block_of[i]) + 1,
                occurrences=int(traced.occurrences[i]),
                pull=pull,
                over_corpora=_around(pull, values, level),
                text=text,
            )
        )
    together = []
    for which, values in zip(chosen, resampled[len(every) :], strict=True):
        pull = float(traced.together(which).mean())
        together.append(TogetherOut(len(which), pull, _around(pull, values, level)))
    first = len(chosen[0])
    return [tuple(passages[:first]), tuple(passages[first:])], together


def _around(pull: float, resampled: Floats, level: float) -> Interval:
    """Interval of a pull in one more resampled corpus (Student's t).

    Only the spread is taken from the resamples: they hold less different text, so that a passage
    pulls a little more in them.
    """
    n = len(resampled)
    quantile = float(t_quantile(n - 1, (1 + level) / 2))
    reach = quantile * float(resampled.std(ddof=1)) * math.sqrt(1 + 1 / n)
    return Interval(pull - reach, pull + reach, level, "resampled corpora")


def _checks(traced: TracedWord, leave_out: int, context: JobContext) -> Iterator[LeftOut]:
    """Really leave the strongest passages, and the strongest blocks, of either side out."""
    done = 0
    for what in KINDS:
        for toward in SIDES:
            context.checkpoint()
            context.report(done, len(KINDS) * len(SIDES), f"leaving {what} out")
            done += 1
            which = traced.strongest(toward, leave_out, what)
            if len(which):
                predicted, actual = traced.together(which, what), traced.measured(which, what)
                yield LeftOut(what, toward, len(which), predicted, actual)
