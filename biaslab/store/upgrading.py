"""Upgrades of stores that an older biaslab wrote, with Alembic."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlalchemy as sa

_SCRIPTS = Path(__file__).parent / "migrations"
_one_at_a_time = threading.Lock()
"""Alembic has one context per process."""


def upgrade(connection: sa.Connection, version: int) -> None:
    """Upgrade a store of this version to the present one, within the connection's transaction.

    The revisions of the scripts are the versions of the store. ``biaslab_meta`` holds the version,
    which an older biaslab reads too; Alembic's own table is there only while it works.
    """
    import sqlalchemy as sa
    from alembic import command
    from alembic.config import Config

    config = Config()
    # A per cent sign would start an interpolation.
    config.set_main_option("script_location", str(_SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = connection
    with _one_at_a_time:
        command.stamp(config, str(version))
        command.upgrade(config, "head")
    sa.Table("alembic_version", sa.MetaData()).drop(connection)
