r"""What a treatment learns: directions to erase, and the weights of an adapter.

*Concept erasure* is LEACE (Belrose et al. 2023, theorem 4.3) with the covariance of all states:
with C the differences of the groups' mean states, the least change by which no linear classifier
finds the group is

.. math:: h - C (C^T S^{-1} C)^{-1} C^T S^{-1} (h - \mu), \qquad S = \Sigma + \lambda\bar\sigma^2 I.

S is shrunken nearly to a multiple of the identity, as a few cues tell a direction in many
dimensions badly; without shrinkage it is LEACE itself.

*Fine-tuning* lets LoRA (Hu et al. 2022) learn the equalised answer: of a question as all groups
have it, the geometric mean of the untreated model's next-token distributions. Preserved texts
keep theirs.
"""

from __future__ import annotations

import copy
import importlib
import importlib.util
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import MissingExtraError, QueryError, SubjectError
from biaslab.jobs.context import current_context
from biaslab.probes.treatment.material import CaseMaterial, Contrast, Tokens
from biaslab.subjects.language_model.model import LanguageModel
from biaslab.subjects.language_model.treated import Edit, Lora, TreatedModel, module_of
from biaslab.subjects.pretrained.options import stored_quantization

Doubles = NDArray[np.float64]
SHRINKAGE: Final = 100.0
"""Times the mean variance that is added to the states' covariance."""
BATCH: Final = 16
"""Questions, and preserved texts, of a step of fine-tuning."""
_READ_AT_ONCE: Final = 64
_ADVANCE: Final = 10


def batch_of(texts: Sequence[Tokens], padding: int, device: str) -> tuple[Any, Any]:
    """Return token ids and the mask of a batch, tensors of shape (texts, length)."""
    import torch

    ids = torch.full((len(texts), max(map(len, texts))), padding, dtype=torch.long)
    mask = torch.zeros_like(ids)
    for row, text in enumerate(texts):
        ids[row, : len(text)] = torch.tensor(text)
        mask[row, : len(text)] = 1
    return ids.to(device), mask.to(device)


def learn_edit(
    lm: TreatedModel,
    contrasts: Sequence[Contrast],
    preserved: Sequence[Tokens],
    layer: int,
    placebo: np.random.Generator | None,
) -> Edit:
    """Return the edit that erases the group at a layer, as the model is now.

    - `placebo`: draws random directions in place of the groups' differences.
    """
    texts = [version for one in contrasts for version in one.versions]
    groups = len(contrasts[0].versions)
    starts = [one.start if lm.kind == "clm" else 0 for one in contrasts for _ in one.versions]
    sums: list[Doubles] = []
    total: Any = 0.0
    squares: Any = 0.0
    count, counts = 0, np.zeros(groups)
    for at, states in enumerate(_states(lm, [*texts, *preserved], layer)):
        total, squares, count = (
            total + states.sum(0),
            squares + states.T @ states,
            count + len(states),
        )
        if at >= len(texts):
            continue
        if at < groups:
            sums.append(np.zeros(states.shape[1]))
        sums[at % groups] += states[starts[at] :].sum(0)
        counts[at % groups] += len(states) - starts[at]
    mean = total / count
    covariance = squares / count - np.outer(mean, mean)
    means = np.stack(sums) / counts[:, None]
    apart = (means[1:] - means[0]).T
    if not np.abs(apart).max() > 1e-12 * max(1.0, float(np.abs(mean).max())):
        raise QueryError(f"The groups do not differ at layer {layer} of {lm.name}: leave it out.")
    width = len(mean)
    if placebo is None:
        covariance += SHRINKAGE * np.trace(covariance) / width * np.eye(width)
        middle = means.mean(0)
    else:
        apart, covariance, middle = placebo.standard_normal(apart.shape), np.eye(width), mean
    solved = np.linalg.solve(covariance, apart)
    into = solved @ np.linalg.pinv(apart.T @ solved)
    return Edit(layer, *(part.astype(np.float32) for part in (middle, apart, into)))


def _states(lm: LanguageModel, texts: Sequence[Tokens], layer: int) -> Iterator[Doubles]:
    """Yield the states of each text at a layer, shape (tokens, width)."""
    import torch

    kept: list[Any] = []

    def keep(_: Any, __: Any, output: Any) -> None:
        kept.append(output[0] if isinstance(output, tuple) else output)

    hook = module_of(lm, layer).register_forward_hook(keep)
    try:
        for at in range(0, len(texts), _READ_AT_ONCE):
            current_context().checkpoint()
            some = texts[at : at + _READ_AT_ONCE]
            ids, mask = batch_of(some, lm.padding, lm.device)
            kept.clear()
            with lm.lock, torch.inference_mode():
                lm.model(input_ids=ids, attention_mask=mask)
            states = kept[0].double().cpu().numpy()
            yield from (states[row, : len(text)] for row, text in enumerate(some))
    finally:
        hook.remove()


