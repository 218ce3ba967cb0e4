"""Runs of a store: lists and searches, tags, the trash, and what a bench keeps with a run."""

from __future__ import annotations

import math
import socket
import subprocess
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
import sqlalchemy as sa

from biaslab.errors import ArgumentError, FileNotStoredError, RunNotFoundError, StoreError
from biaslab.records.provenance import Provenance
from biaslab.records.result import Result
from biaslab.store import KeptImage, KeptSentence, Store, StoredFile, database
from biaslab.store.database import tables
from harness.heavy import pd
from harness.postgresql import PostgresServer


@dataclass(frozen=True, kw_only=True)
class Counted(Result):
    schema: ClassVar[str] = "store-runs-test/1"
    finding: str = "A headline."
    words: tuple[str, ...] = ()
    values: Any = None

    def to_frame(self) -> Any:
        return pd.DataFrame({"word": list(self.words)})

    def summary(self) -> str:
        return self.finding


def counted(
    finding: str = "A headline.",
    *,
    probe: str = "two_afc",
    subject: str = "wiki",
    seconds: float = math.nan,
    **fields: Any,
) -> Counted:
    where = Provenance(
        probe=probe, subject=subject, time="2026-11-21T10:00:00.000+00:00", seconds=seconds
    )
    return Counted(provenance=where, finding=finding, **fields)


@pytest.fixture(scope="module", params=["embedded", "postgresql"])
def new_store(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[], Store]:
    """Make an empty store."""

    def make() -> Store:
        home = tmp_path_factory.mktemp("store")
        if request.param == "embedded":
            return Store(home)
        server: PostgresServer = request.getfixturevalue("postgres_server")
        return Store(server.new_store(), files=home / "files")

    return make


@pytest.fixture
def store(new_store: Callable[[], Store]) -> Store:
    return new_store()


@pytest.fixture(scope="module")
def one_run(new_store: Callable[[], Store]) -> tuple[Store, str]:
    """A store with one run, and its id: for what is refused."""
    store = new_store()
    return store, store.save(counted())


@pytest.fixture(scope="module")
def searched(new_store: Callable[[], Store]) -> tuple[Store, dict[str, str]]:
    """A store with three runs, and their ids by name."""
    store = new_store()
    imdb = counted("None, 100%.", probe="sample_posterior", subject="imdb", words=("a_b",))
    return store, {
        "nurse": store.save(counted("It leans.", words=("nurse", "Surgeon")), "Pilot"),
        "judge": store.save(counted("Leans!", words=("Straße",)), "judge", tags=["Thesis"]),
        "imdb": store.save(imdb, "ÄRGER"),
    }


def found(store: Store, *args: Any, **filters: Any) -> set[str]:
    return set(store.runs(*args, **filters)["id"])


def test_a_run_keeps_its_bench_inputs_tags_and_duration(store: Store) -> None:
    inputs = {"words": ["nurse", "naïve"], "cues": {"left": "she"}, "alpha": 0.5, "none": None}
    result = counted(seconds=1.25)
    run_id = store.save(result, "pilot", bench="two-afc", inputs=inputs, tags=["b", " a ", "b"])
    run = store.run(run_id)
    assert (run.id, run.label, run.bench, run.tags) == (run_id, "pilot", "two-afc", ("a", "b"))
    assert (run.probe, run.subject, run.headline) == ("two_afc", "wiki", "A headline.")
    assert (run.time, run.seconds) == ("2026-11-21T10:00:00.000+00:00", 1.25)
    assert run.inputs == inputs
    assert run.bytes == len(result.to_json())
    assert not run.is_deleted
    row = store.runs().iloc[0]
    assert row[["id", "label", "tags", "bench"]].tolist() == [
        *(run_id, "pilot", ("a", "b"), "two-afc")
    ]
    assert row[["seconds", "bytes"]].tolist() == [1.25, run.bytes]


def test_a_duration_that_was_not_measured_is_nan(store: Store) -> None:
    run_id = store.save(counted())
    assert math.isnan(store.run(run_id).seconds)
    assert store.runs()["seconds"].isna().all()


def test_a_result_is_saved_with_its_tags(store: Store) -> None:
    run_id = counted().save(store, "pilot", tags=["thesis"])
    assert store.run(run_id).tags == ("thesis",)


def test_a_run_without_a_chart_has_no_picture(store: Store) -> None:
    assert store.run(store.save(counted())).picture == ""


