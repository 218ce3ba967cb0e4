from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import biaslab as bl
from biaslab.probes.sentences.pairs import SentencePair
from biaslab.probes.sentences.scorers import get_scorer
from harness import tiny_language_models
from harness.heavy import torch
from harness.needs import needs

pytestmark = needs("transformers")


def log_probability(model: Any, tokenizer: Any, sentence: str) -> float:
    """Sum the log-probabilities of all tokens, each given those before it."""
    tokens = [tokenizer.eos_token_id, *tokenizer(sentence)["input_ids"]]
    with torch.no_grad():
        log_probabilities = model.eval()(torch.tensor([tokens])).logits[0].log_softmax(-1)
    return sum(float(log_probabilities[i, token]) for i, token in enumerate(tokens[1:]))


def test_the_first_word_counts(home: Path) -> None:
    model, tokenizer = tiny_language_models.gpt2()
    model.save_pretrained("gpt2")
    tokenizer.save_pretrained("gpt2")
    she, he = "She is a person.", "He is a person."
    (score,) = get_scorer("log-likelihood", "clm").score(bl.load("gpt2"), [SentencePair(she, he)])
    by_hand = log_probability(model, tokenizer, she) - log_probability(model, tokenizer, he)
    assert score.log_odds == pytest.approx(by_hand, abs=1e-4)
