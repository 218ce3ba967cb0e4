"""Runs the scripts in ``versions`` in the transaction of `biaslab.store.upgrading.upgrade`."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
with context.begin_transaction():
    context.run_migrations()
