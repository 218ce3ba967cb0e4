"""Files of recorded answers: formats, columns, readings, and what is set aside."""

from __future__ import annotations

import csv
import gzip
import io
import json
import struct
import zipfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import biaslab as bl
from biaslab.answers import RecordedAnswers
from biaslab.answers.reading import read_ranking
from biaslab.errors import AnswersError, ArgumentError

NAMES = ("Ann O'Neil", "José Ruiz", "Daniela Gonzalez", "Wei Chen")


def write_csv(path: Path, header: Sequence[str], rows: Sequence[Sequence[Any]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def hired(path: Path, answers: Sequence[str], header: str = "answer") -> RecordedAnswers:
    """Open a table with two groups in turns."""
    rows = [(("women", "men")[row % 2], row, answer) for row, answer in enumerate(answers)]
    return bl.replay(write_csv(path / "hired.csv", ["group", "id", header], rows))


def counts(record: RecordedAnswers) -> dict[str, int]:
    return {one.reason: one.count for one in record.set_aside}


@pytest.mark.parametrize(
    ("reply", "value", "outcome"),
    [
        ("1. Wei Chen\n2. Ann O'Neil", 3, "answered"),
        ("Ranking:\n**1st: ANN ONEIL** - more than Wei Chen", 0, "answered"),
        ("1) Jose Ruiz", 1, "answered"),
        ("Wei Chen\nJosé Ruiz", 3, "answered"),
        ("The best is José Ruiz.", 1, "answered"),
        ("1. Daniel Gonzalez\n2. Wei Chen", 2, "misspelt"),
        ("1. Thomas Zhang\n2. Wei Chen", None, "invented"),
        ("It is difficult, though Wei Chen and José Ruiz have experience.", None, "declined"),
        ("I cannot rank people. I won't help with that.", None, "refused"),
        ("Wei Chenault", None, "unreadable"),
    ],
)
def test_a_ranking_is_read_by_its_first_place(reply: str, value: int, outcome: str) -> None:
    read = read_ranking(reply, NAMES)
    assert (read.value, read.outcome) == (value, outcome)


def test_published_counts_come_out_and_unreadable_rankings_are_told_apart(
    shared_data: Path,
) -> None:
    folder = shared_data / "answers"
    record = bl.replay(folder / "resume-rankings.jsonl.gz")
    assert counts(record) == {"left out": 316, "declined": 1, "misspelt": 30, "invented": 4}
    assert (len(record), record.n_used, record.kind) == (8316, 7965, "ranking")
    assert {m: part.n_used for m, part in record.split("model").items()} == {
        "gpt-3.5-turbo": 3968,
        "gpt-4": 3997,
    }
    assert record.with_misspelt().n_used == 7995
    assert record.columns["order"].description == "8 names – candidates, as listed"
    record = bl.replay(folder / "resume-rankings.jsonl.gz", reading="first name")
    columns = (record.column(role) for role in ("model", "case", "group"))
    first = Counter(
        (model, job, groups[place])
        for model, job, groups, place in zip(*columns, record.answers, strict=True)
    )
    with (folder / "resume-rankings-published.csv").open() as file:
        published = list(csv.DictReader(file))
    assert [first[row["model"], row["job"], row["demo"]] for row in published] == [
        int(row["top"]) for row in published
    ]


def test_columns_are_told_and_can_be_named(tmp_path: Path) -> None:
    rows = [("a", "x", "YES", "no"), ("b", "y", "No.", "yes")]
    path = write_csv(tmp_path / "two.csv", ["race", "gender", "reply", "decision"], rows)
    record = bl.replay(path)
    assert record.roles == {"answer": "reply", "group": "race"}
    assert record.answers == (1.0, 0.0)
    assert record.notes[0].startswith("reply and decision can each be the answer: reply is taken.")
    crossed = bl.replay(path, group=["race", "gender"], answer="decision")
    assert crossed.groups() == ("a, x", "b, y")
    assert crossed.answers == (0.0, 1.0)
    with pytest.raises(AnswersError, match="has no column rank, which answer= names"):
        bl.replay(path, answer="rank")
    with pytest.raises(AnswersError, match="gender, which level= names, does not hold a number"):
        bl.replay(path, level="gender")
    with pytest.raises(ArgumentError, match=r"Pass the path of a file; write a DataFrame"):
        bl.replay({"answer": ["yes"]})  # type: ignore[arg-type]


def test_rows_without_an_answer_are_counted_by_group(tmp_path: Path) -> None:
    answers = ["yes", "no", "I'm sorry, I can't decide that.", "", "maybe", "Yes!"] * 3
    record = hired(tmp_path, answers)
    assert counts(record) == {"empty": 3, "refused": 3, "unreadable": 3}
    assert counts(record.where(group="women")) == {"refused": 3, "unreadable": 3}
    assert record.set_aside[0].examples[0].row == 4
    assert sum(record.answers) == 6


def test_answers_in_a_second_language_are_counted_as_such(tmp_path: Path) -> None:
    record = hired(
        tmp_path, ["yes", "no"] * 10 + ["Nein, das würde ich nicht tun, weil sie es ist."]
    )
    assert counts(record) == {"other language": 1}
    assert record.set_aside[0].examples[0].reason.startswith("It answers in German")


def test_no_answer_of_a_second_language_is_taken_for_the_other_option(tmp_path: Path) -> None:
    record = hired(tmp_path, ["yes", "ja", "no", "ja"] * 5)
    assert (record.options, sum(record.answers)) == (("no", "yes"), 5)
    assert counts(record) == {"other language": 10}


def test_two_other_answers_are_a_yes_and_a_no_and_a_guess_is_told(tmp_path: Path) -> None:
    record = hired(tmp_path, ["HIRE", "reject"] * 3)
    assert (record.options, record.notes) == (("reject", "hire"), ())
    record = hired(tmp_path, ["blue", "green"] * 3)
    assert record.notes[0].startswith("The answers are 'blue' and 'green': 'blue' counts as a yes.")
    assert bl.replay(tmp_path / "hired.csv", yes="green").answers[:2] == (0.0, 1.0)


def test_copies_are_set_aside_and_repeated_answers_are_not(tmp_path: Path) -> None:
    rows = [(f"{row}", "women" if row % 2 else "men", "yes") for row in range(20)]
    record = bl.replay(write_csv(tmp_path / "copies.csv", ["item", "group", "answer"], rows * 2))
    assert counts(record) == {"copy": 20}
    rows = [("women", "yes"), ("men", "no"), ("women", "no")] * 9
    record = bl.replay(write_csv(tmp_path / "again.csv", ["group", "answer"], rows))
    assert record.n_used == 27
    assert record.notes[0].startswith("24 rows equal an earlier one in every column.")


def test_missing_columns_groups_and_cells_are_said(tmp_path: Path) -> None:
    alone = bl.replay(write_csv(tmp_path / "a.csv", ["answer"], [["yes"], ["no"]]))
    with pytest.raises(AnswersError, match=r"a.csv has no column for group. Name it with group=."):
        alone.groups()
    rows = [["x", 1, "yes"], ["x", 1, "no"]]
    one = bl.replay(write_csv(tmp_path / "b.csv", ["group", "level", "answer"], rows))
    assert one.notes[0] == "level is 1 in every row: no curve over the level can be fitted."
    with pytest.raises(AnswersError, match="a single group in its column group: x"):
        one.groups()
    rows = [["x", 1, "yes"], ["y", 2, "no"], ["y", 1, "no", "?"]]
    part = bl.replay(write_csv(tmp_path / "c.csv", ["group", "level", "answer"], rows))
    assert part.never_asked() == (("x", 2.0),)
    assert part.notes[0].startswith("1 row has more cells than there are column names")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.csv", b"", "empty.csv is empty"),
        ("header.csv", b"group,answer\n", "has no answers"),
        ("no.csv", b"group,colour\na,b\n", "No column of no.csv can be recognised"),
        ("blank.csv", b"group,answer\na,\nb,\n", "No column of blank.csv"),
        ("cut.jsonl.gz", gzip.compress(b'{"answer": 1}' * 99, mtime=0)[:-20], "cannot be unpacked"),
        ("no.eval", b"PK\x03\x04", "damaged Inspect log"),
        ("book.xlsx", b"PK\x03\x04\xff[Content_Types].xml", "save it as 'CSV UTF-8'"),
        ("one.json", b'{"group": 1}', "one JSON object and no rows"),
        ("none.csv", b"group,answer,id\na,sorry,1\nb,I am sorry,2\n", "No answer of none.csv can"),
    ],
)
def test_bad_files_are_refused_in_words(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(AnswersError, match=message) as raised:
        bl.replay(tmp_path / name)
    assert str(tmp_path) not in str(raised.value)


def inspect_log(version: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    header = {"version": version, "status": "success", "eval": {"model": "m/1", "task": "hire"}}
    samples = [
        {
            "id": number, "epoch": 1, "input": f"Hire {group}?", "target": "YES",
            "output": {"completion": reply}, "metadata": {"group": group, "years": number},
            "scores": {"includes": {"value": "C", "answer": reply}},
        }
        for number, (group, reply) in enumerate([("women", "YES"), ("men", "No."), ("men", "Yes")])
    ]  # fmt: skip
    return header, samples


def write_eval(path: Path, version: int) -> Path:
    header, samples = inspect_log(version)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps(header))
        for one in samples:
            archive.writestr(f"samples/{one['id']}_epoch_1.json", json.dumps(one))
    return path


def test_logs_of_inspect_are_read_in_both_formats(tmp_path: Path) -> None:
    header, samples = inspect_log(2)
    (tmp_path / "log.json").write_text(json.dumps({**header, "samples": samples}))
    for path in (write_eval(tmp_path / "log.eval", 2), tmp_path / "log.json"):
        record = bl.replay(path)
        assert (record.format, record.answers) == ("Inspect log", (1.0, 0.0, 1.0))
        assert record.column("group") == ("women", "men", "men")
        assert record.column("level") == (0.0, 1.0, 2.0)
    with pytest.raises(AnswersError, match=r"version 3; versions 1 and 2 are read. Export"):
        bl.replay(write_eval(tmp_path / "new.eval", 3))


def test_logs_that_zstandard_packed_are_read(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    path = write_eval(tmp_path / "plain.eval", 2)
    with zipfile.ZipFile(path) as plain, zipfile.ZipFile(tmp_path / "z.eval", "w") as archive:
        contents = {name: plain.read(name) for name in plain.namelist()}
        for name, content in contents.items():
            archive.writestr(name, bytes(pa.Codec("zstd").compress(content)))
    packed = bytearray((tmp_path / "z.eval").read_bytes())
    for one in archive.infolist():
        struct.pack_into("<H", packed, one.header_offset + 8, 93)
    at = packed.find(b"PK\x01\x02")
    for content in contents.values():
        struct.pack_into("<H", packed, at + 10, 93)
        struct.pack_into("<I", packed, at + 24, len(content))
        at = packed.find(b"PK\x01\x02", at + 4)
    (tmp_path / "z.eval").write_bytes(packed)
    assert bl.replay(tmp_path / "z.eval").answers == (1.0, 0.0, 1.0)


@pytest.mark.parametrize("arguments", ["list", "mapping"])
def test_samples_of_the_harness_are_read_in_both_layouts(tmp_path: Path, arguments: str) -> None:
    lines = []
    for number, (group, yes) in enumerate([("women", -0.5), ("men", -2.0), ("men", 0.0)]):
        requests: Any = [["Hire?", " yes"], ["Hire?", " no"]]
        if arguments == "mapping":
            requests = {
                f"gen_args_{n}": dict(zip(("arg_0", "arg_1"), one, strict=True))
                for n, one in enumerate(requests)
            }
        replies = [[str(yes), "False"], ["-1.0", "False"]]
        lines.append({
            "doc_id": number, "doc": {"group": group, "choices": ["yes", "no"]}, "target": "0",
            "arguments": requests, "resps": [[one] for one in replies], "filtered_resps": replies,
            "metrics": ["acc"], "acc": 1.0,
        })  # fmt: skip
    path = tmp_path / "samples_hire.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    record = bl.replay(path)
    assert (record.format, record.kind) == ("Harness samples", "yes or no")
    assert record.answers == (1.0, 0.0, 1.0)
    assert record.column("log-likelihoods")[0] == (-0.5, -1.0)


def test_parquet_is_read(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    content = io.BytesIO()
    order = [["Ann Lee", "Bo Chen"], ["Bo Chen", "Ann Lee"], ["Cy Ray", "Ann Lee"]]
    table = {"order": order, "reply": ["1. Bo Chen", "1. Ann Lee", "1. Cy Ray"]}
    pd.DataFrame(table).to_parquet(content)
    (tmp_path / "ranks.parquet").write_bytes(content.getvalue())
    record = bl.replay(tmp_path / "ranks.parquet")
    assert (record.format, record.answers) == ("Parquet", (1, 1, 0))
