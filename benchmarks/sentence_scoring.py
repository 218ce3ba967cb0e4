"""Scoring of sentences: pseudo-log-likelihood and log-likelihood, beside minicons.

200 CrowS-Pairs sentences (both versions of 100 pairs; made-up ones of the same lengths where the
data is not there), whose tokens are read beforehand; models of the size of BERT-base (110 million
parameters) and GPT-2 (124 million) with random weights, in float32. Time does not depend on what
the weights are. One forward per token is what a definition says when it is written down: each
masked copy goes through the model alone, over the whole vocabulary at all places. minicons goes
through the sentences in their order, at the batch size that is fastest for it, found beforehand on
the first 40. The log-likelihood of all is done three times in turns. The pseudo-log-likelihood
takes minutes and is done once, in turns over tenths of the sentences; one forward per token on
every fifth tenth only, and its rate is used. All scores are compared.

What equal beginnings save is measured on the causal model alone: the same pairs, with texts that
share their beginning and each by itself, as plain text and as answers in a chat.

Memory is what the peak of a fresh process rises by while it scores all of them, after the model and
one small batch went before, under the default cap.
"""

from __future__ import annotations

import contextlib
import csv
import importlib
import importlib.util
import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import machine
from benchmarks.findings import Figure, Findings, judged, under
from biaslab.probes.sentences.scorers import MEMORY_MB, SCORERS
from biaslab.subjects.language_model import reading as language_model_reading
from biaslab.subjects.language_model.model import LanguageModel
from biaslab.subjects.language_model.rows import separate_rows
from harness.tiny_parts import fast, network, of_bert

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "sentences" / "crows-pairs.csv"
SENTENCES, PARTS, ROUNDS, TRIED = 200, 10, 3, 40
BATCHES = {"mlm": (1, 2, 4, 8), "clm": (1, 4, 8, 16, 32)}
TIMES_NAIVE, TIMES_MASKED, TIMES_CAUSAL = 2.5, 1.2, 1.2
TIMES_PLAIN, TIMES_CHAT = 1.05, 1.5
SAME = 1e-4
SAME_SHARED = 1e-5
"""Nats per token, of logits around 1: float32 has seven digits."""
CHAT = (
    "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}assistant: {% endif %}"
)
MEGABYTE = 1e6
LABELS = {"mlm": "pseudo-log-likelihood", "clm": "log-likelihood"}
NAMES = {"mlm": "pll", "clm": "log-likelihood"}
"""Of the scorers."""
Scores = list[list[float]]
Scoring = Callable[[Sequence[str]], Scores]


@dataclass(frozen=True)
class Version:
    """Two sentences, as a scorer takes them."""

    stereotyped: str
    against: str
    terms: tuple[None, None] = (None, None)
    unrelated: None = None


@dataclass
class Timed:
    """Seconds and scores so far."""

    seconds: float = 0.0
    sentences: int = 0

    @property
    def rate(self) -> float:
        """Sentences per second."""
        return self.sentences / self.seconds


def measure() -> Findings:
    """Both kinds on the CPU, then on a GPU where there is one; memory in processes of its own."""
    import torch

    texts, stands_in = sentences(SENTENCES)
    figures = [
        *compared("mlm", texts, "cpu"),
        *compared("clm", texts, "cpu"),
        *beginnings(texts, "cpu"),
        *(peak_figure(kind) for kind in ("mlm", "clm")),
    ]
    if torch.cuda.is_available():
        figures += [*compared("mlm", texts, "cuda"), *compared("clm", texts, "cuda")]
    lengths = [len(text) for text in texts]
    threads = torch.get_num_threads()
    note = (
        f"{threads} thread{'s' * (threads != 1)}; sentences of {min(lengths)} to {max(lengths)}"
        f" characters, {np.mean(lengths):.0f} on average."
    )
    notes = [note]
    if stands_in:
        notes.append("The CrowS-Pairs are not there: made-up sentences of like lengths are scored.")
    if importlib.util.find_spec("minicons") is None:
        notes.append("minicons is not installed and was not compared with.")
    return Findings(tuple(figures), tuple(notes))