def test_the_picture_is_drawn_once_and_kept(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("biaslab.store.run_fields.imported", lambda place: lambda result: "<svg/>")
    run_id = store.save(counted())
    monkeypatch.undo()
    assert store.run(run_id).picture == "<svg/>"


def test_a_picture_that_cannot_be_drawn_does_not_lose_the_run(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(place: str) -> Callable[[Result], str]:
        raise ZeroDivisionError

    monkeypatch.setattr("biaslab.store.run_fields.imported", fails)
    run_id = store.save(counted())
    assert (store.run(run_id).picture, store.open(run_id)) == ("", counted())


@pytest.mark.parametrize("inputs", [{"a": math.nan}, {"a": {1, 2}}, ["a"]])
def test_inputs_that_json_cannot_hold_are_refused(one_run: tuple[Store, str], inputs: Any) -> None:
    store, run_id = one_run
    with pytest.raises(ArgumentError, match="inputs"):
        store.save(counted(), inputs=inputs)
    assert found(store) == {run_id}


# Search and filters


@pytest.mark.parametrize(
    ("search", "names"),
    [
        ("", {"nurse", "judge", "imdb"}),
        ("NURSE", {"nurse"}),
        ("nurse judge", set()),
        ("nurse pilot", {"nurse"}),
        ("leans", {"nurse", "judge"}),
        ("straße", {"judge"}),
        ("STRASSE", {"judge"}),
        ("ärger", {"imdb"}),
        ("posterior", {"imdb"}),
        ("wiki", {"nurse", "judge"}),
        ("thesis", {"judge"}),
        ("surgeon", {"nurse"}),
        ("100%", {"imdb"}),
        ("a_b", {"imdb"}),
        ("axb", set()),
        ("'; DROP TABLE biaslab_runs; --", set()),
    ],
)
def test_a_search_finds_words_wherever_they_stand(
    searched: tuple[Store, dict[str, str]], search: str, names: set[str]
) -> None:
    store, ids = searched
    assert found(store, search) == {ids[name] for name in names}


def test_a_search_follows_a_new_label_and_new_tags(store: Store) -> None:
    run_id = store.save(counted(), "first")
    store.rename(run_id, "second")
    store.tag(run_id, "Thesis")
    assert (found(store, "first"), found(store, "second thesis")) == (set(), {run_id})


def test_a_search_reads_no_names_of_fields_versions_or_numbers(store: Store) -> None:
    store.save(counted(words=("nurse",), values=np.array([0.5, np.nan])))
    for search in ("provenance", "numpy", "NaN", "store-runs-test", "float64"):
        assert found(store, search) == set()


def test_a_long_result_is_found_by_its_first_words(store: Store) -> None:
    run_id = store.save(counted(words=tuple(f"word-{n}." for n in range(10_000))))
    assert found(store, "word-1500.") == {run_id}
    assert found(store, "word-9999.") == set()


def test_filters_take_exactly_their_value(store: Store) -> None:
    one = store.save(counted(), bench="two-afc", tags=["a"])
    two = store.save(counted(probe="weat", subject="wiki-2"), bench="association", tags=["a", "b"])
    assert found(store, probe="weat") == {two}
    assert found(store, subject="wiki") == {one}
    assert found(store, bench="two-afc") == {one}
    assert found(store, tag="a") == {one, two}
    assert found(store, tag="b") == {two}
    assert found(store, tag="a", probe="weat", search="wiki") == {two}
    assert found(store, tag="A") == set()


@pytest.mark.parametrize("name", ["search", "probe", "subject", "bench", "tag"])
def test_a_filter_that_is_no_text_is_refused(one_run: tuple[Store, str], name: str) -> None:
    with pytest.raises(ArgumentError, match=rf"{name} is 3, which is not text"):
        one_run[0].runs(**{name: 3})  # type: ignore[arg-type]


def test_an_empty_list_has_the_types_of_a_full_one(store: Store) -> None:
    empty = store.runs().dtypes
    store.save(counted(seconds=1.0))
    full = store.runs().dtypes
    for name in ("time", "seconds", "bytes"):
        assert empty[name] == full[name]


# Tags


def test_tags_are_added_and_removed_on_several_runs(store: Store) -> None:
    one, two = store.save(counted(), tags=["a"]), store.save(counted())
    store.tag([one, two, one], "a", "b")
    assert [store.run(run_id).tags for run_id in (one, two)] == [("a", "b"), ("a", "b")]
    store.untag(one, "a", "never there")
    assert [store.run(run_id).tags for run_id in (one, two)] == [("b",), ("a", "b")]


def test_more_runs_than_one_query_takes_are_tagged(store: Store) -> None:
    ids = fill(store, 1200)
    store.tag(ids, "many")
    assert found(store, tag="many") == set(ids)
    store.delete(ids)
    assert (len(store.runs()), len(store.runs(deleted=True))) == (0, 1200)
    assert store.empty_trash() == 1200


@pytest.mark.parametrize("tag", ["", "  ", "a,b", "a\nb", "x" * 101])
def test_a_tag_that_cannot_be_one_is_refused(one_run: tuple[Store, str], tag: str) -> None:
    store, run_id = one_run
    with pytest.raises(ArgumentError, match="tag"):
        store.tag(run_id, "good", tag)
    with pytest.raises(ArgumentError, match="tag"):
        store.save(counted(), tags=[tag])
    assert [store.runs()["id"].tolist(), store.run(run_id).tags] == [[run_id], ()]


def test_a_single_text_as_tags_is_refused(one_run: tuple[Store, str]) -> None:
    with pytest.raises(ArgumentError, match=r"\['pilot'\]"):
        one_run[0].save(counted(), tags="pilot")


# The trash


def test_the_trash_is_a_list_of_its_own(store: Store) -> None:
    one, two = store.save(counted(), tags=["a"]), store.save(counted())
    store.delete(one)
    assert (found(store), found(store, deleted=True)) == ({two}, {one})
    assert found(store, tag="a") == set()
    assert store.run(one).is_deleted
    store.restore([one])
    assert (found(store), found(store, deleted=True)) == ({one, two}, set())
    assert (store.open(one), store.run(one).tags) == (counted(), ("a",))


def test_a_run_in_the_trash_says_how_to_get_it_back(store: Store) -> None:
    run_id = store.save(counted())
    store.delete([run_id])
    for call in (
        store.open,
        store.delete,
        lambda run_id: store.tag(run_id, "a"),
        lambda run_id: store.untag(run_id, "a"),
        lambda run_id: store.rename(run_id, "a"),
    ):
        with pytest.raises(RunNotFoundError, match=rf"is in the trash.*restore\('{run_id}'\)"):
            call(run_id)


def test_several_are_deleted_all_or_none(store: Store) -> None:
    one, two = store.save(counted()), store.save(counted())
    for change in (store.delete, store.restore, lambda ids: store.tag(ids, "a")):
        with pytest.raises(RunNotFoundError, match="'nothing'"):
            change([one, "nothing", two])
    assert found(store) == {one, two}
    assert store.run(one).tags == ()
    store.delete([])
    store.tag([one, two, one], "a")
    assert found(store, tag="a") == {one, two}
    store.delete(pd.Series([one, two]))
    assert found(store) == set()


def test_emptying_the_trash_deletes_for_ever(store: Store) -> None:
    one, two = store.save(counted(), tags=["a"]), store.save(counted(), tags=["a"])
    store.delete([one, two])
    store.restore(one)
    assert store.empty_trash() == 1
    with pytest.raises(RunNotFoundError, match="no run"):
        store.restore(two)
    assert found(store) == {one}
    assert (store.empty_trash(), store.open(one)) == (0, counted())


def test_emptying_the_trash_frees_the_space_of_an_embedded_store(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.delete(store.save(counted(values=("x" * 80,) * 50_000)))
    full = store.size()
    assert (store.empty_trash(), store.size() < full / 10) == (1, True)


def test_the_size_counts_runs_and_files(store: Store) -> None:
    assert store.size() == 0
    store.save(counted())
    before = store.size()
    assert before > 10_000
    store.put_file(b"x" * 300_000)
    assert store.size() >= before + 300_000


def test_a_store_that_was_never_written_has_no_trash(store: Store, tmp_path: Path) -> None:
    assert (store.empty_trash(), store.size()) == (0, 0)
    store.delete([])
    for call in (store.restore, store.run, lambda run_id: store.rename(run_id, "a")):
        with pytest.raises(RunNotFoundError):
            call("1")
    assert list(tmp_path.iterdir()) == []


# What else a store holds


def test_files_values_sentences_and_images_come_back(store: Store) -> None:
    name = store.put_file(b"content", "text/plain")
    assert store.put_file(b"content", "image/png") == name
    assert store.get_file(name) == StoredFile(b"content", "text/plain")
    store.keep_values("score/1", {"a": "1"})
    store.keep_values("score/1", {"a": "2", "b": "naïve 🙂"})
    assert store.kept_values("score/1", ["b", "a", "c"]) == {"a": "1", "b": "naïve 🙂"}
    sentences = [KeptSentence(str(n), "MAN", "Math", f"{n}") for n in (3, 1, 2)]
    assert [store.keep_sentences(sentences), store.keep_sentences(sentences)] == [3, 0]
    assert store.kept_sentences(["MAN"], ["Math", "Arts"]) == tuple(sentences)
    image = KeptImage("1", "nurse", name, "{}")
    assert [store.keep_images([image]), store.keep_images([image])] == [1, 0]
    assert (store.kept_images(), store.kept_images(["judge"])) == ((image,), ())
    assert store.forget_images(["1", "2"]) == 1
    with pytest.raises(FileNotStoredError):
        store.get_file(name)


def test_more_values_than_one_query_takes(store: Store) -> None:
    many = {f"{i:064d}": str(i) for i in range(2_300)}
    store.keep_values("score/1", many)
    assert store.kept_values("score/1", many) == many


def test_odd_characters_are_stored(store: Store) -> None:
    result = counted("naïve 🙂 \0", subject="a\0b", words=("\0", "🙂"), values={"a": "\0"})
    run_id = store.save(result, "🙂 \0'; --", tags=["naïve 🙂"])
    assert store.open(run_id) == result
    assert store.run(run_id).label == "🙂 \N{REPLACEMENT CHARACTER}'; --"
    assert found(store, "🙂") == {run_id}


# Speed


def fill(store: Store, count: int, size: int = 10) -> list[str]:
    """Save copies of one run, in one transaction."""
    first = store.save(counted(words=("nurse",) * size))
    ids = [f"{first[:6]}{n:04d}" for n in range(count - 1)]
    with store._database.writing() as connection:
        for table in (tables().runs, tables().contents):
            row = dict(connection.execute(table.select()).mappings().one())
            connection.execute(table.insert(), [{**row, "id": run_id} for run_id in ids])
    return [first, *ids]


def test_runs_are_listed_in_a_few_queries_without_their_documents(store: Store) -> None:
    fill(store, 100)
    sent: list[str] = []

    def watch(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        sent.append(statement)

    sa.event.listen(sa.Engine, "before_cursor_execute", watch)
    try:
        for search in ("", "nurse"):
            sent.clear()
            assert len(store.runs(search)) == 100
            assert 1 <= len(sent) < 10
            assert not any("document" in statement for statement in sent)
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", watch)


# On a server


def test_processes_that_write_at_once_on_a_server_lose_nothing(
    postgres_server: PostgresServer, tmp_path: Path
) -> None:
    code = """
        import sys
        from biaslab.store import KeptSentence, Store
        store = Store(sys.argv[1], files=sys.argv[2])
        print("ready", flush=True)
        sys.stdin.readline()  # all begin together, on a store that does not exist yet
        for n in range(10):
            store.keep_values("score/1", {f"{n}": sys.argv[3], f"{n} {sys.argv[3]}": ""})
            store.keep_sentences([KeptSentence(f"{n}", "MAN", "Math", "")])
            store.put_file(bytes([n]))
    """
    url = postgres_server.new_store()
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(code), url, tmp_path, name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in "ab"
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    for writer in writers:
        _, error = writer.communicate(timeout=120)
        assert (writer.returncode, error) == (0, "")
    store = Store(url, files=tmp_path)
    keys = [f"{n} {name}" for n in range(10) for name in "ab"]
    assert len(store.kept_values("score/1", keys)) == 20
    assert len(store.kept_sentences(["MAN"], ["Math"])) == 10


def test_a_server_that_refuses_says_so_without_the_password(
    postgres_server: PostgresServer,
) -> None:
    url = postgres_server.new_store()
    secret = url.partition("lab:")[2].partition("@")[0]
    store = Store(url.replace(secret, "wrong-secret"))
    with pytest.raises(StoreError, match=r"password authentication failed.*accepts you") as caught:
        store.runs()
    assert "wrong-secret" not in str(caught.value)


def test_an_address_without_a_server_says_what_to_check() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        store = Store(f"postgresql+psycopg://lab@127.0.0.1:{closed.getsockname()[1]}/lab")
        with pytest.raises(StoreError, match="server is running"):
            store.save(counted())


def test_a_server_that_stays_locked_says_so(
    postgres_server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(postgres_server.new_store())
    store.keep_values("score/1", {"a": "1"})
    monkeypatch.setattr(database, "_SECONDS_TO_WAIT_FOR_OTHERS", 0.01)
    with store._database.writing():
        with pytest.raises(StoreError, match=r"Another process.*Try again"):
            store.keep_values("score/1", {"b": "1"})
        assert store.kept_values("score/1", ["a", "b"]) == {"a": "1"}


def test_a_store_on_a_server_from_a_newer_biaslab_is_left_alone(
    postgres_server: PostgresServer,
) -> None:
    store = Store(postgres_server.new_store())
    store.keep_values("score/1", {"a": "1"})
    with store._database.writing() as connection:
        connection.execute(tables().meta.update().values(value="999"))
    for call in (store.runs, lambda: store.save(counted())):
        with pytest.raises(StoreError, match="newer biaslab"):
            call()
