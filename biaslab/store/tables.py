"""Tables of a store, in its present version."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlalchemy as sa

STORE_VERSION = 2
"""Raise it with each script in ``migrations/versions``."""


@dataclass(frozen=True)
class Tables:
    """The tables of a store.

    `runs` has what a list of runs shows; `contents` has their large texts, so that a list is read
    without them.
    """

    metadata: sa.MetaData
    meta: sa.Table
    runs: sa.Table
    contents: sa.Table
    tags: sa.Table
    files: sa.Table
    values: sa.Table
    sentences: sa.Table
    images: sa.Table


@functools.cache
def tables() -> Tables:
    """Return the tables, created on first use: SQLAlchemy is slow to load."""
    import sqlalchemy as sa

    metadata = sa.MetaData()

    def text(name: str) -> sa.Column[str]:
        return sa.Column(name, sa.Text, nullable=False)

    return Tables(
        metadata,
        sa.Table(
            "biaslab_meta",
            metadata,
            sa.Column("key", sa.String(64), primary_key=True),
            text("value"),
        ),
        sa.Table(
            "biaslab_runs",
            metadata,
            sa.Column("id", sa.String(16), primary_key=True),
            *(text(name) for name in ("label", "bench", "probe", "subject", "time")),
            sa.Column("seconds", sa.Float),
            text("headline"),
            sa.Column("bytes", sa.Integer, nullable=False),
            sa.Column("deleted", sa.Text),
        ),
        sa.Table(
            "biaslab_contents",
            metadata,
            sa.Column("id", sa.String(16), primary_key=True),
            text("words"),
            text("inputs"),
            sa.Column("picture", sa.Text),
            text("document"),
        ),
        sa.Table(
            "biaslab_tags",
            metadata,
            sa.Column("run", sa.String(16), primary_key=True),
            sa.Column("tag", sa.String(100), primary_key=True, index=True),
        ),
        sa.Table(
            "biaslab_files",
            metadata,
            sa.Column("hash", sa.String(64), primary_key=True),
            text("media_type"),
        ),
        sa.Table(
            "biaslab_values",
            metadata,
            sa.Column("kind", sa.String(32), primary_key=True),
            sa.Column("key", sa.String(64), primary_key=True),
            text("value"),
        ),
        sa.Table(
            "biaslab_sentences",
            metadata,
            sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
            sa.Column("hash", sa.String(64), unique=True, nullable=False),
            sa.Column("term", sa.String(200), index=True, nullable=False),
            sa.Column("attribute", sa.String(200), index=True, nullable=False),
            text("document"),
        ),
        sa.Table(
            "biaslab_images",
            metadata,
            sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
            sa.Column("hash", sa.String(64), unique=True, nullable=False),
            sa.Column("term", sa.String(200), index=True, nullable=False),
            sa.Column("file", sa.String(64), index=True, nullable=False),
            text("document"),
        ),
    )
