"""A language model of 135 million parameters, beside plain transformers.

A model of the size of SmolLM2-135M with random weights, in its chat template. `bl.decisions` gets
the first 64 questions of a default run, `bl.two_afc` one word between *woman* and *man* in 10
frames at 3 stimuli, `bl.stereotype_score` 16 pairs of *biastest-math-arts*; fits and summaries
included. The reference is the forward passes of transformers over the same texts, in the same
order, in batches of 32 that are padded on the left. For decisions it has logits at the last place
only, where biaslab also reads the longer spellings of the answers; for the others at all places.
"Each text alone" is biaslab without shared beginnings, which also reads each longer spelling of an
answer after a prompt of its own.

Each is timed once, after the probe was run before. Processor time is that of one thread; by the
clock, two threads read while another process keeps a core busy.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import biaslab as bl
from benchmarks import ROOT
from benchmarks.findings import Figure, Findings, judged, under
from benchmarks.timing import seconds_of
from biaslab.asking.providers.language_model import LanguageModelDecider
from biaslab.cases import Question, get
from biaslab.jobs.job import JobContext
from biaslab.probes.decisions import Design
from biaslab.probes.psychometrics import FramedModel
from biaslab.probes.sentences.sources import default_pairs
from biaslab.subjects.language_model import reading
from biaslab.subjects.language_model.model import LanguageModel
from biaslab.subjects.language_model.rows import merged_rows
from harness.tiny_parts import byte_pairs, fast, network

QUESTIONS, PAIRS, FRAMES, LEVELS = 64, 16, 10, 3
FEW = 16
TOGETHER, THREADS = 32, 2
TOKENS = 12_000
LIMIT, OF_ALONE, FIRST = 1.0, 0.4, 3.0
CHAT = (
    "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face"
    "<|im_end|>\n{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
Call = Callable[[], Any]


def measure() -> Findings:
    """Time each probe and its reference in turns."""
    import torch

    torch.set_num_threads(1)
    lm = model()
    decider, first = LanguageModelDecider(lm), questions()
    pairs = list(default_pairs(bl.specs.get("biastest-math-arts")))
    some = pairs[:: len(pairs) // PAIRS][:PAIRS]
    calls: dict[str, Call] = {
        f"decisions, {QUESTIONS} questions": lambda: decider.decide(first, JobContext()),
        "two_afc, a word": lambda: bl.two_afc(
            FramedModel(lm, first=FRAMES), "nurse", ("woman", "man"), levels=LEVELS
        ),
        f"stereotype_score, {PAIRS} pairs": lambda: bl.stereotype_score(
            lm, sentences=some, keep=False
        ),
    }
    texts = [texts_of(lm, call) for call in calls.values()]
    texts[0] = [decider.tokens_of(question) for question in first]
    plain = [by_transformers(lm, ids, everywhere=number > 0) for number, ids in enumerate(texts)]
    figures = [
        compared(name, call, other, processor_seconds)
        for (name, call), other in zip(calls.items(), plain, strict=True)
    ]
    some_questions = f"decisions, {FEW} questions, with shared beginnings"
    few: Call = lambda: decider.decide(first[:FEW], JobContext())  # noqa: E731
    figures.append(
        compared(
            some_questions, few, lambda: each_alone(few), processor_seconds, OF_ALONE,
            "each text alone",
        )
    )  # fmt: skip
    torch.set_num_threads(THREADS)
    decisions = next(iter(calls))
    with busy_process():
        figures.append(
            compared(f"{decisions}, beside a busy process", calls[decisions], plain[0], seconds_of)
        )
    waited = seconds_of(next, decider.stream(first, [0] * len(first), JobContext()))
    figures.append(
        Figure("decisions: first reply", f"{waited:.1f} s", *judged(under(FIRST, "s"), waited))
    )
    lengths = ", ".join(f"{len(ids)} of {np.mean(list(map(len, ids))):.0f}" for ids in texts)
    return Findings(
        tuple(figures),
        (f"{lm.size}; a tokenizer of {TOKENS:,} byte pairs. Texts and their tokens: {lengths}.",),
    )


def compared(
    what: str,
    call: Call,
    plain: Call,
    clock: Callable[[Call], float],
    limit: float = LIMIT,
    other: str = "transformers",
) -> Figure:
    """Return the times of both."""
    ours, theirs = clock(call), clock(plain)
    kind = "processor" if clock is processor_seconds else "clock"
    return Figure(
        f"{what}: {kind}", f"{ours:.1f} s", f"at most {limit:.1f} times", ours / theirs <= limit,
        f"{other} {theirs:.1f} s", f"{ours / theirs:.2f}x",
    )  # fmt: skip


def each_alone(call: Call) -> None:
    """Call, while texts share no beginnings."""
    with mock.patch.object(reading, "shared_rows", merged_rows):
        call()


SIZE: dict[str, Any] = {
    "hidden_size": 576, "intermediate_size": 1_536, "num_hidden_layers": 30,
    "num_attention_heads": 9, "num_key_value_heads": 3, "vocab_size": 49_152,
    "max_position_embeddings": 8_192, "tie_word_embeddings": True,
}  # fmt: skip


def model(**sizes: int) -> LanguageModel:
    """Return a model of SmolLM2's or other sizes, and byte pairs learned from the documentation."""
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    pages = [path.read_text("utf-8") for path in sorted(Path(ROOT, "docs").rglob("*.md"))]
    tokenizer = fast(
        byte_pairs(pages, TOKENS, special), bos="<|endoftext|>", eos="<|im_end|>", pad="<|im_end|>"
    )
    tokenizer.chat_template = CHAT
    random = network("LlamaForCausalLM", **{**SIZE, **sizes})
    return LanguageModel(random, tokenizer, kind="clm", name="random")


def questions() -> list[Question]:
    """Return the first questions of a default run."""
    case = get("hire-by-name")
    everyone = (tuple(range(4)), tuple(range(4)))
    design = Design(case, "yes or no", (0, 1), everyone, tuple(range(4)), tuple(range(4)))
    rows = design.questions(design.chosen_levels(None), None, np.random.default_rng(0))
    return list(rows.take(slice(0, QUESTIONS)).of(case, cannot_say=False))


def texts_of(lm: LanguageModel, call: Call) -> list[Sequence[int]]:
    """Return the tokens of all texts that a probe has a model read."""
    texts: list[Sequence[int]] = []
    stream = lm.stream

    def recorded(looks: Sequence[Any], **options: Any) -> Any:
        texts.extend(look.ids.tolist() for look in looks)
        return stream(looks, **options)

    lm.stream = recorded  # type: ignore[method-assign]
    call()
    del lm.stream
    return texts


def by_transformers(lm: LanguageModel, texts: list[Sequence[int]], *, everywhere: bool) -> Call:
    """Return what reads texts in padded batches, with logits everywhere or at the last places."""
    import torch

    batches = [
        lm.tokenizer.pad(
            {"input_ids": texts[i : i + TOGETHER]}, padding_side="left", return_tensors="pt"
        ).to(lm.device)
        for i in range(0, len(texts), TOGETHER)
    ]

    def read() -> None:
        with torch.inference_mode():
            for batch in batches:
                lm.model(**batch, use_cache=False, logits_to_keep=0 if everywhere else 1)

    return read


@contextmanager
def busy_process() -> Iterator[None]:
    """Keep a core busy meanwhile."""
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def processor_seconds(call: Call) -> float:
    """Seconds of all cores that a call takes, whatever else runs on the machine."""
    start = time.process_time()
    call()
    return time.process_time() - start
