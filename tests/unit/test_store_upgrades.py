"""Stores that an older biaslab wrote: read as they are, and upgraded by the first write."""

from __future__ import annotations

import json
import math
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

from biaslab.errors import StoreError
from biaslab.records.provenance import Provenance
from biaslab.records.result import Result
from biaslab.store import KeptImage, KeptSentence, Store
from biaslab.store.database import STORE_VERSION
from harness.heavy import pd
from harness.postgresql import PostgresServer
from harness.read_only import needs_permissions, open_folder, read_only


@dataclass(frozen=True, kw_only=True)
class Older(Result):
    schema: ClassVar[str] = "store-upgrade-test/1"
    words: tuple[str, ...] = ()

    def to_frame(self) -> Any:
        return pd.DataFrame({"word": list(self.words)})

    def summary(self) -> str:
        return "A headline."


def older(*words: str) -> Older:
    where = Provenance(
        probe="two_afc", subject="wiki", time="2026-01-02T03:04:05.000+00:00", seconds=1.5
    )
    return Older(provenance=where, words=words)


VERSION_1 = """
    CREATE TABLE biaslab_meta (key VARCHAR(64) PRIMARY KEY NOT NULL, value TEXT NOT NULL);
    CREATE TABLE biaslab_runs (id VARCHAR(16) PRIMARY KEY NOT NULL, label TEXT NOT NULL,
        probe TEXT NOT NULL, subject TEXT NOT NULL, time TEXT NOT NULL, headline TEXT NOT NULL,
        document TEXT NOT NULL);
    CREATE TABLE biaslab_files (hash VARCHAR(64) PRIMARY KEY NOT NULL, media_type TEXT NOT NULL);
    INSERT INTO biaslab_meta VALUES ('version', '1');
"""
LATER_TABLES = """
    CREATE TABLE biaslab_values (kind VARCHAR(32) NOT NULL, key VARCHAR(64) NOT NULL,
        value TEXT NOT NULL, PRIMARY KEY (kind, key));
    CREATE TABLE biaslab_sentences (number INTEGER PRIMARY KEY NOT NULL,
        hash VARCHAR(64) NOT NULL, term VARCHAR(200) NOT NULL,
        attribute VARCHAR(200) NOT NULL, document TEXT NOT NULL, UNIQUE (hash));
    CREATE INDEX ix_biaslab_sentences_term ON biaslab_sentences (term);
    CREATE INDEX ix_biaslab_sentences_attribute ON biaslab_sentences (attribute);
    CREATE TABLE biaslab_images (number INTEGER PRIMARY KEY NOT NULL,
        hash VARCHAR(64) NOT NULL, term VARCHAR(200) NOT NULL, file VARCHAR(64) NOT NULL,
        document TEXT NOT NULL, UNIQUE (hash));
    CREATE INDEX ix_biaslab_images_term ON biaslab_images (term);
    CREATE INDEX ix_biaslab_images_file ON biaslab_images (file);
    INSERT INTO biaslab_values VALUES ('score/1', 'a', '1');
    INSERT INTO biaslab_sentences VALUES (1, 'h', 'MAN', 'Math', 'He adds.');
    INSERT INTO biaslab_images VALUES (1, 'h', 'nurse', 'f', '{}');
"""
RUN = "1qk2c07v4x"


def rows() -> list[tuple[str, ...]]:
    """Runs as version 1 kept them: one whole, one damaged."""
    facts = ("two_afc", "wiki", "2026-01-02T03:04:05.000+00:00", "A headline.")
    return [
        (RUN, "pilot", *facts, older("nurse", "Straße").to_json()),
        ("1qk2c07v4y", "damaged", *facts, "{"),
    ]


