"""Patch a blended stimulus into a language model at any layer, and read its answers.

Two end runs show the model either word of a `Blend`; the states that each block passes on are
kept. For a layer, states are the mixture of the two runs' states there, and the forward pass goes
on from that layer: one batch for all mixtures, without the blocks below. Where a causal model can,
all mixtures of a text share the places before the blend.

A transformer is a row of blocks that pass on one array of hidden states. Hooks see what each block
passes on; a block that is skipped passes on given states instead. Neither knows the architecture.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import SubjectError
from biaslab.subjects.language_model.acceleration import PackedWeights
from biaslab.subjects.language_model.reading import (
    MEGABYTE,
    Entered,
    Entry,
    Look,
    numbers_by_group,
    read_rows,
    reads_at_once,
    rows_for,
)
from biaslab.subjects.pretrained.facts import width_of
from biaslab.subjects.pretrained.memory import (
    batch_memory_mb,
    is_out_of_memory,
    refuses_without_memory,
)

if TYPE_CHECKING:
    import torch

    from biaslab.subjects.language_model.model import LanguageModel


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
        states: list[torch.Tensor] = []

        def keep(_: Any, __: Any, output: Any) -> None:
            states.append(output[0] if isinstance(output, tuple) else output)

        hooks = [block.register_forward_hook(keep) for block in self.modules]
        try:
            yield states
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
    lists = sorted(
        (
            (name.count("."), order, tuple(module))
            for order, (name, module) in enumerate(lm.model.named_modules())
            if isinstance(module, torch.nn.ModuleList) and len(module) == count
        ),
        key=lambda one: one[:2],
    )
    if not lists or len({id(block) for block in lists[0][2]}) != count:
        raise _refused(lm, "it has no list of blocks that run one after the other")
    return lists[0][2]


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
        f" ({type(lm.model).__name__}): {why}. Ask bl.two_afc, or choose a model such as GPT-2,"
        " Llama or BERT."
    )


class EndRuns:
    """States of texts at alpha 0 and 1, in one tensor for each layer.

    Texts are named by the number of their look and alpha. Places that several texts share lie
    there once.

    Parameters
    ----------
    blocks : Blocks
        Of the model.
    """

    def __init__(self, blocks: Blocks) -> None:
        self._blocks = blocks
        self._parts: list[list[torch.Tensor]] = [[] for _ in blocks.modules]
        self._states: list[torch.Tensor] = []
        self._size = 0
        self._places: dict[tuple[int, float], NDArray[np.int64]] = {}

    @contextmanager
    def entered(self, batch: Entered, embedded: torch.Tensor) -> Iterator[torch.Tensor]:
        """Keep the states of a batch's ends while the model reads it."""
        ends = [text for text in batch.texts if text[1][1] in (0, 1)]
        if not ends:
            yield embedded
            return
        with self._blocks.captured() as captured:
            yield embedded
        flat = np.concatenate([row * batch.shape[1] + columns for row, _, columns in ends])
        kept, which = np.unique(flat, return_inverse=True)
        begin = 0
        for _, name, columns in ends:
            self._places[name] = self._size + which[begin : begin + len(columns)]
            begin += len(columns)
        self._size += len(kept)
        for part, states in zip(self._parts, captured, strict=True):
            part.append(_whole(states, batch).flatten(0, 1)[_index(kept, states)])

    def close(self) -> None:
        """Put the states of all batches together: there are no more."""
        import torch

        self._states = [torch.cat(part) for part in self._parts]
        self._parts = []

    def mixed(self, layer: int, batch: Entered, shares: NDArray[np.float32]) -> torch.Tensor:
        """Return mixed states (rows, length, width) of a batch.

        Parameters
        ----------
        layer : int
            From 1: what this block passes on.
        batch : Entered
            Its texts are named by look and alpha.
        shares : ndarray of float32, shape (n,)
            Share of the second end at each place of the texts, one text after the other.
        """
        import torch

        states = self._states[layer - 1]
        first, second = (
            np.concatenate([self._places[name[0], end] for _, name, _ in batch.texts])
            for end in (0.0, 1.0)
        )
        share = torch.from_numpy(shares).to(states.device)[:, None]
        one, other = states[_index(first, states)], states[_index(second, states)]
        fine = torch.promote_types(states.dtype, torch.float32)
        values = ((1 - share) * one.to(fine) + share * other.to(fine)).to(states.dtype)
        full = states.new_zeros((batch.shape[0] * batch.shape[1], states.shape[-1]))
        flat = [row * batch.shape[1] + columns for row, _, columns in batch.texts]
        full[_index(np.concatenate(flat), states)] = values
        return full.reshape(*batch.shape, -1)


