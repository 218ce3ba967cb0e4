"""Read a language model at selected positions, in batches with a memory limit.

The vocabulary is projected only at the places that are read: between the body of the model and its
head, the hidden states of those positions are selected. The head is the model's own, of any kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from biaslab.subjects.language_model.acceleration import PackedWeights, at_targets, logits_at
from biaslab.subjects.language_model.rows import (
    Blend,
    Look,
    Row,
    merged_rows,
    shared_rows,
    shares_beginnings,
    split_row,
)
from biaslab.subjects.pretrained.memory import is_out_of_memory, too_little_memory

if TYPE_CHECKING:
    import torch

__all__ = ["MEGABYTE", "TOKENS_AT_ONCE", "Blend", "Look", "at_targets", "blended"]
__all__ += ["Entered", "Entry", "estimated_bytes", "logits_at", "numbers_by_group"]
__all__ += ["read_rows", "rows_for", "stream"]

MEGABYTE = 1_000_000
#: Tokens that go through the model at once, by kind of device: more are not faster.
TOKENS_AT_ONCE = {"cpu": 1_024, "cuda": 32_768}
#: Rows of the vocabulary's width that are summed up at once.
_ROWS_AT_ONCE = 256
#: Bytes per logit: the logit itself, and intermediate results of the head.
_PER_LOGIT = 8
#: Share of the memory that logits may take.
_FOR_LOGITS = 0.6
#: Longest text of a batch, relative to its shortest,
_LIKE = 1.25
#: once a batch has this many tokens; for a smaller one, padding costs less than a new batch.
_WORTH_A_BATCH = 256


class Readable(Protocol):
    """Interface of a `LanguageModel` for reading."""

    @property
    def model(self) -> Any:
        """The model, with its head."""

    @property
    def name(self) -> str:
        """Name of the model."""

    @property
    def device(self) -> str:
        """Device of the model."""

    @property
    def lock(self) -> AbstractContextManager[Any]:
        """Held while it answers."""

    @property
    def vocabulary(self) -> int:
        """Size of the vocabulary."""

    @property
    def padding(self) -> int:
        """Token that fills up a batch."""

    @property
    def takes_out_early(self) -> bool:
        """Whether places can be taken out before its last layer is done."""

    @property
    def tokens_at_once(self) -> int:
        """Tokens that go through it at once."""

    @property
    def bytes_per_token(self) -> int:
        """Memory of a token on its way."""

    @property
    def bytes_per_pair(self) -> int:
        """Memory of a pair of tokens in an attention layer."""


@dataclass(eq=False)
class Entered:
    """A batch on its way into a model.

    Attributes
    ----------
    texts : list of (int, any, ndarray of int64)
        The row of each text, its name, and the index of each of its tokens in the row.
    shape : tuple of int
        Rows, and tokens of the longest one.
    where : list of Tensor
        Rows and columns that are read.
    early : bool
        Whether the last block may be computed at these places only.
    """

    texts: list[tuple[int, Any, NDArray[np.int64]]]
    shape: tuple[int, int]
    where: list[Any]
    early: bool = True


Entry = Callable[[Entered, Any], AbstractContextManager[Any]]
"""Takes a batch and its input embeddings, and gives the embeddings to use while it is open."""


def stream(
    lm: Readable,
    looks: Sequence[Look],
    *,
    memory_mb: float,
    raw: bool = False,
    groups: Sequence[int] | None = None,
    between: Callable[[], None] | None = None,
    advance: Callable[[int], None] | None = None,
) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Yield the number of each look and log probabilities of its targets, as they are read.

    Parameters
    ----------
    lm : LanguageModel
        The model.
    looks : sequence of Look
        In any order. One without targets does not come.
    memory_mb : float
        Limit on the extra memory of a batch, in megabytes. A single text that needs more
        is read alone.
    raw : bool
        Logits instead of log probabilities.
    groups : sequence of int, optional
        Numbers of looks that follow each other and share no batch with others, if the model is on
        a processor. What else is read then changes no digit of a group's values.
    between : callable, optional
        Called between batches; an exception from it ends the reading.
    advance : callable, optional
        Called after each batch with how many more looks, or parts of long ones, are read.
    """
    cap = memory_mb * MEGABYTE
    most = reads_at_once(lm, cap)
    out = [np.empty(len(look.positions)) for look in looks]
    missing = [len(values) for values in out]
    rows = [
        rows_for(lm, list(_parts(looks, numbers, most)), most)
        for numbers in numbers_by_group(lm, len(looks), groups)
    ]
    tokens = None if groups is not None else sum(len(row) for own in rows for row in own)
    with lm.lock:
        packed = PackedWeights(lm.model, tokens, cap)
    for own in rows:
        for answers in read_rows(lm, own, cap - packed.bytes, raw, packed=packed, between=between):
            for (number, begin), values in answers:
                out[number][begin : begin + len(values)] = values
                missing[number] -= len(values)
            if advance is not None:
                advance(len(answers))
            for number in dict.fromkeys(number for (number, _), _ in answers):
                if not missing[number]:
                    yield number, out[number]


