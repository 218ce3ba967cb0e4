"""Saved runs on the command line: found, shown, changed, compared, reported and made again."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import biaslab as bl
from biaslab.cli import main

Run = Callable[..., str]


@pytest.fixture
def ids(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path / "home"))
    vectors = bl.load(
        {
            "she": [1.0, 0.1, 0.2], "he": [-1.0, 0.2, 0.1],
            "nurse": [0.4, 1.0, 0.0], "clerk": [-0.3, 0.9, 0.2],
        },
        name="small",
    )  # fmt: skip
    found = {}
    for word in ("nurse", "clerk"):
        found[word] = bl.two_afc(vectors, [word], [("she", "he")]).save(
            label=f"{word} pilot", tags=["thesis"]
        )
    return found


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def called(*arguments: str, status: int = 0) -> str:
        assert main(arguments) == status
        output = capsys.readouterr()
        return output.err if status == 1 else output.out

    return called


def _first(text: str) -> list[str]:
    return [line.split("\t")[0] for line in text.splitlines()]


def test_a_pipe_has_a_line_a_run_newest_first(ids: dict[str, str], run: Run) -> None:
    listed = run("runs")
    assert _first(listed) == [ids["clerk"], ids["nurse"]]
    fields = listed.splitlines()[1].split("\t")
    stored = bl.Store().run(ids["nurse"])
    assert fields[2:] == [
        "two_afc", "small", "psychometric", "thesis", "nurse pilot", stored.headline
    ]  # fmt: skip
    assert fields[1][:16] == stored.time[:16]


def test_runs_are_found_by_words_and_filters(ids: dict[str, str], run: Run) -> None:
    bl.Store().tag(ids["nurse"], "chapter 2")
    assert _first(run("runs", "nurse", "PILOT")) == [ids["nurse"]]
    assert _first(run("runs", "list", "nurse")) == [ids["nurse"]]
    assert _first(run("runs", "--tag", "chapter 2")) == [ids["nurse"]]
    assert _first(run("runs", "--probe", "two_afc", "--subject", "small", "-n", "1")) == [
        ids["clerk"]
    ]
    assert "matches 'nurse --bench images'" in run("runs", "nurse", "--bench", "images", status=1)
    assert "1 or more" in run("runs", "-n", "0", status=1)
    assert json.loads(run("runs", "--bench", "images", "--json")) == []


def test_json_of_a_list_and_of_a_run(ids: dict[str, str], run: Run) -> None:
    rows = json.loads(run("runs", "--json"))
    assert [row["id"] for row in rows] == [ids["clerk"], ids["nurse"]]
    assert rows[0]["tags"] == ["thesis"]
    shown = json.loads(run("runs", "show", ids["nurse"], "--json"))
    assert shown == json.loads(run("runs", ids["nurse"], "--json"))
    assert shown["label"] == "nurse pilot"
    assert bl.Result.from_json(json.dumps(shown["result"])) == bl.Store().open(ids["nurse"])


def test_a_run_is_shown_with_its_label_and_its_finding(ids: dict[str, str], run: Run) -> None:
    text = run("runs", "show", ids["nurse"])
    assert "label:   nurse pilot\ntags:    thesis\n" in text
    assert bl.Store().open(ids["nurse"]).verdict()[0] in text


def test_deleted_runs_come_back(ids: dict[str, str], run: Run) -> None:
    told = run("runs", "delete", *ids.values())
    assert told.startswith("2 runs moved to the trash.")
    command = told.partition(": biaslab ")[2].split()
    assert command == ["runs", "restore", *ids.values()]
    assert run("runs") == ""
    assert _first(run("runs", "--deleted")) == [ids["clerk"], ids["nurse"]]
    refused = run("runs", "show", ids["nurse"], status=1)
    assert f"`biaslab runs restore {ids['nurse']}` brings it back" in refused
    assert run(*command) == "2 runs restored.\n"
    assert len(_first(run("runs"))) == 2


def test_only_yes_empties_the_trash(ids: dict[str, str], run: Run) -> None:
    run("runs", "delete", ids["nurse"])
    assert run("runs", "empty-trash").startswith("1 run in the trash.")
    assert _first(run("runs", "--deleted")) == [ids["nurse"]]
    assert run("runs", "empty-trash", "--yes") == "1 run deleted permanently.\n"
    assert run("runs", "--deleted") == ""


def test_tags_and_labels_change(ids: dict[str, str], run: Run) -> None:
    run("runs", "tag", ids["nurse"], ids["clerk"], "--add", "a", "--add", "b", "--remove", "thesis")
    assert bl.Store().run(ids["clerk"]).tags == ("a", "b")
    assert "Name a tag" in run("runs", "tag", ids["nurse"], status=1)
    run("runs", "label", ids["nurse"], "second")
    assert bl.Store().run(ids["nurse"]).label == "second"


def test_a_run_is_exported(ids: dict[str, str], run: Run, tmp_path: Path) -> None:
    run("runs", "export", ids["nurse"], str(tmp_path / "nurse.csv"))
    assert (tmp_path / "nurse.csv").read_text().startswith("item,")
    run("runs", "export", ids["nurse"], str(tmp_path / "nurse.json"))
    assert bl.Result.from_json(tmp_path / "nurse.json") == bl.Store().open(ids["nurse"])
    assert ".parquet" in run("runs", "export", ids["nurse"], str(tmp_path / "a.xls"), status=1)


def test_an_unknown_run_is_refused_in_the_words_of_the_shell(ids: dict[str, str], run: Run) -> None:
    for arguments in (
        ["runs", "show", "x"],
        ["runs", "delete", ids["nurse"], "x"],
        ["compare", "x", ids["nurse"]],
        ["report", "x"],
        ["rerun", "x"],
        ["code", "x"],
    ):
        said = run(*arguments, status=1)
        assert "no run 'x'" in said
        assert "`biaslab runs` lists all runs" in said
        assert "runs()" not in said


def test_two_runs_are_compared(ids: dict[str, str], run: Run, tmp_path: Path) -> None:
    store = bl.Store()
    file = tmp_path / "nurse.json"
    store.open(ids["nurse"]).to_json(file)
    document = json.loads(run("compare", ids["nurse"], str(file), "--json"))
    compared = bl.compare(ids["nurse"], store.open(ids["nurse"]))
    assert bl.Result.from_json(json.dumps(document)) == compared
    assert run("compare", ids["nurse"], str(file)).startswith(compared.summary())
    said = run("compare", ids["nurse"], str(file), str(file), "--labels", "2019", "2020", "2021")
    assert "from 2019 to 2021" in said
    assert "cannot be read" in run("compare", ids["nurse"], "no-such.json", status=1)


def test_a_report_is_written(ids: dict[str, str], run: Run, tmp_path: Path) -> None:
    page, section = tmp_path / "report.html", tmp_path / "bias.md"
    run("report", *ids.values(), "--output", str(page), "--title", "Two <words>")
    text = page.read_text(encoding="utf-8")
    assert "<title>Two &lt;words&gt;" in text
    assert f"biaslab rerun {ids['nurse']}" in text
    run("report", ids["nurse"], "--output", str(section))
    assert section.read_text(encoding="utf-8").startswith("## Bias")
    assert ".html or .md" in run("report", ids["nurse"], "--output", "a.pdf", status=1)


def test_a_rerun_says_whether_numbers_are_the_same(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path / "home"))
    result = bl.association.weat_simulation(draws=20)
    same, changed = tmp_path / "same.json", tmp_path / "changed.json"
    result.to_json(same)
    document = json.loads(run("rerun", str(same), "--json", "--save"))
    assert document["is_equal"]
    assert document["differences"] == []
    assert bl.Store().open(document["saved"]) == result
    name = next(n for n, v in vars(result).items() if isinstance(v, float))
    replace(result, **{name: getattr(result, name) + 1.0}).to_json(changed)
    document = json.loads(run("rerun", str(changed), "--json", status=3))
    assert not document["is_equal"]
    assert document["differences"]
    assert "weat_simulation" in run("code", str(same))