def compared(kind: str, texts: Sequence[str], device: str) -> list[Figure]:
    """Rates of one kind of model, and the largest difference of a token's score."""
    lm = model(kind, device)
    ours = by_biaslab(lm, NAMES[kind])
    others: dict[str, Scoring] = {}
    if kind == "mlm":
        others["one forward per token"] = by_definition(lm)
    if importlib.util.find_spec("minicons") is not None:
        batch = best_batch(lm, texts[:TRIED], device)
        others[f"minicons, {batch} at a time"] = by_minicons(lm, batch)
    for thing in (ours, *others.values()):
        thing(texts[:2])  # what is made at the first call
    mine, theirs = Timed(), {other: Timed() for other in others}
    difference = 0.0
    for number, part in enumerate(parts(texts) if kind == "mlm" else [texts] * ROUNDS):
        mine_now = timed(mine, ours, part, device)
        for other, scoring in others.items():
            if other == "one forward per token" and device == "cpu" and number % 5:
                continue
            scores = timed(theirs[other], scoring, part, device)
            difference = max(difference, furthest(mine_now, scores))
    goals = {"one forward per token": TIMES_NAIVE}
    least = TIMES_MASKED if kind == "mlm" else TIMES_CAUSAL
    where = "" if device == "cpu" else f", on {machine.gpu()}"
    figures = []
    for other, timing in theirs.items():
        goal = goals.get(other, least)
        ratio = mine.rate / timing.rate
        figures.append(
            Figure(
                f"{LABELS[kind]}: sentences per second{where}",
                f"{mine.rate:.1f} / s",
                f"{goal:g} times",
                ratio >= goal,
                f"{other} {timing.rate:.1f} / s",
                f"{ratio:.2f}x as many",
            )
        )
    return [*figures, _difference(LABELS[kind], where, difference, SAME)]


def _difference(label: str, where: str, difference: float, most: float) -> Figure:
    what = f"{label}: largest difference of a token's score{where}"
    return Figure(what, f"{difference:.1e}", f"at most {most:g}", difference <= most)


def beginnings(texts: Sequence[str], device: str) -> list[Figure]:
    """Rates of the causal model with and without shared beginnings, plain and in a chat."""
    lm = model("clm", device)
    lm.tokenizer.chat_template = CHAT
    figures = []
    for way, goal in (("plain", TIMES_PLAIN), ("chat", TIMES_CHAT)):
        ours = by_biaslab(lm.with_template(way), "log-likelihood")
        both = (ours, separately(ours))
        for scoring in both:
            scoring(texts[:2])
        timings = (Timed(), Timed())
        for _ in range(ROUNDS):
            shared, alone = (
                timed(timing, scoring, texts, device)
                for timing, scoring in zip(timings, both, strict=True)
            )
        ratio = timings[0].rate / timings[1].rate
        difference = furthest(shared, alone)
        figures += [
            Figure(
                f"log-likelihood, {way}, beginnings shared: sentences per second",
                f"{timings[0].rate:.1f} / s", f"{goal:g} times", ratio >= goal,
                f"each text alone {timings[1].rate:.1f} / s", f"{ratio:.2f}x as many",
            ),
            _difference(f"log-likelihood, {way}, beginnings shared", "", difference, SAME_SHARED),
        ]  # fmt: skip
    return figures


def separately(scoring: Scoring) -> Scoring:
    """Score with each text in a row of its own."""

    def score(texts: Sequence[str]) -> Scores:
        shared = language_model_reading.rows_for
        language_model_reading.rows_for = lambda lm, texts, most_reads: separate_rows(texts)  # noqa: ARG005
        try:
            return scoring(texts)
        finally:
            language_model_reading.rows_for = shared

    return score


def timed(so_far: Timed, scoring: Scoring, texts: Sequence[str], device: str) -> Scores:
    """Score, and add up the time."""
    start = time.perf_counter()
    scores = scoring(texts)
    if device == "cuda":
        import torch

        torch.cuda.synchronize()
    so_far.seconds += time.perf_counter() - start
    so_far.sentences += len(texts)
    return scores


def parts(texts: Sequence[str]) -> list[Sequence[str]]:
    """Tenths of the sentences, each of all lengths."""
    ordered = sorted(texts, key=len)
    return [ordered[i::PARTS] for i in range(PARTS)]


def furthest(one: Scores, other: Scores) -> float:
    """Largest difference of any token's score."""
    return max(
        float(np.abs(np.array(a) - np.array(b)).max()) for a, b in zip(one, other, strict=True)
    )


def versions(texts: Sequence[str]) -> list[Version]:
    """Both sentences of each pair."""
    return [Version(texts[i], texts[i + 1]) for i in range(0, len(texts), 2)]


def by_biaslab(lm: LanguageModel, name: str) -> Scoring:
    """What is measured."""

    def score(texts: Sequence[str]) -> Scores:
        pairs = SCORERS[name].score(lm, versions(texts))
        both = [s for p in pairs for s in (p.stereotyped, p.against)]
        if failed := [s.failure for s in both if s.failure]:
            raise RuntimeError(failed[0])
        return [s.contributions.tolist() for s in both]

    return score


