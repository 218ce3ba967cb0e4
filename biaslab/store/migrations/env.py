"""Runs the scripts in ``versions`` in the transaction of `biaslab.store.database.upgrade`."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
with context.begin_transaction():
    context.run_migrations()
