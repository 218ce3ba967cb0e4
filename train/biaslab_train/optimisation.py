"""Optimisation with torch: device, loss on planted answers, steps.

Where answers are planted, the loss is the cross-entropy of the model's answer against the planted
probability of each answer, rather than against answers drawn from it: the expected gradient is the
same, without the noise of drawing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from biaslab.errors import MissingExtraError, TrainingError


def find_device(name: str | None) -> torch.device:
    """Return the device of this name; by default the GPU if there is one.

    Raises `TrainingError` if it is not there.
    """
    try:
        place = torch.device(name or ("cuda" if torch.cuda.is_available() else "cpu"))
        torch.empty(1, device=place)
    except (RuntimeError, AssertionError) as error:
        raise TrainingError(
            f"There is no device {name!r} on this machine. Leave out --device, or use cpu."
        ) from error
    return place


def muon_and_adamw(
    network: Any, embeddings: Sequence[Any], matrix_rate: float, vector_rate: float
) -> dict[str, torch.optim.Optimizer]:
    """Create Muon for hidden matrices, AdamW for the rest.

    - `network`: model to train.
    - `embeddings`: matrices that are tables rather than maps: AdamW's.
    - `matrix_rate`, `vector_rate`: learning rates of both.
    """
    if not hasattr(torch.optim, "Muon"):
        raise MissingExtraError(
            f"Training needs torch 2.9 or newer, and this is {torch.__version__}: "
            "pip install -U torch."
        )
    tables = {id(table) for table in embeddings}
    named = [p for p in network.parameters() if p.requires_grad]
    matrices = [p for p in named if p.ndim == 2 and id(p) not in tables]
    others = [p for p in named if p.ndim != 2 or id(p) in tables]
    optimisers: dict[str, torch.optim.Optimizer] = {
        "matrices": torch.optim.Muon(matrices, lr=matrix_rate, weight_decay=0.0),
        "others": torch.optim.AdamW(
            others, lr=vector_rate, betas=(0.9, 0.95), weight_decay=0.0, fused=False
        ),
    }
    for name, rate in (("matrices", matrix_rate), ("others", vector_rate)):
        for group in optimisers[name].param_groups:
            group["full_rate"] = rate
    return optimisers


def take_step(
    network: Any, optimisers: dict[str, torch.optim.Optimizer], rate_factor: float
) -> None:
    """Clip gradients, step every optimiser at its scaled rate, clear gradients."""
    torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
    for optimiser in optimisers.values():
        for group in optimiser.param_groups:
            group["lr"] = group["full_rate"] * rate_factor
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)


@dataclass(frozen=True)
class AnsweredPrompts:
    """Prompts, each followed by an answer that is drawn from the planted probabilities.

    - `ids`, tensor of int64 (prompts, tokens): filled up at the end.
    - `last`, array of int64 (prompts,): place of the last token of each prompt; its answer is the
      token after it.
    - `planted`, tensor of float32 (prompts, vocabulary): planted probability of each token as the
      answer.
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

    - `prompts`: tokens of each prompt.
    - `answers`, `probabilities`: tokens that may answer each prompt, and their planted
      probabilities.
    - `vocabulary`, `pad`: number of tokens, and the token that fills up short prompts.
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


def add_answers_gradient(
    network: Any,
    states: Tensor,
    drawn: AnsweredPrompts,
    end: int,
    batch: int,
    *,
    end_weight: float = 1.0,
) -> float:
    """Add the gradient of the loss on some prompts of a batch.

    - `states`, tensor (prompts, tokens, width): the last hidden states of ``drawn.ids``.
    - `end`: token after an answer.
    - `batch`: prompts of the whole batch.
    - `end_weight`: weight of the loss on `end`, against that on the answer.
    - Returns: divergence from the planted probabilities, summed over the prompts, in nats.
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
