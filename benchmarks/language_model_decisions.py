"""Decisions of a language model of 135 million parameters, beside plain transformers.

The first 32 questions of a default run of `bl.decisions` go to a model of the size of
SmolLM2-135M with random weights, in its chat template. The reference is one forward pass of
transformers over the same prompts, padded on the left to one batch, with logits at the last place
only. It reads one token after each prompt; biaslab also reads the longer spellings of the answers.
Both are timed in turns in one process, in seconds of one core.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import ROOT
from benchmarks.findings import Figure, Findings
from biaslab.asking.providers.language_model import LanguageModelDecider
from biaslab.cases import Question, get
from biaslab.jobs.job import JobContext
from biaslab.probes.decisions import Design
from biaslab.subjects.language_model.model import LanguageModel
from harness.tiny_parts import byte_pairs, fast, network

QUESTIONS, ROUNDS = 32, 3
TOKENS = 12_000
LIMIT = 1.0
CHAT = (
    "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face"
    "<|im_end|>\n{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def measure() -> Findings:
    """Time both in turns."""
    import torch

    torch.set_num_threads(1)
    lm = model()
    decider, asked = LanguageModelDecider(lm), questions()
    plain = by_transformers(lm, [decider.lm.tokenizer.apply_chat_template(
        [{"role": "user", "content": question.prompt}], add_generation_prompt=True, tokenize=False
    ) for question in asked])  # fmt: skip
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(1 + ROUNDS):
        theirs.append(processor_seconds(plain))
        ours.append(processor_seconds(lambda: answer(decider, asked)))
    mine, other = (statistics.median(seconds[1:]) for seconds in (ours, theirs))
    figure = Figure(
        f"{QUESTIONS} questions, processor time, median of {ROUNDS}", f"{mine:.1f} s",
        f"at most {LIMIT:.1f} times", mine / other <= LIMIT,
        f"one padded batch of transformers {other:.1f} s", f"{mine / other:.2f}x",
    )  # fmt: skip
    return Findings((figure,), (f"{lm.size}; a tokenizer of {TOKENS:,} byte pairs.",))


def answer(decider: LanguageModelDecider, asked: list[Question]) -> None:
    """Ask in batches, as a run does."""
    for begin in range(0, len(asked), decider.at_once):
        decider.decide(asked[begin : begin + decider.at_once], JobContext())


def model() -> LanguageModel:
    """Return a model of SmolLM2's size, and byte pairs learned from the documentation."""
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    pages = [path.read_text("utf-8") for path in sorted(Path(ROOT, "docs").rglob("*.md"))]
    tokenizer = fast(
        byte_pairs(pages, TOKENS, special), bos="<|endoftext|>", eos="<|im_end|>", pad="<|im_end|>"
    )
    tokenizer.chat_template = CHAT
    network_of_its_size = network(
        "LlamaForCausalLM", hidden_size=576, intermediate_size=1_536, num_hidden_layers=30,
        num_attention_heads=9, num_key_value_heads=3, vocab_size=49_152,
        max_position_embeddings=8_192, tie_word_embeddings=True,
    )  # fmt: skip
    return LanguageModel(network_of_its_size, tokenizer, kind="clm", name="random")


def questions() -> list[Question]:
    """Return the first questions of a default run."""
    case = get("hire-by-name")
    everyone = (tuple(range(4)), tuple(range(4)))
    design = Design(case, "yes or no", (0, 1), everyone, tuple(range(4)), tuple(range(4)))
    rows = design.questions(design.chosen_levels(None), None, np.random.default_rng(0))
    return list(rows.take(slice(0, QUESTIONS)).of(case, cannot_say=False))


def by_transformers(lm: LanguageModel, prompts: list[str]) -> Callable[[], Any]:
    """Return what reads the token after each prompt in one padded batch."""
    import torch

    batch = lm.tokenizer(
        prompts, padding=True, padding_side="left", add_special_tokens=False, return_tensors="pt"
    )

    def read() -> Any:
        with torch.inference_mode():
            return lm.model(
                input_ids=batch["input_ids"], attention_mask=batch["attention_mask"],
                use_cache=False, logits_to_keep=1,
            ).logits  # fmt: skip

    return read


def processor_seconds(thing: Callable[[], Any]) -> float:
    """Seconds of all cores that a thing takes, whatever else runs on the machine."""
    start = time.process_time()
    thing()
    return time.process_time() - start
