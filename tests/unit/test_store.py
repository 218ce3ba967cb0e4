import contextlib
import errno
import hashlib
import math
import os
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from biaslab.errors import FileNotStoredError, ResultFormatError, RunNotFoundError, StoreError
from biaslab.files.atomic import write_atomically
from biaslab.records.provenance import Provenance
from biaslab.records.result import Result
from biaslab.store import Store, run_fields
from biaslab.store import database as store_database
from biaslab.store.run_fields import new_run_id
from harness.heavy import pd
from harness.read_only import needs_permissions, open_folder, read_only


@dataclass(frozen=True, kw_only=True)
class Kept(Result):
    schema: ClassVar[str] = "store-test/1"
    value: Any = None

    def to_frame(self):
        return pd.DataFrame({"value": [1]})

    def summary(self):
        return "A headline.\nMore."


def kept(value=None, time="2026-11-21T10:00:00.000+00:00"):
    return Kept(
        provenance=Provenance(probe="two_afc", subject="wiki", time=time, seed=1), value=value
    )


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "home")


def contents(folder: Path):
    return {p: p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


# Runs


def test_a_run_reopens_equal(store):
    result = kept((np.array([[0.1, np.nan], [np.inf, 5e-324]]), {"word": "naïve 🙂 \0"}))
    run_id = result.save(store, "pilot")
    assert store.open(run_id) == result
    assert Store(store._database.path.parent).open(run_id) == result


def test_runs_are_listed_newest_first(store):
    ids = [store.save(kept(), label) for label in ("first", "second")]
    frame = store.runs()
    assert list(frame.columns) == [
        *("id", "label", "tags", "bench", "probe", "subject", "time", "seconds"),
        *("headline", "bytes"),
    ]
    assert frame["id"].tolist() == ids[::-1]
    assert frame["label"].tolist() == ["second", "first"]
    assert frame["time"][0] == pd.Timestamp("2026-11-21T10:00:00Z")
    assert frame.iloc[0][["probe", "subject", "headline"]].tolist() == [
        "two_afc",
        "wiki",
        "A headline.",
    ]


def test_a_run_without_a_time_is_listed(store):
    store.save(kept(time=""))
    assert store.runs()["time"].isna().all()


def test_a_store_that_was_never_written_is_empty_and_stays_uncreated(tmp_path):
    store = Store(tmp_path / "home")
    assert store.runs().empty
    for call in (store.open, store.delete):
        with pytest.raises(RunNotFoundError, match=r"runs\(\) lists"):
            call("1")
    assert list(tmp_path.iterdir()) == []


def test_a_deleted_run_is_gone_and_the_others_stay(store):
    one, two = store.save(kept(1)), store.save(kept(2))
    store.delete(one)
    assert store.runs()["id"].tolist() == [two]
    for call in (store.open, store.delete):
        with pytest.raises(RunNotFoundError, match=rf"{one}.*in the trash.*restore"):
            call(one)


def test_a_run_of_an_unknown_kind_says_what_to_do_and_does_not_hide_the_others(store):
    run_id = store.save(kept())
    with sqlite3.connect(store._database.path) as connection:
        connection.execute('UPDATE biaslab_contents SET document = \'{"schema": "alien/1"}\'')
    connection.close()
    with pytest.raises(ResultFormatError, match="pip install -U"):
        store.open(run_id)
    assert store.runs()["id"].tolist() == [run_id]


def test_text_is_stored_and_never_run_as_sql(store):
    label = "x'); DROP TABLE biaslab_runs; --"
    run_id = store.save(kept(), label)
    assert store.runs()["label"].tolist() == [label]
    with pytest.raises(RunNotFoundError):
        store.open("' OR '1'='1")
    assert store.open(run_id) == kept()


def test_ids_are_short_unique_and_sort_by_time():
    ids = [new_run_id() for _ in range(5000)]
    assert ids == sorted(ids)
    assert len(set(ids)) == 5000
    assert {len(run_id) for run_id in ids} == {10}


def test_an_id_that_another_process_took_is_replaced(store, monkeypatch):
    ids = iter(["same", "same", "other"])
    monkeypatch.setattr("biaslab.store.runs.new_run_id", lambda: next(ids))
    assert [store.save(kept(1)), store.save(kept(2))] == ["same", "other"]
    assert store.open("same") == kept(1)


def test_ids_keep_growing_when_the_clock_goes_back(monkeypatch):
    before = new_run_id()
    monkeypatch.setattr(run_fields.time, "time_ns", lambda: 0)
    assert new_run_id() > before


# Where


def test_the_default_is_the_home_that_the_environment_names(tmp_path, monkeypatch):
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path / "mine"))
    run_id = kept().save()
    assert Store(tmp_path / "mine").open(run_id) == kept()


