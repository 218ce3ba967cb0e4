"""Version 2: runs have tags, a bench, a duration and a trash, and are listed without documents.

The tables are written out here as they were then: a script does not change with the package, but
for the words of a run, which are only searched.
"""

import json
import math

import sqlalchemy as sa
from alembic import op

from biaslab.store.run_fields import run_words

revision = "2"
down_revision = "1"

_ROWS_AT_ONCE = 20


def upgrade() -> None:
    """Upgrade a store of version 1."""
    connection = op.get_bind()
    _create_missing_tables(sa.inspect(connection).get_table_names())
    op.create_table(
        "biaslab_contents",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("words", sa.Text, nullable=False),
        sa.Column("inputs", sa.Text, nullable=False),
        sa.Column("picture", sa.Text),
        sa.Column("document", sa.Text, nullable=False),
    )
    op.create_table(
        "biaslab_tags",
        sa.Column("run", sa.String(16), primary_key=True),
        sa.Column("tag", sa.String(100), primary_key=True, index=True),
    )
    # A default fills the new columns of the old rows; it is dropped with the copy below.
    with op.batch_alter_table("biaslab_runs") as batch:
        batch.add_column(sa.Column("bench", sa.Text, nullable=False, server_default=""))
        batch.add_column(sa.Column("seconds", sa.Float))
        batch.add_column(sa.Column("bytes", sa.Integer, nullable=False, server_default="0"))
        batch.add_column(sa.Column("deleted", sa.Text))
    _move_documents(connection)
    with op.batch_alter_table("biaslab_runs") as batch:
        batch.drop_column("document")
        batch.alter_column("bench", server_default=None)
        batch.alter_column("bytes", server_default=None)


def _create_missing_tables(present: list[str]) -> None:
    if "biaslab_values" not in present:
        op.create_table(
            "biaslab_values",
            sa.Column("kind", sa.String(32), primary_key=True),
            sa.Column("key", sa.String(64), primary_key=True),
            sa.Column("value", sa.Text, nullable=False),
        )
    if "biaslab_sentences" not in present:
        op.create_table(
            "biaslab_sentences",
            sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
            sa.Column("hash", sa.String(64), unique=True, nullable=False),
            sa.Column("term", sa.String(200), index=True, nullable=False),
            sa.Column("attribute", sa.String(200), index=True, nullable=False),
            sa.Column("document", sa.Text, nullable=False),
        )
    if "biaslab_images" not in present:
        op.create_table(
            "biaslab_images",
            sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
            sa.Column("hash", sa.String(64), unique=True, nullable=False),
            sa.Column("term", sa.String(200), index=True, nullable=False),
            sa.Column("file", sa.String(64), index=True, nullable=False),
            sa.Column("document", sa.Text, nullable=False),
        )


def _move_documents(connection: sa.Connection) -> None:
    """Copy documents into their own table, a few at a time: they may be large."""
    texts = [sa.column(name, sa.Text) for name in ("id", "document", "bench")]
    runs = sa.table("biaslab_runs", *texts, sa.column("seconds"), sa.column("bytes"))
    contents = sa.table(
        "biaslab_contents",
        *(sa.column(name, sa.Text) for name in ("id", "words", "inputs", "picture", "document")),
    )
    ids = list(connection.execute(sa.select(runs.c.id)).scalars())
    for start in range(0, len(ids), _ROWS_AT_ONCE):
        some = ids[start : start + _ROWS_AT_ONCE]
        query = sa.select(runs.c.id, runs.c.document).where(runs.c.id.in_(some))
        for run_id, document in connection.execute(query).all():
            words, seconds = _read(document)
            row = {"id": run_id, "words": words, "inputs": "{}", "document": document}
            connection.execute(contents.insert().values(row))
            facts = {"seconds": seconds, "bytes": len(document.encode())}
            connection.execute(runs.update().where(runs.c.id == run_id).values(facts))


def _read(document: str) -> tuple[str, float | None]:
    """Return the words of a result, and its duration; a damaged result has neither."""
    try:
        data = json.loads(document)
        words = run_words(data).replace("\0", "\N{REPLACEMENT CHARACTER}")
    except (ValueError, AttributeError):
        return "", None
    provenance = data.get("provenance") if isinstance(data, dict) else None
    seconds = provenance.get("seconds") if isinstance(provenance, dict) else None
    if not isinstance(seconds, int | float) or not math.isfinite(seconds):
        return words, None
    return words, float(seconds)
