"""The token before a text, so that a causal model gives its first token a probability."""

from __future__ import annotations

from typing import Any

_SEPARATORS = ("<|endoftext|>", "<|end_of_text|>")
"""Tokens that separate documents in training, by the names that their models give them."""
_TURN_ENDS = frozenset(
    {
        "<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end|>", "<|return|>", "<end_of_turn>",
        "<turn|>", "<|endofturn|>", "<|end_of_turn|>", "<|user|>", "[/INST]",
    }
)  # fmt: skip
"""Tokens that end a turn of a conversation, and never begin a text."""


def beginning_token(tokenizer: Any) -> int | None:
    """Return the token to put before a text; None where the model knows none.

    It is the tokenizer's own token for the beginning (BOS). Without one it is the token for the
    end (EOS), which separated documents in training. Where that one ends a turn of a conversation,
    it is ``<|endoftext|>`` or ``<|end_of_text|>`` if the vocabulary has it.

    Parameters
    ----------
    tokenizer : transformers.PreTrainedTokenizerBase
        Of a causal model.
    """
    if tokenizer.bos_token_id is not None:
        return int(tokenizer.bos_token_id)
    end = tokenizer.eos_token_id
    if end is None:
        return None
    return _separator(tokenizer) if _ends_turn(tokenizer) else int(end)


def _ends_turn(tokenizer: Any) -> bool:
    end = str(tokenizer.eos_token)
    if end in _SEPARATORS:
        return False
    template = getattr(tokenizer, "chat_template", None)
    # Some tokenizers have several templates by name.
    texts = template.values() if isinstance(template, dict) else [template or ""]
    return end in _TURN_ENDS or any(end in str(text) for text in texts)


def _separator(tokenizer: Any) -> int | None:
    vocabulary = tokenizer.get_vocab()
    return next((int(vocabulary[name]) for name in _SEPARATORS if name in vocabulary), None)