def test_a_relative_home_stays_where_it_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BIASLAB_HOME", f"rel-{tmp_path.name}/dir")
    run_id = kept().save()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert Store().open(run_id) == kept()
    assert Store(tmp_path / f"rel-{tmp_path.name}" / "dir").open(run_id) == kept()


def test_else_the_systems_place_for_a_persons_data(tmp_path, monkeypatch):
    monkeypatch.delenv("BIASLAB_HOME", raising=False)
    monkeypatch.setattr("platformdirs.user_data_dir", lambda name, **_: str(tmp_path / name))
    run_id = Store().save(kept())
    assert Store(tmp_path / "biaslab").open(run_id) == kept()


def test_a_folder_with_odd_characters_works(tmp_path):
    store = Store(tmp_path / "a b?c#d%20é")
    assert store.open(store.save(kept())) == kept()
    assert [p.name for p in tmp_path.iterdir()] == ["a b?c#d%20é"]


def test_an_sqlite_url_names_the_file(tmp_path):
    store = Store(f"sqlite:///{tmp_path}/runs.db")
    run_id = store.save(kept())
    store.put_file(b"content")
    assert store.open(run_id) == kept()
    assert {p.name for p in tmp_path.iterdir()} == {"runs.db", "files"}


@pytest.mark.parametrize(
    ("url", "message"),
    [("sqlite://", "memory"), ("sqlite:///:memory:", "memory"), ("no such://", "write it like")],
)
def test_a_url_that_cannot_hold_a_store_is_refused(url, message):
    with pytest.raises(StoreError, match=message):
        Store(url)


def test_a_server_that_is_out_of_reach_is_told_without_the_password(monkeypatch):
    store = Store("postgresql://me:secret@localhost/db")

    def unreachable(url, **_):
        import sqlalchemy as sa

        raise sa.exc.OperationalError("SELECT 1", {}, Exception("connection refused"))

    monkeypatch.setattr("sqlalchemy.create_engine", unreachable)
    with pytest.raises(StoreError, match=r"\*\*\*@localhost.*connection refused.*Check") as caught:
        store.runs()
    assert "secret" not in str(caught.value)
    assert "secret" not in repr(store)


def test_a_missing_driver_is_named(monkeypatch):
    def without_driver(url, **_):
        raise ModuleNotFoundError("No module named 'psycopg'", name="psycopg")

    store = Store("postgresql+psycopg://localhost/db")
    monkeypatch.setattr("sqlalchemy.create_engine", without_driver)
    with pytest.raises(StoreError, match=r"pip install 'biaslab\[postgresql\]'"):
        store.save(kept())


# Several at once

WRITER = """
    import sys
    import numpy as np
    sys.path[:0] = {folders!r}
    from test_store import Store, kept
    store = Store({home!r})
    print("ready", flush=True)
    sys.stdin.readline()  # all begin together, on a store that does not exist yet
    for n in range(15):
        run_id = store.save(kept(np.full(50, n)), {name!r})
        assert store.open(run_id) == kept(np.full(50, n))
        store.put_file(bytes([n]) * 100_000, "application/" + {name!r})
"""


