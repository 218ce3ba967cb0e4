"""The blocks of a language model: captured as they run, and entered half-way up.

A transformer is a row of blocks that pass on one array of hidden states. Hooks see what each block
passes on; a block that is skipped passes on given states instead. Neither knows the architecture.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from biaslab.errors import SubjectError
from biaslab.subjects.out_of_memory import is_out_of_memory, refuses_without_memory

if TYPE_CHECKING:
    import torch

    from biaslab.subjects.language_model import LanguageModel

_KNOWN: WeakKeyDictionary[LanguageModel, Blocks] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class Blocks:
    """The blocks of a model from its input to its output.

    Attributes
    ----------
    modules : tuple of torch.nn.Module
        In the order in which they run.
    lengths : tuple of int
        What each returns: 0 for hidden states, else the length of a tuple that begins with them.
    """

    modules: tuple[Any, ...]
    lengths: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.modules)

    @contextmanager
    def captured(self) -> Iterator[list[torch.Tensor]]:
        """Collect the states that each block passes on during a forward pass."""
        found: list[torch.Tensor] = []

        def keep(_: Any, __: Any, output: Any) -> None:
            found.append(output[0] if isinstance(output, tuple) else output)

        hooks = [block.register_forward_hook(keep) for block in self.modules]
        try:
            yield found
        finally:
            for hook in hooks:
                hook.remove()

    @contextmanager
    def entered(self, layer: int, states: torch.Tensor) -> Iterator[None]:
        """Skip the first blocks: the forward pass goes on from given states.

        Parameters
        ----------
        layer : int
            How many blocks are skipped, at least 1.
        states : Tensor, shape (texts, length, width)
            What the last of them passes on.
        """
        skipped = list(zip(self.modules[:layer], self.lengths[:layer], strict=True))
        before = [vars(block).get("forward") for block, _ in skipped]
        for block, length in skipped:
            block.forward = _passing_on(states, length)
        try:
            yield
        finally:
            for (block, _), forward in zip(skipped, before, strict=True):
                if forward is None:
                    del block.forward
                else:  # a wrapper of its own, as of a model that is split over devices
                    block.forward = forward


def _passing_on(states: torch.Tensor, length: int) -> Any:
    output: Any = states if length == 0 else (states, *[None] * (length - 1))

    def forward(*_: Any, **__: Any) -> Any:
        return output

    return forward


def blocks_of(lm: LanguageModel) -> Blocks:
    """Return the blocks of a language model, tried on a few tokens.

    They are the outermost list of as many modules as the model's configuration counts layers. Each
    has to run once and to pass on hidden states of one width, and the model has to answer the same
    when it is entered half-way with its own states.

    Raises
    ------
    SubjectError
        When there is no such list, or the model keeps more than these states.
    """
    if lm not in _KNOWN:
        _KNOWN[lm] = _tried(lm, _listed(lm))
    return _KNOWN[lm]


def _listed(lm: LanguageModel) -> tuple[Any, ...]:
    import torch

    config = lm.model.config
    count = getattr(config, "num_hidden_layers", None)
    if count is None:
        text = config.get_text_config() if hasattr(config, "get_text_config") else config
        count = getattr(text, "num_hidden_layers", None)
    found = sorted(
        (
            (name.count("."), order, tuple(module))
            for order, (name, module) in enumerate(lm.model.named_modules())
            if isinstance(module, torch.nn.ModuleList) and len(module) == count
        ),
        key=lambda one: one[:2],
    )
    if not found or len({id(block) for block in found[0][2]}) != count:
        raise _refused(lm, "it has no list of blocks that run one after the other")
    return found[0][2]


def _tried(lm: LanguageModel, modules: tuple[Any, ...]) -> Blocks:
    import torch

    size = min(int(lm.model.get_input_embeddings().weight.shape[0]), lm.vocabulary)
    ids = (torch.arange(8, device=lm.device).reshape(2, 4) + 5) % size
    order: list[int] = []
    outputs: list[Any] = []

    def keep(module: Any, _: Any, output: Any) -> None:
        order.append(id(module))
        outputs.append(output)

    within_memory = refuses_without_memory(lm.device, lm.name, "one text")
    with lm.lock, torch.inference_mode(), within_memory:
        hooks = [block.register_forward_hook(keep) for block in modules]
        try:
            plain = lm.model(input_ids=ids).logits.float()
        finally:
            for hook in hooks:
                hook.remove()
        if order != [id(block) for block in modules]:
            raise _refused(lm, "its blocks do not run once each, one after the other")
        states = [output[0] if isinstance(output, tuple) else output for output in outputs]
        if any(getattr(each, "shape", ()) != (*ids.shape, *states[0].shape[2:]) for each in states):
            raise _refused(lm, "its blocks do not pass on one array of hidden states")
        lengths = tuple(len(out) if isinstance(out, tuple) else 0 for out in outputs)
        blocks = Blocks(modules, lengths)
        blank = torch.zeros_like(lm.model.get_input_embeddings()(ids))
        for layer in sorted({1, (len(modules) + 1) // 2, len(modules)}):
            try:
                with blocks.entered(layer, states[layer - 1]):
                    again = lm.model(inputs_embeds=blank).logits.float()
            except (RuntimeError, ValueError, TypeError, AttributeError, IndexError) as error:
                if is_out_of_memory(error):
                    raise
                raise _refused(lm, "its blocks cannot be skipped") from error
            largest = max(1.0, float(plain.abs().max()))
            if float((again - plain).abs().max()) > lm.noise * largest:
                raise _refused(lm, "its hidden states are not all that its blocks pass on")
    return blocks


def _refused(lm: LanguageModel, why: str) -> SubjectError:
    return SubjectError(
        f"The stimulus cannot be patched into the layers of {lm.name}"
        f" ({type(lm.model).__name__}): {why}. Leave out layers, or choose a model such as GPT-2,"
        " Llama or BERT."
    )