def _whole(states: torch.Tensor, batch: Entered) -> torch.Tensor:
    """Return states (rows, length, width) of a block that may pass on the read places only."""
    if states.shape[:2] == batch.shape:
        return states
    full = states.new_zeros((*batch.shape, states.shape[-1]))
    rows, columns = (each.to(states.device) for each in batch.where)
    full[rows, columns] = states[0]
    return full


def _index(places: NDArray[np.int64], states: Any) -> Any:
    import torch

    return torch.from_numpy(places).to(states.device)


Patch = Literal["text", "cue"]
"""Places at which states are mixed: the whole text, or the cue's own place only."""
PATCHES: tuple[Patch, ...] = ("text", "cue")
_FOR_STATES = 0.5
"""Share of the memory that the states of the end runs may take."""


def read_layers(
    lm: LanguageModel,
    looks: Sequence[Look],
    alphas: NDArray[np.float64],
    layers: Sequence[int],
    *,
    patch: Patch = "text",
    memory_mb: float | None = None,
    groups: Sequence[int] | None = None,
    between: Callable[[], None] | None = None,
    advance: Callable[[int], None] | None = None,
) -> list[NDArray[np.float64]]:
    r"""Log probabilities of targets, with the mixture patched in at each of some layers.

    With :math:`h_1` and :math:`h_2` the states of the two end runs at a layer, the states there
    are :math:`(1-\alpha) h_1 + \alpha h_2`. With ``patch="cue"`` only those at the cue's own place
    are; at all others, alpha is held at 1/2. Layer 0 is the input embeddings, where both are the
    same; layer l is what block l passes on.

    Parameters
    ----------
    lm : LanguageModel
        The model.
    looks : sequence of Look
        Each with a blend; its own ``alpha`` is ignored.
    alphas : ndarray, shape (A,)
        Shares of the second word.
    layers : sequence of int
        From 0 to the number of blocks.
    patch : {"text", "cue"}
        Where states are mixed.
    memory_mb : float, optional
        Limit on the extra memory of a batch, in megabytes.
    groups : sequence of int, optional
        Numbers of looks that share no batch, as of
        `biaslab.subjects.language_model.reading.read`.
    between : callable, optional
        Called between batches; an exception from it ends the reading.
    advance : callable, optional
        Called after each layer of a batch with how many readings of a look at an alpha are done.

    Returns
    -------
    list of ndarray, shape (layers, A, n)
        One per look, with its n positions.

    Raises
    ------
    SubjectError
        When the model has no blocks that can be entered.
    DeviceMemoryError
        When memory does not suffice for one text alone.
    """
    if memory_mb is None:
        memory_mb = batch_memory_mb(lm.device)
    cap = memory_mb * MEGABYTE
    blocks = blocks_of(lm)
    tokens = None
    if groups is None:
        tokens = sum(len(look.ids) for look in looks) * len(alphas) * len(layers)
    with lm.lock:
        packed = PackedWeights(lm.model, tokens, (1 - _FOR_STATES) * cap)
    out = [np.empty((len(layers), len(alphas), len(look.positions))) for look in looks]
    for numbers in numbers_by_group(lm, len(looks), groups):
        for some in _fitting(lm, looks, numbers, len(blocks), _FOR_STATES * cap):
            reading = _Reading(
                lm, blocks, looks, some, alphas, layers, patch, cap, packed, between,
                advance or _nobody,
            )  # fmt: skip
            reading.fill(out)
    return out