def test_two_processes_that_write_at_once_lose_nothing(tmp_path):
    writers = [
        subprocess.Popen(
            [
                sys.executable,
                "-c",
                textwrap.dedent(WRITER).format(
                    folders=[str(folder) for folder in Path(__file__).parents[:2]],
                    home=str(tmp_path),
                    name=name,
                ),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in ("a", "b")
    ]
    for writer in writers:
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        writer.stdin.write("go\n")
        writer.stdin.flush()
    for writer in writers:
        _, err = writer.communicate(timeout=120)
        assert (writer.returncode, err) == (0, "")
    store = Store(tmp_path)
    assert store.runs()["label"].value_counts().to_dict() == {"a": 15, "b": 15}
    assert len([p for p in (tmp_path / "files").rglob("*") if p.is_file()]) == 15
    for n in range(15):
        content = bytes([n]) * 100_000
        assert store.get_file(hashlib.sha256(content).hexdigest()).content == content


def test_threads_share_a_store(store):
    errors = []

    def write(n):
        try:
            assert store.open(store.save(kept(n))) == kept(n)
        except Exception as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=write, args=(n,)) for n in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(store.runs()) == 12


def test_one_reads_while_another_writes_and_the_reverse(store, monkeypatch):
    monkeypatch.setattr(store_database, "_SECONDS_TO_WAIT_FOR_OTHERS", 0.01)
    run_id = store.save(kept())
    other = sqlite3.connect(store._database.path, isolation_level=None)
    other.execute("BEGIN")
    assert other.execute("SELECT count(*) FROM biaslab_runs").fetchone() == (1,)
    store.save(kept())
    other.execute("ROLLBACK")
    other.execute("BEGIN IMMEDIATE")
    other.execute("DELETE FROM biaslab_runs")
    assert store.open(run_id) == kept()
    other.execute("ROLLBACK")
    other.close()


def test_numbers_that_another_program_overwrote_are_unknown(store):
    run_id = store.save(kept())
    with contextlib.closing(sqlite3.connect(store._database.path)) as connection, connection:
        connection.execute("UPDATE biaslab_runs SET bytes = 'many', seconds = 'long'")
    run = store.run(run_id)
    assert run.bytes == 0
    assert math.isnan(run.seconds)


def test_a_store_that_stays_locked_says_so(store, monkeypatch):
    store.save(kept())
    monkeypatch.setattr(store_database, "_SECONDS_TO_WAIT_FOR_OTHERS", 0.01)
    other = sqlite3.connect(store._database.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match=r"Another process.*Try again"):
        store.save(kept())
    fcntl = pytest.importorskip("fcntl")

    def no_locks(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "lockf", no_locks)
    with pytest.raises(StoreError, match=r"without file locks.*Choose a folder on a local disk"):
        store.save(kept())
    other.close()
    assert len(store.runs()) == 1


# What may go wrong


def every_call(store):
    return [
        store.runs,
        lambda: store.open("1"),
        lambda: store.save(kept()),
        lambda: store.delete("1"),
        lambda: store._database.writing().__enter__(),
    ]


@pytest.mark.parametrize("damage", ["overwritten", "cut off", "something else", "a few bytes"])
def test_a_damaged_database_says_what_to_do_and_is_left_as_it_is(store, damage):
    for _ in range(20):
        store.save(kept(np.arange(500)))
    path = store._database.path
    whole = path.read_bytes()
    path.write_bytes(
        {
            "overwritten": whole[:100] + b"\xa5" * (len(whole) - 100),
            "cut off": whole[: len(whole) // 3],
            "something else": b"word 0.1 0.2\n" * 100,
            "a few bytes": b"word",
        }[damage]
    )
    before = contents(path.parent)
    for call in every_call(store):
        with pytest.raises(StoreError, match=r"left as it\s+is.*backup.*move the file away"):
            call()
    assert contents(path.parent) == before


@pytest.mark.parametrize("version", ["3", "999"])
def test_a_store_from_a_newer_biaslab_is_left_alone(store, version):
    store.save(kept())
    path = store._database.path
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("UPDATE biaslab_meta SET value = ?", (version,))
    connection.close()
    before = contents(path.parent)
    for call in every_call(store):
        with pytest.raises(StoreError, match=rf"newer biaslab .*version {version}.*-U biaslab"):
            call()
    assert contents(path.parent) == before


@pytest.mark.parametrize("version", ["0", "-1", "1.5", "two", "9" * 6000])
def test_a_store_with_an_absurd_version_is_left_alone(store, version):
    store.save(kept())
    path = store._database.path
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE biaslab_meta SET value = ?", (version,))
    before = contents(path.parent)
    for call in every_call(store):
        with pytest.raises(StoreError, match=r"names no version.*left as it"):
            call()
    assert contents(path.parent) == before


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("DROP TABLE biaslab_meta", "table of versions is missing"),
        ("foreign", "tables of another program, such as 'bookmarks'"),
    ],
)
def test_a_file_that_is_no_store_is_not_adopted(store, change, why):
    path = store._database.path
    if change == "foreign":
        path.parent.mkdir(parents=True, exist_ok=True)
        change = "CREATE TABLE bookmarks (url TEXT)"
    else:
        store.save(kept())
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(change)
    before = contents(path.parent)
    for call in every_call(store):
        with pytest.raises(StoreError, match=f"{why}.*left as it"):
            call()
    assert contents(path.parent) == before


def test_what_killed_writers_left_is_removed_by_the_next(tmp_path):
    stale, fresh = tmp_path / f".{'a' * 32}.partial", tmp_path / f".{'b' * 32}.partial"
    foreign = tmp_path / "mine.partial"
    for path in (stale, fresh, foreign):
        path.write_bytes(b"half")
    a_day_ago = time.time() - 25 * 3600
    for path in (stale, foreign):
        os.utime(path, (a_day_ago, a_day_ago))
    write_atomically(tmp_path / "anything", b"whole")
    assert (stale.exists(), fresh.exists(), foreign.exists()) == (False, True, True)