def numbers_by_group(lm: Readable, count: int, groups: Sequence[int] | None) -> list[range]:
    """Return the numbers of the looks that may share batches.

    On a processor a product of matrices rounds by how many rows it has. There, groups are read by
    themselves; a GPU would wait for work.
    """
    if groups is None or not lm.device.startswith("cpu"):
        return [range(count)]
    ends = np.cumsum(groups).tolist()
    return [range(end - size, end) for end, size in zip(ends, groups, strict=True)]


def reads_at_once(lm: Readable, cap: float) -> int:
    """Return how many places are read at once within a limit of memory in bytes."""
    return max(1, int(_FOR_LOGITS * cap / (_PER_LOGIT * lm.vocabulary)))


def read_rows(
    lm: Readable,
    rows: Sequence[Row],
    cap: float,
    raw: bool,
    *,
    packed: PackedWeights,
    entry: Entry | None = None,
    between: Callable[[], None] | None = None,
) -> Iterator[list[tuple[Any, NDArray[np.float64]]]]:
    """Yield the answers of each batch: the name of a text, and its values.

    Parameters
    ----------
    lm : LanguageModel
        The model.
    rows : sequence of Row
        In any order.
    cap : float
        Limit on the extra memory of a batch, in bytes.
    raw : bool
        Logits instead of log probabilities.
    packed : PackedWeights
        Used while the model runs.
    entry : Entry, optional
        What goes into the model in place of tokens, or takes states out of it.
    between : callable, optional
        Called before each batch.
    """
    for batch in _batches(lm, rows, cap, reads_at_once(lm, cap)):
        if between is not None:
            between()
        with lm.lock, packed.installed():
            answers = _answers(lm, batch, raw, entry)
        yield answers


def rows_for(lm: Readable, texts: Sequence[tuple[Any, Look]], most_reads: int) -> list[Row]:
    """Return the rows of tokens in which a model reads texts."""
    longest = max((len(look.ids) for _, look in texts), default=0)
    if getattr(lm, "kind", "") == "clm" and shares_beginnings(lm, longest, _forward):
        return shared_rows(texts, most_reads)
    return merged_rows(texts, most_reads)


def _parts(
    looks: Sequence[Look], numbers: Sequence[int], most: int
) -> Iterator[tuple[tuple[int, int], Look]]:
    """Yield looks with at most ``most`` positions each, by number and first position."""
    for number in numbers:
        look = looks[number]
        for begin in range(0, len(look.positions), most):
            end = begin + most
            yield (
                (number, begin),
                replace(look, positions=look.positions[begin:end], targets=look.targets[begin:end]),
            )


def _batches(lm: Readable, rows: Sequence[Row], cap: float, most_reads: int) -> Iterator[list[Row]]:
    """Yield batches of rows of similar length, so that there is little padding."""
    batch: list[Row] = []
    reads = 0
    for row in sorted(rows, key=len):
        count, longest = len(batch) + 1, len(row)
        reads += row.reads
        heavy = (
            count * longest > lm.tokens_at_once
            or reads > most_reads
            or estimated_bytes(lm, count, longest, reads) > cap
            or (longest > _LIKE * len(batch[0]) and len(batch) * longest > _WORTH_A_BATCH)
            if batch
            else False
        )
        if heavy:
            yield batch
            batch, reads = [], row.reads
        batch.append(row)
    if batch:
        yield batch


def estimated_bytes(lm: Readable, rows: int, longest: int, reads: int) -> float:
    """Return an upper estimate of a batch's peak memory, in bytes."""
    tokens = rows * longest
    body = tokens * lm.bytes_per_token + tokens * longest * lm.bytes_per_pair
    return body + reads * lm.vocabulary * _PER_LOGIT


def _answers(
    lm: Readable, batch: Sequence[Row], raw: bool, entry: Entry | None
) -> list[tuple[Any, NDArray[np.float64]]]:
    """Read a batch; halve it while a device has not enough memory for it."""
    try:
        return _forward(lm, batch, raw, entry)
    except (RuntimeError, MemoryError) as error:
        if not is_out_of_memory(error):
            raise
        if len(batch) == 1 and len(batch[0].texts) == 1:
            raise too_little_memory(lm.device, lm.name, "one text") from error
    rows = list(batch) if len(batch) > 1 else list(split_row(batch[0]))
    half = len(rows) // 2
    return _answers(lm, rows[:half], raw, entry) + _answers(lm, rows[half:], raw, entry)


