from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

import biaslab as bl
from biaslab.errors import StoreError


def failing(statement: str, reason: str) -> type[sqlite3.Connection]:
    """A connection whose statements of one kind fail."""

    class Connection(sqlite3.Connection):
        def execute(self, sql: str, *parameters: Any) -> sqlite3.Cursor:
            if sql.startswith(statement):
                raise sqlite3.OperationalError(reason)
            return super().execute(sql, *parameters)

        def cursor(self, *arguments: Any) -> Any:
            if statement == "":
                raise sqlite3.OperationalError(reason)
            return super().cursor(*arguments)

    return Connection


@pytest.mark.parametrize("reason", ["locking protocol", "disk I/O error"])
def test_a_store_works_or_names_the_drive(
    home: Path, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors = {"she": [0.1, 0.9], "he": [0.9, 0.1], "nurse": [0.2, 0.8]}
    result = bl.two_afc(bl.load(vectors), ["nurse"], [("she", "he")])
    connect = sqlite3.connect
    kinds = {"works": failing("PRAGMA journal_mode=WAL", reason), "fails": failing("", reason)}

    def use(name: str) -> None:
        monkeypatch.setattr(
            sqlite3, "connect", lambda *a, **k: connect(*a, **k | {"factory": kinds[name]})
        )

    use("works")
    assert result.save(bl.Store(home / "works"), "x")
    use("fails")
    with pytest.raises(StoreError, match="network drive"):
        result.save(bl.Store(home / "fails"), "x")
