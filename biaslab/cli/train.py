"""``biaslab train``: train embeddings, classifiers and models."""

from __future__ import annotations

from biaslab.cli.commands import Family
from biaslab.cli.train_bootstraps import train_ensemble
from biaslab.cli.train_clerk import train_decisions
from biaslab.cli.train_counts import count_corpus
from biaslab.cli.train_language_model import train_model
from biaslab.cli.train_portrait_chat import train_chat
from biaslab.cli.train_portrait_clip import train_clip
from biaslab.cli.train_sentiment import train_classifier

TRAIN = Family(
    "train",
    "train an embedding, a classifier or a model",
    (
        train_ensemble,
        count_corpus,
        train_model,
        train_clip,
        train_chat,
        train_decisions,
        train_classifier,
    ),
    "KIND",
)
