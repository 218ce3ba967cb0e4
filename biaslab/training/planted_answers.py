"""Learn to answer prompts by planted probabilities, in one token, and to stop after the answer.

The loss is the cross-entropy of the model's answer against the planted probability of each answer,
rather than against answers drawn from it: the expected gradient is the same, without the noise of
drawing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


@dataclass(frozen=True)
class AnsweredPrompts:
    """Prompts, each followed by an answer that is drawn from the planted probabilities.

    Attributes
    ----------
    ids : tensor of int64 (prompts, tokens)
        Filled up at the end.
    last : array of int64 (prompts,)
        Place of the last token of each prompt; its answer is the token after it.
    planted : tensor of float32 (prompts, vocabulary)
        Planted probability of each token as the answer.
    """

    ids: Tensor
    last: NDArray[np.int64]
    planted: Tensor


def draw_answers(
    prompts: Sequence[Sequence[int]],
    answers: Sequence[Sequence[int]],
    probabilities: Sequence[Sequence[float]],
    vocabulary: int,
    pad: int,
    device: torch.device,
    rng: np.random.Generator,
) -> AnsweredPrompts:
    """Draw an answer to each prompt.

    Parameters
    ----------
    prompts : sequence of sequences of int
        Tokens of each prompt.
    answers, probabilities : sequences of sequences
        Tokens that may answer each prompt, and their planted probabilities.
    vocabulary, pad : int
        Number of tokens, and the token that fills up short prompts.
    device : torch.device
    rng : numpy.random.Generator
    """
    ids = np.full((len(prompts), max(map(len, prompts)) + 1), pad)
    planted = np.zeros((len(prompts), vocabulary), dtype=np.float32)
    for row, (prompt, options, chances) in enumerate(
        zip(prompts, answers, probabilities, strict=True)
    ):
        given = rng.choice(options, p=np.divide(chances, np.sum(chances)))
        ids[row, : len(prompt) + 1] = [*prompt, given]
        planted[row, list(options)] = chances
    last = np.array([len(prompt) - 1 for prompt in prompts])
    return AnsweredPrompts(
        torch.from_numpy(ids).to(device), last, torch.from_numpy(planted).to(device)
    )


def add_gradient(
    network: Any,
    states: Tensor,
    drawn: AnsweredPrompts,
    end: int,
    batch: int,
    *,
    end_weight: float = 1.0,
) -> float:
    """Add the gradient of the loss on some prompts of a batch.

    Parameters
    ----------
    network : transformers.PreTrainedModel
    states : tensor (prompts, tokens, width)
        The last hidden states of ``drawn.ids``.
    drawn : AnsweredPrompts
    end : int
        Token after an answer.
    batch : int
        Prompts of the whole batch.
    end_weight : float
        Weight of the loss on `end`, against that on the answer.

    Returns
    -------
    float
        Divergence from the planted probabilities, summed over the prompts, in nats.
    """
    weight = network.get_output_embeddings().weight
    rows = np.arange(len(drawn.last))
    after_prompt = torch.log_softmax(states[rows, drawn.last] @ weight.t(), -1)
    after_answer = torch.log_softmax(states[rows, drawn.last + 1] @ weight.t(), -1)
    loss = -(drawn.planted * after_prompt).sum()
    # After its answer the model stops, so that one can let it write.
    whole = (loss - end_weight * after_answer[:, end].sum()) / batch
    whole.backward()  # type: ignore[no-untyped-call]
    entropy = -float((drawn.planted * torch.log(drawn.planted.clamp_min(1e-30))).sum())
    return float(loss.detach()) - entropy
