"""Networks of the small language models, and their loss at selected positions."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from biaslab.errors import MissingExtraError
from biaslab.subjects.pretrained.opening import building
from biaslab_train.language_models.tokenizer import SPECIAL
from biaslab_train.settings import ClerkSettings, LanguageModelSettings

PROJECTED_AT_ONCE = 512
"""Positions per block of scores over the vocabulary: few enough for the cache."""


def build_network(
    settings: LanguageModelSettings | ClerkSettings, vocabulary: int, kind: str
) -> Any:
    """Build an untrained network: Llama's design (causal) or ModernBERT's (masked).

    Both have rotary positions, gated feed-forward layers, norms before each layer and one matrix
    for input and output embeddings, which learns fastest at this size.

    - `settings`: sizes and seed.
    - `vocabulary`: tokens that the tokenizer has.
    - `kind`: {"clm", "mlm"}.
    """
    try:
        from transformers import (
            LlamaConfig,
            LlamaForCausalLM,
            ModernBertConfig,
            ModernBertForMaskedLM,
        )
    except ImportError as error:
        raise MissingExtraError(
            "Training a language model needs transformers 5: pip install 'biaslab[lm]'."
        ) from error
    pad, begin, end, _ = range(len(SPECIAL))
    shared: dict[str, Any] = {
        "vocab_size": vocabulary,
        "hidden_size": settings.width,
        "intermediate_size": settings.inner,
        "num_hidden_layers": settings.layers,
        "num_attention_heads": settings.heads,
        "max_position_embeddings": settings.context,
        "tie_word_embeddings": True,
        "pad_token_id": pad,
        "bos_token_id": begin,
        "eos_token_id": end,
    }
    # The library draws starting weights from the global generator, which is put back.
    with building(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.seed)
        if kind == "clm":
            return LlamaForCausalLM(LlamaConfig(**shared))
        theta = {"rope_type": "default", "rope_theta": 10_000.0}
        return ModernBertForMaskedLM(
            ModernBertConfig(
                **shared,
                cls_token_id=begin,
                sep_token_id=end,
                layer_types=["full_attention"] * settings.layers,
                rope_parameters={"full_attention": theta, "sliding_attention": theta},
                decoder_bias=False,
            )
        )


def hidden_states(network: Any, ids: Tensor) -> Tensor:
    """Return the last hidden states, shape (sequences, length, width)."""
    if network.config.model_type == "llama":
        states: Tensor = network.model(input_ids=ids, use_cache=False).last_hidden_state
    else:
        states = network.model(input_ids=ids).last_hidden_state
    return states


def projected(network: Any, states: Tensor) -> Tensor:
    """Return states as the output embeddings take them, shape (positions, width)."""
    if network.config.model_type == "llama":
        return states
    out: Tensor = network.head(states)
    return out


def masked_batch(
    ids: npt.NDArray[np.int64], rate: float, vocabulary: int, rng: np.random.Generator
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Mask a share of the tokens by BERT's rule: 80 % MASK, 10 % another, 10 % stay.

    - Returns `shown`: input of the model.
    - Returns `hidden`: positions to predict; never a special token.
    """
    mask = SPECIAL.index("<mask>")
    hidden = (rng.random(ids.shape) < rate) & (ids >= len(SPECIAL))
    how = rng.random(ids.shape)
    other = rng.integers(len(SPECIAL), vocabulary, ids.shape)
    shown = np.where(hidden & (how < 0.8), mask, ids)
    return np.where(hidden & (how >= 0.9), other, shown), hidden


class ProjectedLoss(torch.autograd.Function):
    """Cross-entropy of states against tokens, without holding all scores at once.

    The gradients are made on the way forward, chunk by chunk: the scores over the vocabulary,
    which would take hundreds of megabytes, are used while they are in a cache and dropped.
    """

    @staticmethod
    def forward(ctx: Any, states: Tensor, weight: Tensor, targets: Tensor) -> Tensor:
        """Sum -log p(target), in nats."""
        projection = weight.to(states.dtype)
        total = torch.zeros((), dtype=torch.float32, device=states.device)
        by_state = torch.empty_like(states)
        by_weight = torch.zeros_like(weight)
        for at in range(0, len(states), PROJECTED_AT_ONCE):
            part = states[at : at + PROJECTED_AT_ONCE]
            target = targets[at : at + PROJECTED_AT_ONCE, None]
            scores = torch.log_softmax(part @ projection.t(), -1)
            total -= scores.gather(1, target).float().sum()
            scores.exp_().scatter_add_(1, target, torch.full_like(target, -1, dtype=scores.dtype))
            by_state[at : at + PROJECTED_AT_ONCE] = scores @ projection
            by_weight += scores.t() @ part
        ctx.save_for_backward(by_state, by_weight)
        return total

    @staticmethod
    def backward(ctx: Any, *outer: Tensor) -> tuple[Tensor, Tensor, None]:
        """Hand on the gradients made before."""
        by_state, by_weight = ctx.saved_tensors
        return by_state * outer[0].to(by_state.dtype), by_weight * outer[0], None


def loss_sum(
    network: Any, shown: Tensor, targets: Tensor, where: Tensor, precision: torch.dtype
) -> Tensor:
    """Sum the losses at the positions ``where`` of a batch, in nats.

    - `network`: from `build_network`.
    - `shown`, `targets`, Tensor of int64, shape (sequences, length): input and targets of the
      model.
    - `where`: positions that count; only these are projected onto the vocabulary.
    - `precision`: of the matrix products.
    """
    mixed = precision != torch.float32
    with torch.autocast(shown.device.type, precision, enabled=mixed):
        states = projected(network, hidden_states(network, shown)[where])
    weight: nn.Parameter = network.get_output_embeddings().weight
    # The norm before it leaves float32 behind.
    loss: Tensor = ProjectedLoss.apply(states.to(precision), weight, targets[where])  # type: ignore[no-untyped-call]
    return loss