@dataclass(frozen=True, eq=False)
class _Reading:
    """Some of the looks, read at all layers."""

    lm: LanguageModel
    blocks: Blocks
    looks: Sequence[Look]
    numbers: Sequence[int]
    alphas: NDArray[np.float64]
    layers: Sequence[int]
    patch: Patch
    cap: float
    packed: PackedWeights
    between: Callable[[], None] | None
    advance: Callable[[int], None]

    def fill(self, out: list[NDArray[np.float64]]) -> None:
        """Write the values of all layers and stimuli into an array for each look."""
        levels = self.alphas.tolist()
        ends = EndRuns(self.blocks)
        pure: dict[tuple[int, float], NDArray[np.float64]] = {}
        # Alone, so that they are the same whatever layers are read.
        for answers in self._answers([0.0, 1.0], ends.entered):
            pure.update(answers)
        ends.close()
        for at, layer in enumerate(self.layers):
            # Pure cues are the end runs themselves at every layer above the input.
            is_known = [layer > 0 and self.patch == "text" and a in (0, 1) for a in levels]
            self.advance(len(self.numbers) * sum(is_known))
            mixed = [a for a, old in zip(levels, is_known, strict=True) if not old]
            entry = partial(self._mixed, ends, layer) if layer > 0 else None
            known = dict(pure)
            for answers in self._answers(mixed, entry):
                known.update(answers)
                self.advance(len(answers))
            for i in self.numbers:
                for place, a in enumerate(levels):
                    out[i][at, place] = known[i, a]

    def _answers(
        self, levels: Sequence[float], entry: Entry | None = None
    ) -> Iterator[list[tuple[tuple[int, float], NDArray[np.float64]]]]:
        """Yield the readings of each batch by number of the look and alpha."""
        texts = [((i, a), replace(self.looks[i], alpha=a)) for i in self.numbers for a in levels]
        rows = rows_for(self.lm, texts, reads_at_once(self.lm, self.cap))
        yield from read_rows(
            self.lm, rows, (1 - _FOR_STATES) * self.cap - self.packed.bytes, raw=False,
            packed=self.packed, entry=entry, between=self.between,
        )  # fmt: skip

    @contextmanager
    def _mixed(
        self, ends: EndRuns, layer: int, entered: Entered, embedded: torch.Tensor
    ) -> Iterator[torch.Tensor]:
        """Enter the model at a layer with the mixtures of a batch's texts."""
        shares = np.concatenate([self._shares(*name) for _, name, _ in entered.texts])
        states = ends.mixed(layer, entered, shares)
        entered.early = layer < len(self.blocks)
        with self.blocks.entered(layer, states):
            yield embedded

    def _shares(self, number: int, alpha: float) -> NDArray[np.float32]:
        """Return the share of the second run at every place of a look."""
        look = self.looks[number]
        if self.patch == "text":
            return np.full(len(look.ids), alpha, dtype=np.float32)
        assert look.blend is not None  # noqa: S101  # every question has one
        share = np.full(len(look.ids), 0.5, dtype=np.float32)
        places = max(len(look.blend.first), len(look.blend.second))
        share[look.blend.start : look.blend.start + places] = alpha
        return share


def _fitting(
    lm: LanguageModel, looks: Sequence[Look], numbers: Sequence[int], blocks: int, cap: float
) -> Iterator[list[int]]:
    """Yield numbers of looks whose end runs fit into memory together."""
    width = width_of(lm.model) * int(lm.model.dtype.itemsize)
    group: list[int] = []
    states = 0
    for number in numbers:
        look = looks[number]
        own = 2 * len(look.ids) * width * blocks
        if group and states + own > cap:
            yield group
            group, states = [], 0
        group.append(number)
        states += own
    if group:
        yield group


def _nobody(_: int) -> None:
    """Report to nobody."""
