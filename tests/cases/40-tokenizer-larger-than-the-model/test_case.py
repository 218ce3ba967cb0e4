from __future__ import annotations

from pathlib import Path

import biaslab as bl
from biaslab.probes.sentences.pairs import SentencePair
from biaslab.probes.sentences.scorers import get_scorer
from harness import tiny_language_models
from harness.needs import needs

pytestmark = needs("transformers")


def test_only_sentences_with_the_added_token_have_no_score(home: Path) -> None:
    model, tokenizer = tiny_language_models.bert()
    tokenizer.add_tokens(["zorblat"])
    model.save_pretrained("bert")
    tokenizer.save_pretrained("bert")
    pairs = [
        SentencePair("The zorblat is a woman.", "The zorblat is a man."),
        SentencePair("The nurse is a woman.", "The nurse is a man."),
    ]
    added, plain = get_scorer("pll", "mlm").score(bl.load("bert"), pairs)
    assert added.log_odds is None
    assert "'zorblat' is not in the model" in added.stereotyped.failure
    assert plain.log_odds is not None