def version_1(folder: Path, *, later_tables: bool = True) -> Store:
    """Return a store as the first version wrote it."""
    folder.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(folder / "biaslab.sqlite", isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.executescript(VERSION_1 + (LATER_TABLES if later_tables else ""))
    connection.executemany("INSERT INTO biaslab_runs VALUES (?, ?, ?, ?, ?, ?, ?)", rows())
    connection.close()
    return Store(folder)


def schema(url: str) -> dict[str, Any]:
    """Describe the tables of a database, as far as a store relies on them."""
    import sqlalchemy as sa

    engine = sa.create_engine(url, poolclass=sa.NullPool)
    inspector = sa.inspect(engine)
    return {
        name: {
            "columns": {
                column["name"]: (str(column["type"]), column["nullable"])
                for column in inspector.get_columns(name)
            },
            "key": inspector.get_pk_constraint(name)["constrained_columns"],
            "indexes": sorted(
                (i["column_names"], bool(i["unique"]))
                for i in inspector.get_indexes(name)
                if not i.get("duplicates_constraint")
            ),
            "unique": sorted(u["column_names"] for u in inspector.get_unique_constraints(name)),
            "defaults": sorted(
                column["name"]
                for column in inspector.get_columns(name)
                if column["default"] and column["name"] != "number"
            ),
        }
        for name in inspector.get_table_names()
    }


def version(folder: Path) -> str:
    connection = sqlite3.connect(folder / "biaslab.sqlite")
    (found,) = connection.execute("SELECT value FROM biaslab_meta").fetchone()
    connection.close()
    return str(found)


def whole(folder: Path) -> dict[str, Any]:
    """Return the content of the embedded database."""
    connection = sqlite3.connect(folder / "biaslab.sqlite")
    content = list(connection.iterdump())
    connection.close()
    return {"dump": content}


def test_the_newest_script_makes_the_present_version() -> None:
    scripts = Path(sys.modules[Store.__module__].__file__ or "").parent / "migrations" / "versions"
    names = {f"version_{number}.py" for number in range(1, STORE_VERSION + 1)}
    assert {path.name for path in scripts.glob("*.py")} == names


@pytest.mark.parametrize("later_tables", [True, False])
def test_a_store_of_version_1_is_read_without_being_changed(
    tmp_path: Path, later_tables: bool
) -> None:
    store = version_1(tmp_path, later_tables=later_tables)
    before = (tmp_path / "biaslab.sqlite").read_bytes()
    assert store.open(RUN) == older("nurse", "Straße")
    run = store.run(RUN)
    assert (run.label, run.tags, run.bench, run.inputs) == ("pilot", (), "", {})
    assert run.bytes == len(older("nurse", "Straße").to_json())
    assert store.runs()["label"].tolist() == ["damaged", "pilot"]
    assert store.runs("PILOT wiki")["id"].tolist() == [RUN]
    assert store.runs(tag="a").empty
    assert store.runs(deleted=True).empty
    assert len(store.runs(probe="two_afc")) == 2
    assert store.kept_values("score/1", ["a"]) == ({"a": "1"} if later_tables else {})
    assert len(store.kept_sentences(["MAN"], ["Math"])) == later_tables
    assert len(store.kept_images()) == later_tables
    assert store.size() > 0
    assert (tmp_path / "biaslab.sqlite").read_bytes() == before


@pytest.mark.parametrize("later_tables", [True, False])
@pytest.mark.parametrize(
    "write",
    [
        lambda store: store.save(older()),
        lambda store: store.tag(RUN, "a"),
        lambda store: store.rename(RUN, "b"),
        lambda store: store.delete(RUN),
        lambda store: store.put_file(b"content"),
        lambda store: store.keep_values("score/2", {"a": "1"}),
        lambda store: store.keep_sentences([KeptSentence("1", "a", "b", "c")]),
        lambda store: store.keep_images([KeptImage("1", "a", "b", "c")]),
    ],
)
def test_the_first_write_of_any_kind_upgrades_it(
    tmp_path: Path, write: Callable[[Store], object], later_tables: bool
) -> None:
    store = version_1(tmp_path / "old", later_tables=later_tables)
    write(store)
    assert version(tmp_path / "old") == str(STORE_VERSION)
    Store(tmp_path / "new").save(older())
    assert schema(f"sqlite:///{tmp_path}/old/biaslab.sqlite") == schema(
        f"sqlite:///{tmp_path}/new/biaslab.sqlite"
    )


def test_an_upgraded_store_holds_all_that_it_held(tmp_path: Path) -> None:
    store = version_1(tmp_path)
    store.tag([RUN, "1qk2c07v4y"], "old")
    assert store.open(RUN) == older("nurse", "Straße")
    run = store.run(RUN)
    assert (run.label, run.tags, run.seconds) == ("pilot", ("old",), 1.5)
    assert run.bytes == len(older("nurse", "Straße").to_json())
    assert store.runs("strasse NURSE")["id"].tolist() == [RUN]
    assert store.runs()["label"].tolist() == ["damaged", "pilot"]
    assert store.kept_values("score/1", ["a"]) == {"a": "1"}
    assert store.kept_sentences(["MAN"], ["Math"])[0].document == "He adds."
    assert store.keep_sentences([KeptSentence("h", "MAN", "Math", "")]) == 0
    assert [image.term for image in store.kept_images()] == ["nurse"]
    connection = sqlite3.connect(tmp_path / "biaslab.sqlite")
    document = "SELECT document FROM biaslab_contents WHERE id = '1qk2c07v4y'"
    assert connection.execute(document).fetchone() == ("{",)
    assert connection.execute("PRAGMA freelist_count").fetchone() == (0,)  # no space is left over
    connection.close()


@pytest.mark.parametrize("seconds", [None, "long", math.nan])
def test_a_run_of_unknown_duration_is_upgraded(tmp_path: Path, seconds: object) -> None:
    store = version_1(tmp_path)
    data = json.loads(older("nurse").to_json())
    data["provenance"]["seconds"] = seconds
    with closing(sqlite3.connect(tmp_path / "biaslab.sqlite", isolation_level=None)) as connection:
        connection.execute("UPDATE biaslab_runs SET document = ?", (json.dumps(data),))
    store.tag(RUN, "old")
    assert math.isnan(store.run(RUN).seconds)
    assert store.runs("nurse")["label"].tolist() == ["damaged", "pilot"]


def test_a_folder_with_odd_characters_is_upgraded(tmp_path: Path) -> None:
    store = version_1(tmp_path / "a b?c#d%20é")
    store.tag(RUN, "a")
    assert store.run(RUN).tags == ("a",)


def test_an_upgrade_that_fails_leaves_the_store_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = version_1(tmp_path)
    before = whole(tmp_path)

    def fails(document: dict[str, Any]) -> str:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("biaslab.store.run_fields.run_words", fails)
    with pytest.raises(StoreError, match=r"full.*Free some space"):
        store.tag(RUN, "a")
    monkeypatch.undo()
    assert whole(tmp_path) == before
    assert store.open(RUN) == older("nurse", "Straße")
    store.tag(RUN, "a")
    assert store.run(RUN).tags == ("a",)


def test_a_copy_that_a_full_disk_left_is_named_and_no_hindrance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = version_1(tmp_path)

    def fails(document: dict[str, Any]) -> str:
        raise sqlite3.OperationalError("no such table: _alembic_tmp_biaslab_runs")

    monkeypatch.setattr("biaslab.store.run_fields.run_words", fails)
    with pytest.raises(StoreError, match=r"not be upgraded.*disk is full.*Nothing is lost"):
        store.tag(RUN, "a")
    monkeypatch.undo()
    with closing(sqlite3.connect(tmp_path / "biaslab.sqlite", isolation_level=None)) as connection:
        connection.execute("CREATE TABLE _alembic_tmp_biaslab_runs (id TEXT)")
    store.tag(RUN, "a")
    assert store.open(RUN) == older("nurse", "Straße")
    assert not any("_alembic_tmp" in line for line in whole(tmp_path)["dump"])


KILLED = """
    import os, signal, sys
    import biaslab.store.run_fields
    from biaslab.store import Store
    def killed(document):
        os.kill(os.getpid(), signal.SIGKILL)
    biaslab.store.run_fields.run_words = killed
    Store(sys.argv[1]).put_file(b"content")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_process_killed_while_it_upgrades_leaves_the_store_as_it_was(tmp_path: Path) -> None:
    store = version_1(tmp_path)
    before = whole(tmp_path)
    code = textwrap.dedent(KILLED)
    ended = subprocess.run([sys.executable, "-c", code, tmp_path], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert whole(tmp_path) == before
    assert store.open(RUN) == older("nurse", "Straße")
    store.tag(RUN, "a")
    assert store.run(RUN).tags == ("a",)


def test_several_that_write_at_once_upgrade_it_once(tmp_path: Path) -> None:
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        version_1(folder)
    errors: list[Exception] = []

    def write(folder: Path, tag: str) -> None:
        try:
            Store(folder).tag(RUN, tag)
        except Exception as error:  # noqa: BLE001
            errors.append(error)

    threads = [
        threading.Thread(target=write, args=(folder, tag)) for folder in folders for tag in "abc"
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert [Store(folder).run(RUN).tags for folder in folders] == [("a", "b", "c")] * 2


@needs_permissions
def test_a_read_only_store_of_version_1_is_read() -> None:
    with open_folder() as folder:
        version_1(folder)
        (folder / "biaslab.sqlite").chmod(0o644)
        before = (folder / "biaslab.sqlite").read_bytes()
        with read_only(folder):
            store = Store(folder)
            assert store.open(RUN) == older("nurse", "Straße")
            assert store.runs("pilot")["id"].tolist() == [RUN]
            with pytest.raises(StoreError, match="BIASLAB_HOME"):
                store.tag(RUN, "a")
        assert (folder / "biaslab.sqlite").read_bytes() == before


def test_alembic_is_loaded_by_an_upgrade_only(tmp_path: Path) -> None:
    version_1(tmp_path / "old")
    code = """
        import sys
        from biaslab.store import Store
        Store(sys.argv[1] + "/new").put_file(b"content")
        Store(sys.argv[1] + "/old").runs()
        print("alembic" in sys.modules)
        Store(sys.argv[1] + "/old").put_file(b"content")
        print("alembic" in sys.modules)
    """
    ended = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), tmp_path],
        capture_output=True,
        text=True,
        check=True,
    )
    assert (ended.stdout.split(), ended.stderr) == (["False", "True"], "")


# On a server


def version_1_on_a_server(server: PostgresServer) -> str:
    """Return the URL of a store on a server as the first version wrote it."""
    url = server.new_store()
    statements = VERSION_1 + LATER_TABLES
    for table in ("sentences", "images"):  # as SQLAlchemy declares a key that the server counts
        statements = statements.replace(
            f"biaslab_{table} (number INTEGER", f"biaslab_{table} (number SERIAL"
        ).replace(f"biaslab_{table} VALUES (1", f"biaslab_{table} VALUES (DEFAULT")
    with server.connect() as connection:
        connection.execute(f"SET search_path TO {url.rpartition('%3D')[2]}")
        connection.execute(statements)
        for row in rows():
            connection.execute("INSERT INTO biaslab_runs VALUES (%s, %s, %s, %s, %s, %s, %s)", row)
    return url


def test_a_store_on_a_server_is_read_and_upgraded(postgres_server: PostgresServer) -> None:
    url = version_1_on_a_server(postgres_server)
    store, before = Store(url), schema(url)
    assert store.open(RUN) == older("nurse", "Straße")
    assert store.runs("pilot")["id"].tolist() == [RUN]
    assert store.run(RUN).bytes == len(older("nurse", "Straße").to_json())
    assert schema(url) == before
    store.tag(RUN, "a")
    assert store.open(RUN) == older("nurse", "Straße")
    assert store.runs("strasse", tag="a")["id"].tolist() == [RUN]
    assert store.keep_sentences([KeptSentence("i", "MAN", "Math", "")]) == 1
    new = postgres_server.new_store()
    Store(new).keep_values("score/1", {"a": "1"})
    assert schema(url) == schema(new)


def test_an_upgrade_that_fails_on_a_server_leaves_the_store_as_it_was(
    postgres_server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = version_1_on_a_server(postgres_server)
    store, before = Store(url), schema(url)

    def fails(document: dict[str, Any]) -> str:
        raise MemoryError

    monkeypatch.setattr("biaslab.store.run_fields.run_words", fails)
    with pytest.raises(MemoryError):
        store.tag(RUN, "a")
    assert schema(url) == before
    assert store.open(RUN) == older("nurse", "Straße")
