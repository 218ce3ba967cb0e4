"""Commands of ``biaslab train``."""

from __future__ import annotations

from biaslab.cli.commands import Command
from biaslab_train.cli.embeddings import count_corpus, train_ensemble
from biaslab_train.cli.networks import (
    train_chat,
    train_classifier,
    train_clip,
    train_decisions,
    train_model,
)

COMMANDS: tuple[Command, ...] = (
    train_ensemble,
    count_corpus,
    train_model,
    train_clip,
    train_chat,
    train_decisions,
    train_classifier,
)
