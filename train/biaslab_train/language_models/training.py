"""Training of a small language model from scratch, with interruptions.

Gradients are clipped, hidden matrices learn by Muon (Jordan et al. 2024, https://kellerjordan.github.io/posts/muon/),
embeddings and norms by AdamW, matrix products run in bfloat16 if that is faster.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch

from biaslab_train.language_models.network import build_network, loss_sum, masked_batch
from biaslab_train.language_models.tokenizer import save_tokenizer
from biaslab_train.language_models.tokens import (
    Emphasis,
    Passages,
    TokenCorpus,
    blocks,
    prepare_tokens,
)
from biaslab_train.optimisation import (
    find_device,
    muon_and_adamw,
    quicker_precision,
    take_step,
    write_half,
)
from biaslab_train.runs import LIBRARIES, Progress, find_checkpoint, open_run, spend
from biaslab_train.settings import Budget, LanguageModelSettings, rate_factor

_TOKENS_AT_ONCE_ON_CPU, _TOKENS_AT_ONCE = 2048, 65_536
"""Tokens per part of a step: on a CPU, few enough for its cache."""
_STEPS_BETWEEN_LOGS = 50
_HELD_OUT_TOKENS = 16_384


def train_language_model(
    source: Path,
    folder: Path,
    budget: Budget,
    settings: LanguageModelSettings,
    *,
    data: Path | None = None,
    resume: bool = False,
    device: str | None = None,
    threads: int | None = None,
    emphasis: Emphasis | None = None,
    seconds_between_checkpoints: float = 180,
    stop: Callable[[], bool] = lambda: False,
    on_progress: Callable[[Progress], object] = lambda _: None,
) -> bool:
    """Train a language model into a folder in Hugging Face's format.

    Parameters
    ----------
    source : Path
        Corpus: text (plain, .gz, .bz2, .xz), one paragraph a line and articles separated by a
        blank line, a MediaWiki dump, or a folder of them.
    folder : Path
        Output folder (``config.json``, ``model.safetensors`` in float16, tokenizer,
        ``training.json``); ``folder / "work"`` keeps checkpoints and ``log.tsv``.
    budget : Budget
        How long. A run that is continued may be given more, or less.
    settings : LanguageModelSettings
        Sizes, rates and seed.
    data : Path, optional
        Folder of the encoded corpus; several runs may share it. Default ``folder / "data"``.
    resume : bool
        Continue the run in the folder, if there is one.
    device : str, optional
        ``cpu`` or ``cuda``; default the GPU if there is one.
    threads : int, optional
        Processor threads; default as torch chooses.
    emphasis : Emphasis, optional
        Words whose passages are oversampled in this run. One that is continued may have
        another than before; ``training.json`` lists from which token on each was in force.
    seconds_between_checkpoints : float
        Longest work lost by an interruption.
    stop : callable
        Called after each step; when true, the state is saved and training ends.
    on_progress : callable
        Called about every 50 steps.

    Returns
    -------
    bool
        Whether the budget is spent; False if `stop` ended it before. The folder contains a usable
        model either way.

    Raises
    ------
    TrainingError
        If the folder contains a run and ``resume`` is not given, or a run with other settings.
    CorpusError
        If the corpus cannot be read or is too small.
    WriteError
        If the disk is full; the last checkpoint is kept.

    Notes
    -----
    On a CPU, with ``tokens`` as budget and the same number of threads, a run that was interrupted
    and continued ends with the same weights, bit for bit, as one that was not.
    """
    if threads:
        torch.set_num_threads(threads)
    # Checked before the corpus is read, which may take long.
    work = find_checkpoint(folder, resume=resume).parent
    corpus = prepare_tokens(source, data or folder / "data", settings)
    work.mkdir(parents=True, exist_ok=True)
    for left_over in work.glob(".*.partial"):
        left_over.unlink(missing_ok=True)
    place = find_device(device)
    recipe: dict[str, Any] = {
        "format": "biaslab-language-model",
        "version": 1,
        "settings": asdict(settings),
        "corpus": corpus.recipe,
    }
    run = open_run(folder, recipe, "tokens", resume=resume, parts=("settings", "corpus"))
    recipe["precision"] = precision = run.noted.get("precision") or quicker_precision(place)
    recipe["emphasis"] = _continued(run.noted.get("emphasis", []), emphasis, run.position.seen)
    learner = _Learner(corpus, settings, place, precision, emphasis)
    log = _Log(work / "log.tsv")

    def report(progress: Progress) -> None:
        on_progress(progress)
        is_full = progress.step % (10 * _STEPS_BETWEEN_LOGS) == 0
        log.write(progress, learner.held_out_loss() if is_full else None)

    return spend(
        run, recipe, learner, lambda position: budget.share(position.seen, position.seconds),
        seconds_between_checkpoints=seconds_between_checkpoints, stop=stop, on_progress=report,
        steps_between_reports=_STEPS_BETWEEN_LOGS,
    )  # fmt: skip


def _continued(
    phases: list[dict[str, Any]], emphasis: Emphasis | None, tokens: int
) -> list[dict[str, Any]]:
    """Return the emphases of a run, each with its start in tokens; empty without any."""
    now: dict[str, Any] = {"words": [], "share": 0.0}
    if emphasis is not None:
        now = {"words": list(emphasis.words), "share": emphasis.share}
    last = phases[-1] if phases else {"words": [], "share": 0.0}
    if all(last[name] == value for name, value in now.items()):
        return phases
    return [*phases, {"from_tokens": tokens, **now}]


class _Learner:
    """Network, text and optimisers of a run."""

    libraries: tuple[str, ...] = LIBRARIES

    def __init__(
        self,
        corpus: TokenCorpus,
        settings: LanguageModelSettings,
        device: torch.device,
        precision: str,
        emphasis: Emphasis | None,
    ) -> None:
        self.passages = (
            Passages(corpus, emphasis, settings.context, settings.seed) if emphasis else None
        )
        self.corpus, self.settings, self.device = corpus, settings, device
        self.seen_per_step = settings.batch * settings.context
        self.precision: torch.dtype = getattr(torch, precision)
        self.vocabulary = corpus.tokenizer.get_vocab_size()
        self.network = build_network(settings, self.vocabulary).to(device).train()
        self.optimisers = muon_and_adamw(
            self.network,
            [self.network.get_input_embeddings().weight],
            settings.matrix_rate,
            settings.vector_rate,
        )
        fitting = _TOKENS_AT_ONCE_ON_CPU if device.type == "cpu" else _TOKENS_AT_ONCE
        self.at_once = max(1, fitting // settings.context)

    def step(self, number: int, share: float) -> float:
        """Take one optimiser step; return the mean loss before it."""
        settings = self.settings
        ids = blocks(self.corpus.train, settings.context, settings.batch, number, settings.seed)
        if self.passages is not None:
            ids = self.passages.replace(ids, number)
        rng = np.random.default_rng([settings.seed, 2, number])
        shown, targets, where = self._task(ids.astype(np.int64), rng)
        count = max(1, int(where.sum()))
        total = torch.zeros((), device=self.device)
        for at in range(0, len(ids), self.at_once):
            part = slice(at, at + self.at_once)
            if where[part].any():
                loss = loss_sum(
                    self.network, shown[part], targets[part], where[part], self.precision
                )
                (loss / count).backward()  # type: ignore[no-untyped-call]
                total += loss.detach()
        factor = rate_factor(number * self.seen_per_step, share)
        take_step(self.network, self.optimisers, factor)
        return float(total) / count

    def write(self, folder: Path) -> None:
        """Write the current model in Hugging Face's format."""
        write_half(self.network, folder)
        save_tokenizer(self.corpus.tokenizer, self.settings.kind, self.settings.context, folder)

    @torch.no_grad()
    def held_out_loss(self) -> float:
        """Return the mean loss on fixed held-out articles, in nats per predicted token."""
        context = self.settings.context
        number = min((len(self.corpus.held_out) - 1) // context, _HELD_OUT_TOKENS // context)
        starts = np.arange(number)[:, None] * context
        ids = self.corpus.held_out[starts + np.arange(context + 1)].astype(np.int64)
        shown, targets, where = self._task(ids, np.random.default_rng([self.settings.seed, 3]))
        total = 0.0
        self.network.eval()
        for at in range(0, number, self.at_once):
            part = slice(at, at + self.at_once)
            if where[part].any():
                total += float(
                    loss_sum(self.network, shown[part], targets[part], where[part], self.precision)
                )
        self.network.train()
        return total / max(1, int(where.sum()))

    def _task(self, ids: Any, rng: np.random.Generator) -> tuple[torch.Tensor, ...]:
        """Return inputs, targets and positions."""
        if self.settings.kind == "clm":
            shown, targets = ids[:, :-1], ids[:, 1:]
            # END is always followed by BEGIN: nothing to learn there.
            where = targets != self.corpus.begin
        else:
            targets = ids[:, :-1]
            shown, where = masked_batch(targets, self.settings.mask_rate, self.vocabulary, rng)
        return tuple(
            torch.from_numpy(np.ascontiguousarray(x)).to(self.device)
            for x in (shown, targets, where)
        )


class _Log:
    """Tab-separated figures of a run, one line per report."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if not path.exists():
            self._append("step\ttokens\tseconds\tloss\theld_out_loss\ttokens_per_second")

    def write(self, progress: Progress, held_out: float | None) -> None:
        """Add a line; ``held_out`` is empty if it was not measured."""
        on_held_out = "" if held_out is None else f"{held_out:.4f}"
        self._append(
            f"{progress.step}\t{progress.seen}\t{progress.seconds:.0f}\t{progress.loss:.4f}\t"
            f"{on_held_out}\t{progress.pace:.0f}"
        )

    def _append(self, line: str) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
