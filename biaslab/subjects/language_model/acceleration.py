"""Faster forward passes: the last block and logits only where read, packed weights.

In a transformer's block only keys and values of other places are looked at. In the last one, what
follows the attention is needed at the places that are read alone, and so are the queries. Between
the body of the model and its head, the hidden states of the places that are read are selected;
where the architecture allows it, within the last block already.

oneDNN reorders a weight into blocks that fit the processor's registers and caches. A product with
plain weights does that, or goes without, at every call. Packed copies take as much memory as the
weights and live as long as one reading of many texts: the same products, a fifth faster.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import torch


#: Parts of a block that look at one place at a time, by their names in common architectures.
_MLPS: Final = ("mlp", "feed_forward", "ffn")
_ATTENTIONS: Final = ("self_attn", "self_attention", "attention", "attn")
_PROJECTIONS: Final = ("q_proj", "o_proj", "out_proj", "dense", "c_proj", "Wo")


def last_attention(model: Any) -> Any:
    """Return the attention of the last layer, with its sum, in BERT-like models.

    None in others, such as those that add the layer's input outside the attention.
    """
    layers = getattr(getattr(model.base_model, "encoder", None), "layer", None)
    if not layers:
        return None
    last = layers[-1]
    parts = {"attention", "intermediate", "output"}
    return last.attention if {name for name, _ in last.named_children()} == parts else None


def last_parts(model: Any) -> list[Any]:
    """Return the parts of the last block that look at one place at a time.

    They are found by their names, and a model is tried before they are trusted: see
    `LanguageModel.takes_out_early`. What follows the attention of a BERT-like model is left to
    `last_attention`.
    """
    import torch

    if (attention := last_attention(model)) is not None:
        inner = (("self", "query"), ("output", "dense"))
        parts = [getattr(getattr(attention, part, None), name, None) for part, name in inner]
        return [each for each in parts if each is not None]
    config = model.config
    text = config.get_text_config() if hasattr(config, "get_text_config") else config
    count = getattr(text, "num_hidden_layers", None)
    for module in model.base_model.modules():
        if isinstance(module, torch.nn.ModuleList) and len(module) == count:
            return _parts_of(module[-1])
    return []


def _parts_of(block: Any) -> list[Any]:
    parts = [getattr(block, name) for name in _MLPS if hasattr(block, name)]
    for name in _ATTENTIONS:
        attention = getattr(block, name, None)
        parts += [
            getattr(attention, projection)
            for projection in _PROJECTIONS
            if hasattr(attention, projection)
        ]
    return parts


@contextmanager
def only_at(parts: list[Any], rows: torch.Tensor, columns: torch.Tensor) -> Iterator[None]:
    """Compute parts of a model at some places only; their output is 0 at others.

    Parameters
    ----------
    parts : list of torch.nn.Module
        Each takes states (texts, length, width), and looks at one place at a time.
    rows, columns : Tensor of int64, shape (n,)
        Which places.
    """
    sizes: dict[int, tuple[int, int]] = {}

    def before(part: Any, args: tuple[Any, ...]) -> Any:
        states = args[0] if args else None
        if states is None or states.ndim != 3:
            return None
        sizes[id(part)] = states.shape[:2]
        return (states[rows.to(states.device), columns.to(states.device)][None], *args[1:])

    def after(part: Any, _: Any, output: Any) -> Any:
        if (size := sizes.pop(id(part), None)) is None:
            return None
        states = output[0] if isinstance(output, tuple) else output
        full = states.new_zeros((*size, states.shape[-1]))
        full[rows.to(states.device), columns.to(states.device)] = states[0]
        return (full, *output[1:]) if isinstance(output, tuple) else full

    hooks = [part.register_forward_pre_hook(before) for part in parts]
    hooks += [part.register_forward_hook(after) for part in parts]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


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


#: Tokens from which packing takes less time than it saves.
WORTH_PACKING: Final = 2_048
#: Share of the memory that packed weights may take.
_OF_MEMORY: Final = 0.75
_SAME: Final = 1e-5
"""Largest difference of a product, relative to the largest number in it."""


class PackedWeights:
    """Packed copies of the linear layers of a model's body; the caller holds the model's lock.

    Layers that another thread computes with would have no copies.

    Parameters
    ----------
    model : transformers.PreTrainedModel
        Layers count that are plain `torch.nn.Linear` on a processor in float32.
    tokens : int or None
        How many go through the model in all: too few are not worth a copy. None makes copies
        however few they are.
    cap : float
        Bytes of memory for copies and batches together. Copies take at most three quarters;
        layers beyond that stay as they are.

    Attributes
    ----------
    bytes : int
        Memory of the copies.
    """

    def __init__(self, model: Any, tokens: int | None, cap: float) -> None:
        self.bytes = 0
        self._forwards: list[tuple[Any, Any]] = []
        is_few = tokens is not None and tokens < WORTH_PACKING
        if is_few or not _is_supported(model):
            return
        import torch

        left = _OF_MEMORY * cap
        with torch.inference_mode():
            for layer in model.base_model.modules():
                if not _is_plain(layer) or (size := 4 * layer.weight.numel()) > left:
                    continue
                if (forward := _packed(layer)) is None:
                    return
                left -= size
                self.bytes += size
                self._forwards.append((layer, forward))

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Let the layers multiply with their packed weights; the caller holds the model's lock."""
        done: list[Any] = []
        try:
            for layer, forward in self._forwards:
                if "forward" not in vars(layer):
                    layer.forward = forward
                    done.append(layer)
            yield
        finally:
            for layer in done:
                del layer.forward


def _is_supported(model: Any) -> bool:
    import torch

    mkldnn: Any = torch.backends.mkldnn
    operations = torch.ops.mkldnn
    return (
        model.device.type == "cpu"
        and model.dtype == torch.float32
        and bool(mkldnn.is_available())
        and hasattr(operations, "_reorder_linear_weight")
        and hasattr(operations, "_linear_pointwise")
    )


def _is_plain(layer: Any) -> bool:
    import torch

    return (
        type(layer) is torch.nn.Linear
        and layer.weight.device.type == "cpu"
        and layer.weight.dtype == torch.float32
        and "forward" not in vars(layer)
    )


def _packed(layer: Any) -> Any:
    """Return a layer's forward with packed weights; None where the products differ."""
    import torch

    operations: Any = torch.ops.mkldnn
    bias = None if layer.bias is None else layer.bias.detach()
    try:
        weight = operations._reorder_linear_weight(layer.weight.detach().contiguous(), 1_024)

        def forward(states: torch.Tensor) -> Any:
            return operations._linear_pointwise(states, weight, bias, "none", [], "")

        probe = torch.linspace(-1, 1, 2 * layer.in_features, dtype=layer.weight.dtype)
        probe = probe.reshape(2, layer.in_features)
        plain = torch.nn.functional.linear(probe, layer.weight, bias)
        again = forward(probe)
    except (RuntimeError, TypeError, AttributeError):
        return None
    largest = max(1.0, float(plain.abs().max()))
    is_same = again.shape == plain.shape and float((again - plain).abs().max()) <= _SAME * largest
    return forward if is_same else None
