"""Training of a small language model from scratch, with interruptions.

Gradients are clipped, hidden matrices learn by Muon (Jordan et al. 2024, https://kellerjordan.github.io/posts/muon/),
embeddings and norms by AdamW, matrix products run in bfloat16 if that is faster.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
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
    read_tokens,
)
from biaslab_train.model_files import write_half
from biaslab_train.recipes import Learner, Recipe, Start
from biaslab_train.runs import Progress, Run
from biaslab_train.settings import LanguageModelSettings, rate_factor

_TOKENS_AT_ONCE_ON_CPU, _TOKENS_AT_ONCE = 2048, 65_536
"""Tokens per part of a step: on a CPU, few enough for its cache."""
_HELD_OUT_TOKENS = 16_384


@dataclass(frozen=True)
class LanguageModelRecipe(Recipe):
    """Recipe of a causal or masked language model.

    - `source`: corpus: text (plain, .gz, .bz2, .xz), one paragraph a line and articles separated by
      a blank line, a MediaWiki dump, or a folder of them.
    - `settings`: sizes, rates and seed.
    - `emphasis`: words whose passages are oversampled in this run. One that is continued may have
      another than before; ``training.json`` lists from which token on each was in force.
    """

    name, unit, is_mixed = "language-model", "tokens", True
    source: Path
    settings: LanguageModelSettings
    emphasis: Emphasis | None = None

    def content(self, data: Path) -> dict[str, Any]:
        """Return settings and corpus; encode the corpus if this has not been done yet."""
        corpus = prepare_tokens(self.source, data, self.settings)
        return {"settings": asdict(self.settings), "corpus": corpus.recipe}

    def notes(self, run: Run) -> dict[str, Any]:
        """Return the emphases of a run."""
        noted = run.noted.get("emphasis", [])
        return {"emphasis": _continued(noted, self.emphasis, run.position.seen)}

    def learner(self, start: Start) -> _Learner:
        """Return a new model, with its figures in ``log.tsv`` beside the checkpoint."""
        return _Learner(read_tokens(start.data), self, start)


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


class _Learner(Learner):
    """Network, text and optimisers of a run."""

    steps_between_reports = 50

    def __init__(self, corpus: TokenCorpus, recipe: LanguageModelRecipe, start: Start) -> None:
        settings, emphasis = recipe.settings, recipe.emphasis
        self.passages = (
            Passages(corpus, emphasis, settings.context, settings.seed) if emphasis else None
        )
        self.corpus, self.settings, self.precision = corpus, settings, start.precision
        self.vocabulary = corpus.tokenizer.get_vocab_size()
        super().__init__(
            build_network(settings, self.vocabulary, settings.kind), settings, start.device
        )
        self.seen_per_step = settings.batch * settings.context
        fitting = _TOKENS_AT_ONCE_ON_CPU if start.device.type == "cpu" else _TOKENS_AT_ONCE
        self.at_once = max(1, fitting // settings.context)
        self.figures = start.run.checkpoint.with_name("log.tsv")

    def add_gradient(self, number: int) -> float:
        """Add the gradient of a step; return the mean loss, in nats per predicted token."""
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
        return float(total) / count

    def rate_factor(self, tokens: int, share: float) -> float:
        """Return the factor of learning rates; see `biaslab_train.settings.rate_factor`."""
        return rate_factor(tokens, share)

    def log(self, progress: Progress) -> None:
        """Add a line to ``log.tsv``, every tenth with the loss on held-out articles."""
        is_full = progress.step % (10 * self.steps_between_reports) == 0
        held_out = f"{self.held_out_loss():.4f}" if is_full else ""
        is_new = not self.figures.exists()
        with self.figures.open("a", encoding="utf-8") as file:
            if is_new:
                file.write("step\ttokens\tseconds\tloss\theld_out_loss\ttokens_per_second\n")
            file.write(
                f"{progress.step}\t{progress.seen}\t{progress.seconds:.0f}\t{progress.loss:.4f}\t"
                f"{held_out}\t{progress.pace:.0f}\n"
            )

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
