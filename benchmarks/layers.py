"""Layers of a language model: all of them against the input alone.

`bl.two_afc_layers` on 10 occupations between *woman* and *man* in 20 frames at 11 stimuli, with the
stimulus patched in at all layers and at the input only, by the bundled models. The bench asks one
word at a time. One run of each, with a fresh cache.
"""

from __future__ import annotations

import statistics
import time

import biaslab as bl
from benchmarks.findings import Figure, Findings, judged, under
from biaslab.probes.psychometrics import FramedModel
from biaslab.probes.psychometrics.framed_question import question
from biaslab.subjects.language_model.model import LanguageModel
from biaslab.subjects.language_model.patching import blocks_of

WORDS, LEVELS, TIMES_FLOOR = 10, 11, 2.0
CUES = ("woman", "man")
LENGTH, TEXTS, ROUNDS = 16, 64, 9


def measure() -> Findings:
    """Time both ways on both bundled models."""
    figures = []
    for name in ("wiki-clm", "wiki-mlm"):
        lm = bl.load(name)
        words = [one for one in bl.specs.get("occupations").items if _is_known(lm, one)][:WORDS]
        every, processor = _seconds(lm, words, "all")
        only, _ = _seconds(lm, words, [0])
        one, _ = _seconds(lm, words[:1], "all")
        floor = _floor(lm, words)
        figures += [
            Figure(
                f"{name}: {WORDS} words at all 5 layers",
                f"{every:.1f} s",
                reference=f"at the input only {only:.1f} s",
                ratio=f"{every / only:.1f}x",
            ),
            Figure(
                f"{name}: the same, processor time",
                f"{processor:.1f} s",
                *judged(under(TIMES_FLOOR, "times the blocks alone"), processor / floor),
                reference=f"the blocks alone {floor:.1f} s",
                ratio=f"{processor / floor:.2f}x",
            ),
            Figure(f"{name}: one word at all 5 layers", f"{one:.2f} s"),
        ]
    return Findings(tuple(figures), ("Curves, intervals and the place of the lean included.",))


def _is_known(lm: LanguageModel, word: str) -> bool:
    return not bool(lm.tokenize(word).unknown.any())


def _seconds(lm: LanguageModel, words: list[str], layers: list[int] | str) -> tuple[float, float]:
    """Seconds of the clock and of the processor."""
    model = FramedModel(lm)
    started, worked = time.perf_counter(), time.process_time()
    bl.two_afc_layers(model, words, CUES, layers=layers, levels=LEVELS).verdict()
    return time.perf_counter() - started, time.process_time() - worked


def _floor(lm: LanguageModel, words: list[str]) -> float:
    """Processor seconds of the blocks alone."""
    blocks = len(blocks_of(lm))
    passes = LEVELS * blocks + (LEVELS - 2) * sum(range(blocks))
    model = FramedModel(lm)
    tokens = 0
    for word in words:
        for frame in model.frames_for(word, CUES):
            looks = question(lm, frame, word, CUES).looks
            tokens += sum(len(look.ids) for look in looks)
    return tokens * passes * _seconds_per_token(lm) / blocks


def _seconds_per_token(lm: LanguageModel) -> float:
    """Processor seconds that a token takes through all blocks: the median of some rounds."""
    import torch

    ids = torch.arange(TEXTS * LENGTH).reshape(TEXTS, LENGTH) % lm.vocabulary
    taken = []
    with torch.inference_mode():
        embedded = lm.model.get_input_embeddings()(ids)
        for _ in range(ROUNDS):
            started = time.process_time()
            lm.model.base_model(inputs_embeds=embedded)
            taken.append(time.process_time() - started)
    return statistics.median(taken) / ids.numel()