def _forward(
    lm: Readable, batch: Sequence[Row], raw: bool, entry: Entry | None = None
) -> list[tuple[Any, NDArray[np.float64]]]:
    import torch

    longest = max(map(len, batch))
    ids = np.full((len(batch), longest), lm.padding, dtype=np.int64)
    shown = np.zeros((len(batch), longest), dtype=np.int64)
    for number, row in enumerate(batch):
        ids[number, : len(row)] = row.ids
        shown[number, : len(row)] = 1
    texts = [(number, *text) for number, row in enumerate(batch) for text in row.texts]
    places = np.concatenate(
        [number * longest + columns[look.positions] for number, _, look, columns in texts]
    )
    targets = np.concatenate([look.targets for _, _, look, _ in texts])
    # Texts that share a place are read there at once.
    different, which = np.unique(places, return_inverse=True)
    with lm.lock, torch.inference_mode():
        tokens: torch.Tensor | None = torch.from_numpy(ids).to(lm.device)
        options: dict[str, Any] = {}
        mask = None if shown.all() else torch.from_numpy(shown).to(lm.device)
        if any(row.is_tree for row in batch):
            mask, options["position_ids"] = _tree_mask(lm, batch, longest)
        if any(look.blend is not None for _, _, look, _ in texts):
            placed = [(number, look, columns) for number, _, look, columns in texts]
            options["inputs_embeds"] = blended(lm, tokens, placed)
            tokens = None
        where = [
            torch.from_numpy(each).to(lm.device)
            for each in (different // longest, different % longest)
        ]
        early = lm.takes_out_early
        with ExitStack() as stack:
            if entry is not None:
                named = [(number, name, columns) for number, name, _, columns in texts]
                entered = Entered(named, (len(batch), longest), where)
                embedded = stack.enter_context(entry(entered, options.get("inputs_embeds")))
                tokens, options["inputs_embeds"] = None, embedded
                early = early and entered.early
            logits = logits_at(lm.model, tokens, mask, *where, early=early, **options)
        values = np.empty(len(targets))
        for at in range(0, len(logits), _ROWS_AT_ONCE):
            inside = np.flatnonzero((which >= at) & (which < at + _ROWS_AT_ONCE))
            read = at_targets(
                logits[at : at + _ROWS_AT_ONCE],
                torch.from_numpy(which[inside] - at),
                torch.from_numpy(targets[inside]),
                raw,
            )
            values[inside] = read.double().cpu().numpy()
    ends = np.cumsum([len(look.positions) for _, _, look, _ in texts])[:-1]
    names = [name for _, name, _, _ in texts]
    return list(zip(names, np.split(values, ends), strict=True))


def _tree_mask(
    lm: Readable, batch: Sequence[Row], longest: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return an additive mask (texts, 1, length, length) and the positions (texts, length)."""
    import torch

    seen = np.zeros((len(batch), 1, longest, longest), dtype=bool)
    seen[:, 0] = np.eye(longest, dtype=bool)  # padding looks at itself: no row may be empty
    depths = np.zeros((len(batch), longest), dtype=np.int64)
    for number, row in enumerate(batch):
        seen[number, 0, : len(row), : len(row)] = row.seen()
        depths[number, : len(row)] = row.depths()
    dtype = lm.model.dtype
    hidden = torch.from_numpy(~seen).to(lm.device)
    mask = torch.zeros(hidden.shape, dtype=dtype, device=lm.device)
    mask.masked_fill_(hidden, torch.finfo(dtype).min)
    return mask, torch.from_numpy(depths).to(lm.device)


def blended(
    lm: Readable, ids: Any, looks: Sequence[tuple[int, Look, NDArray[np.int64]]]
) -> torch.Tensor:
    """Return input embeddings (texts, length, width) with the mixtures inserted."""
    import torch

    table = lm.model.get_input_embeddings()
    embedded: torch.Tensor = table(ids).clone()
    ends: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}
    for row, look, columns in looks:
        if (blend := look.blend) is None:
            continue
        if id(blend) not in ends:  # shared by all mixtures of the same two words in the same place
            first, second = (
                table(torch.from_numpy(side).to(lm.device)).double().mean(dim=1)
                for side in (blend.first, blend.second)
            )
            ends[id(blend)] = first, second
        first, second = ends[id(blend)]
        mixed = (1 - look.alpha) * first + look.alpha * second
        places = torch.from_numpy(columns[blend.start : blend.start + len(mixed)])
        embedded[row, places.to(lm.device)] = mixed.to(embedded.dtype)
    return embedded