def check_trainable(lm: LanguageModel) -> None:
    """Refuse what cannot be fine-tuned.

    Raises `MissingExtraError` without peft, and `SubjectError` of a masked or quantised model.
    """
    if importlib.util.find_spec("peft") is None:
        raise MissingExtraError("Fine-tuning needs peft: pip install 'biaslab[lm]'.")
    if lm.kind != "clm":
        raise SubjectError(
            f"{lm.name} is a masked language model, and fine-tuning equalises answers. Open a"
            " causal one (kind='clm'), or choose 'concept erasure'."
        )
    if stored_quantization(lm.model.config):
        raise SubjectError(
            f"{lm.name} is quantised, and an adapter cannot be merged into it. Open it without"
            " quantize."
        )


def learn_adapter(
    lm: LanguageModel,
    material: CaseMaterial,
    preserved: Sequence[Tokens],
    *,
    rank: int,
    steps: int,
    rate: float,
    seed: int,
) -> tuple[Any, Lora]:
    """Return a copy of the model with a trained adapter merged into it, and the adapter.

    Raises `SubjectError` if the model has no linear layer, or training diverges.
    """
    import torch

    peft: Any = importlib.import_module("peft")
    rng = np.random.default_rng(seed)
    context = current_context()
    devices = [lm.model.device] if lm.model.device.type == "cuda" else []
    with torch.random.fork_rng(devices=devices), torch.enable_grad():
        torch.manual_seed(seed)
        settings = peft.LoraConfig(
            r=rank, lora_alpha=rank, target_modules="all-linear", task_type="CAUSAL_LM"
        )
        try:
            with warnings.catch_warnings():  # about what peft looks up in transformers
                warnings.simplefilter("ignore", FutureWarning)
                network = peft.get_peft_model(copy.deepcopy(lm.model), settings)
        except ValueError as error:
            raise SubjectError(f"{lm.name} cannot be given an adapter: {error}") from error
        network.eval()  # without dropout; gradients flow all the same
        learned = [each for each in network.parameters() if each.requires_grad]
        optimiser = torch.optim.AdamW(learned, lr=rate, weight_decay=0.0)
        for step in range(steps):
            context.checkpoint()
            for group in optimiser.param_groups:
                group["lr"] = rate * (1 - step / steps)
            asked = [material.contrast(rng).versions for _ in range(BATCH)]
            kept = (
                [preserved[at] for at in rng.integers(len(preserved), size=BATCH)]
                if preserved
                else []
            )
            loss = _loss(lm, network, asked, kept)
            if not torch.isfinite(loss):
                raise SubjectError(f"Fine-tuning of {lm.name} diverged. Choose a smaller rate.")
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            if step % _ADVANCE == 0:
                context.report(step, steps, "fine-tuning")
    tensors = {
        name: value.detach().cpu().contiguous().clone()
        for name, value in peft.get_peft_model_state_dict(network).items()
    }
    settings.inference_mode = True
    return network.merge_and_unload(safe_merge=True), Lora(settings.to_dict(), tensors)


def _loss(
    lm: LanguageModel, network: Any, asked: Sequence[Sequence[Tokens]], kept: Sequence[Tokens]
) -> Any:
    """Return the divergence from equalised answers, and from preserved texts as they were, nats."""
    import torch

    count, groups = len(asked), len(asked[0])
    texts = [version for versions in asked for version in versions]
    ids, mask = batch_of([*texts, *kept], lm.padding, lm.device)
    with lm.lock, torch.no_grad():
        before = _log_probabilities(lm.model, ids, mask)
    after = _log_probabilities(network, ids, mask)
    rows, last = torch.arange(len(ids), device=ids.device), mask.sum(1) - 1
    ends = before[rows, last], after[rows, last]
    mean = ends[0][: len(texts)].reshape(count, groups, -1).mean(1, keepdim=True)
    target = torch.log_softmax(mean, -1).expand(count, groups, -1).reshape(len(texts), -1)
    loss = _divergence(target, ends[1][: len(texts)]).mean()
    if kept:
        own = mask[len(texts) :].bool()
        loss = loss + _divergence(before[len(texts) :], after[len(texts) :])[own].mean()
        loss = loss + _divergence(ends[0][len(texts) :], ends[1][len(texts) :]).mean()
    return loss


def _log_probabilities(model: Any, ids: Any, mask: Any) -> Any:
    import torch

    return torch.log_softmax(model(input_ids=ids, attention_mask=mask).logits.float(), -1)


def _divergence(of: Any, by: Any) -> Any:
    return (of.exp() * (of - by)).sum(-1)