def test_a_full_disk_stores_nothing_of_a_run(store, monkeypatch):
    first = store.save(kept())
    connect = store_database._connect_sqlite

    def nearly_full(path, mode):
        connection = connect(path, mode)
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages + 2}")
        return connection

    monkeypatch.setattr(store_database, "_connect_sqlite", nearly_full)
    full = Store(store._database.path.parent)
    with pytest.raises(StoreError, match=r"full.*Nothing was stored.*Free some space"):
        full.save(kept(np.arange(50_000)))
    monkeypatch.undo()
    assert store.runs()["id"].tolist() == [first]
    assert store.open(first) == kept()
    second = store.save(kept(np.arange(50_000)))
    assert store.open(second) == kept(np.arange(50_000))


def test_a_full_disk_keeps_nothing_of_a_file(store, tmp_path, monkeypatch):
    store.put_file(b"earlier")
    before = contents(tmp_path)

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("biaslab.files.atomic.os.fsync", full)
    with pytest.raises(StoreError, match=r"No space left.*Free some space.*BIASLAB_HOME"):
        store.put_file(b"too much")
    assert contents(tmp_path) == before


@pytest.fixture(name="open_folder")
def _open_folder():
    with open_folder() as folder:
        yield folder


@needs_permissions
def test_a_read_only_store_can_be_read_and_says_that_it_cannot_be_written(open_folder):
    store = Store(open_folder)
    run_id = store.save(kept())
    name = store.put_file(b"content", "text/plain")
    before = contents(open_folder)
    with read_only(open_folder):
        again = Store(open_folder)
        assert again.open(run_id) == kept()
        assert again.runs()["id"].tolist() == [run_id]
        assert again.get_file(name).content == b"content"
        with pytest.raises(StoreError, match="BIASLAB_HOME"):
            again.save(kept())
        with pytest.raises(StoreError, match="BIASLAB_HOME"):
            again.put_file(b"other")
    assert contents(open_folder) == before


@needs_permissions
def test_a_read_only_place_without_a_store_is_empty_and_says_so_on_saving(open_folder):
    with read_only(open_folder):
        for store in (Store(open_folder), Store(open_folder / "deeper")):
            assert store.runs().empty
            with pytest.raises(StoreError, match="BIASLAB_HOME"):
                store.save(kept())
    assert list(open_folder.iterdir()) == []


def test_a_file_in_the_place_of_the_folder_is_told(tmp_path):
    (tmp_path / "home").write_text("a file")
    with pytest.raises(StoreError, match="BIASLAB_HOME"):
        Store(tmp_path / "home").save(kept())


# Files


def test_a_file_comes_back_with_its_type_and_lies_under_its_hash(store):
    name = store.put_file(b"\x89PNG", "image/png")
    assert name == hashlib.sha256(b"\x89PNG").hexdigest()
    found = store.get_file(name)
    assert (found.content, found.media_type) == (b"\x89PNG", "image/png")
    home = store._database.path.parent
    assert (home / "files" / name[:2] / name[2:]).read_bytes() == b"\x89PNG"


def test_the_same_content_is_kept_once(store):
    names = {store.put_file(b"same", "text/plain") for _ in range(3)}
    home = store._database.path.parent
    assert len(names) == 1
    assert len([p for p in (home / "files").rglob("*") if p.is_file()]) == 1


def test_a_missing_file_is_told(store):
    name = store.put_file(b"content")
    (store._files.folder / name[:2] / name[2:]).unlink()
    with pytest.raises(FileNotStoredError, match="Store it again"):
        store.get_file(name)


def test_a_changed_file_is_told_and_mended_by_putting_it_again(store):
    name = store.put_file(b"content", "text/plain")
    path = store._files.folder / name[:2] / name[2:]
    path.write_bytes(b"c0ntent")
    with pytest.raises(FileNotStoredError, match="changed or damaged"):
        store.get_file(name)
    assert store.put_file(b"content", "text/plain") == name
    assert store.get_file(name).content == b"content"


@pytest.mark.parametrize("name", ["", "../../etc/passwd", "ab", "g" * 64, "A" * 64])
def test_what_is_no_hash_reaches_no_file(store, name):
    with pytest.raises(FileNotStoredError, match="put_file"):
        store.get_file(name)


def test_files_may_have_their_own_folder(tmp_path):
    store = Store(tmp_path / "home", files=tmp_path / "big")
    name = store.put_file(b"content")
    assert (tmp_path / "big" / name[:2] / name[2:]).exists()
    assert store.get_file(name).content == b"content"
