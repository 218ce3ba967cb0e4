"""Logits of a language model at selected places only, by its own head.

Between the body of the model and its head, the hidden states of the places that are read are
selected; where the architecture allows it, within the last block already.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from biaslab.subjects.last_block import last_attention, last_parts, only_at

if TYPE_CHECKING:
    import torch


def at_targets(
    logits: torch.Tensor, rows: torch.Tensor, targets: torch.Tensor, raw: bool
) -> torch.Tensor:
    """Return logits of targets (n,) in their rows, normalised unless ``raw``; float32 or finer."""
    import torch

    fine = logits if logits.dtype == torch.float64 else logits.float()
    rows = rows.to(fine.device)
    selected = fine[rows, targets.to(fine.device)]
    return selected if raw else selected - torch.logsumexp(fine, dim=1)[rows]


def logits_at(
    model: Any,
    ids: torch.Tensor | None,
    mask: torch.Tensor | None,
    rows: torch.Tensor,
    columns: torch.Tensor,
    *,
    early: bool = False,
    **options: Any,
) -> torch.Tensor:
    """Compute logits (n, vocabulary) at n positions only, by the model's own head.

    The caller holds the model's lock: during the call, a hook is installed between the
    model's body and its head.

    Parameters
    ----------
    model : transformers.PreTrainedModel
        A masked or causal language model.
    ids : Tensor of int64, shape (texts, length), or None
        Tokens; None if ``options`` has ``inputs_embeds``.
    mask : Tensor of int64, shape (texts, length), optional
        1 for tokens, 0 for padding; None without padding.
    rows, columns : Tensor of int64, shape (n,)
        Which places.
    early : bool
        Compute the last block at these places only, but for keys and values: only for a model
        that was tried, see `LanguageModel.takes_out_early`.
    **options
        Passed on to the model, such as ``inputs_embeds``.
    """
    body = model.base_model
    is_selected = False

    def chosen(states: Any) -> Any:
        nonlocal is_selected
        if is_selected or states is None or states.ndim != 3:
            return None
        is_selected = True
        # Of a model that is split over devices, the last states lie on the last one.
        return states[rows.to(states.device), columns.to(states.device)][None]

    def of_body(_: Any, __: Any, output: Any) -> Any:
        selected = chosen(getattr(output, "last_hidden_state", None))
        return None if selected is None else type(output)(last_hidden_state=selected)

    def of_attention(_: Any, __: Any, output: Any) -> Any:
        selected = chosen(output[0] if isinstance(output, tuple) else output)
        if selected is None:
            return None
        return (selected, *output[1:]) if isinstance(output, tuple) else selected

    arguments = dict(options)
    if getattr(model.config, "use_cache", None):
        arguments["use_cache"] = False
    with ExitStack() as stack:
        if body is not model:
            stack.callback(body.register_forward_hook(of_body).remove)
        if early:
            if (attention := last_attention(model)) is not None:
                stack.callback(attention.register_forward_hook(of_attention).remove)
            stack.enter_context(only_at(last_parts(model), rows, columns))
        logits: torch.Tensor = model(input_ids=ids, attention_mask=mask, **arguments).logits
    if is_selected and logits.shape[:2] == (1, len(rows)):
        return logits[0]
    return logits[rows.to(logits.device), columns.to(logits.device)]


__all__ = ["at_targets", "logits_at"]