def by_definition(lm: LanguageModel) -> Scoring:
    """One forward per token."""
    import torch

    def score(texts: Sequence[str]) -> Scores:
        scores: Scores = []
        for text in texts:
            ids = torch.from_numpy(lm.tokenize(text).ids).to(lm.device)
            scores.append([])
            for i in range(1, len(ids) - 1):
                shown = ids.clone()
                shown[i] = lm.tokenizer.mask_token_id
                with torch.no_grad():
                    logits = lm.model(input_ids=shown[None]).logits[0, i]
                scores[-1].append(float(torch.log_softmax(logits, dim=-1)[ids[i]]))
        return scores

    return score


def by_minicons(lm: LanguageModel, batch: int) -> Scoring:
    """The other library's scorers, handed the tokens that they would read."""
    scorers = importlib.import_module("minicons.scorer")
    kind = scorers.MaskedLMScorer if lm.kind == "mlm" else scorers.IncrementalLMScorer
    scorer = kind(lm.model, lm.device, tokenizer=lm.tokenizer)

    def score(texts: Sequence[str]) -> Scores:
        scores: Scores = []
        for at in range(0, len(texts), batch):
            part = list(texts[at : at + batch])
            if lm.kind == "mlm":
                encoded = lm.tokenizer(part, padding="longest")
                prepared = list(scorer.prepare_text(encoded))
            else:
                prepared = scorer.prepare_text(part, bos_token=True)
            scores += scorer.compute_stats(prepared)
        return scores

    return score


def best_batch(lm: LanguageModel, texts: Sequence[str], device: str) -> int:
    """Number of sentences at a time that is fastest for minicons."""
    taken = {batch: Timed() for batch in BATCHES[lm.kind]}
    for batch, timing in taken.items():
        scoring = by_minicons(lm, batch)
        scoring(texts[:2])
        timed(timing, scoring, texts, device)
    return min(taken, key=lambda batch: taken[batch].seconds)


def model(kind: str, device: str) -> LanguageModel:
    """A model of BERT-base's or GPT-2's size, and a tokenizer trained on the sentences."""
    import torch

    texts, _ = sentences(2 * SENTENCES)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        if kind == "mlm":
            made = network("BertForMaskedLM", vocab_size=30_522)
        else:
            made = network("GPT2LMHeadModel", vocab_size=50_257, bos_token_id=0, eos_token_id=0)
    return LanguageModel.of(made, tokenizer_of(kind, texts), kind=kind, device=device)  # type: ignore[arg-type]


def tokenizer_of(kind: str, texts: Sequence[str]) -> Any:
    """Words as long in tokens as those models have them, about."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] if kind == "mlm" else ["<end>"]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=4_000, special_tokens=special, show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )  # fmt: skip
    tokenizer.train_from_iterator(texts, trainer)
    if kind == "clm":
        return fast(tokenizer, bos="<end>", eos="<end>", pad="<end>")
    return of_bert(tokenizer)


def sentences(number: int) -> tuple[list[str], bool]:
    """Sentences of the CrowS-Pairs, spread over all; and whether others stand in for them."""
    if DATA.exists():
        with DATA.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        some = rows[:: max(1, len(rows) // (number // 2))][: number // 2]
        return [text for row in some for text in (row["sent_more"], row["sent_less"])], False
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("abcdefghijklmnop"), rng.integers(2, 9))) for _ in range(800)]
    made = [" ".join(rng.choice(words, rng.integers(6, 26))) for _ in range(number)]
    return made, True


def peak_figure(kind: str) -> Figure:
    """What scoring adds to the memory of a process of its own."""
    command = [sys.executable, "-m", "benchmarks.sentence_scoring", kind]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    added = json.loads(printed.splitlines()[-1])
    return Figure(
        f"{LABELS[kind]}: memory that scoring adds",
        f"{added:.0f} MB",
        *judged(under(MEMORY_MB, "MB"), added),
    )


def added_memory(kind: str) -> float:
    """Megabytes by which scoring all sentences raises this process's peak."""
    lm = model(kind, "cpu")
    scoring = by_biaslab(lm, NAMES[kind])
    texts, _ = sentences(SENTENCES)
    scoring(sorted(texts, key=len)[:2])
    ordered = sorted(texts, key=len)
    before = _peak_from_now()
    # The longest are largest in a batch; a few of them fill several.
    scoring(ordered[-8:] if kind == "mlm" else ordered)
    return (machine.peak_memory() - before) / MEGABYTE


def _peak_from_now() -> float:
    """Resident memory; where the system allows it, the peak is forgotten that making it took."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return machine.peak_memory()


if __name__ == "__main__":
    print(json.dumps(added_memory(sys.argv[1])))
