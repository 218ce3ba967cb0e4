"""The opinion bench without a host: files in, columns, the verdict, and what is refused."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import biaslab as bl
import biaslab_widgets as bw
from biaslab.errors import QueryError
from biaslab_widgets.benches.opinion.view import picture_of
from harness import benchmark_files, recorded_files
from harness.copied_code import copied
from harness.scenarios.opinion import Bench


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench()
    yield made
    made.controller.close()


def panels(state: dict[str, Any], tab: int = 0) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = state["answer"]["picture"]["tabs"][tab]["panels"]
    return found


def test_it_opens_with_made_up_rankings_whose_effect_it_finds(bench: Bench) -> None:
    answer = bench.answer()
    picture = answer["picture"]
    assert [panel["clear"] for panel in picture["tabs"][0]["panels"]] == [True] + 3 * [False]
    assert [tab["name"] for tab in picture["tabs"]][::2] == ["8 groups", "men and women"]
    clear = picture["tabs"][0]["panels"][0]
    planted = next(row for row in clear["rows"] if row["label"] == "Asian women")
    assert planted["low"] > clear["neutral"]
    assert planted["tone"] == "second"
    assert sum(clear["places"]) == pytest.approx(100, abs=0.1)
    assert len(picture["may"]) == len(picture["may_not"]) == 3
    roles = {one["column"]: one["role"] for one in answer["columns"]}
    assert roles == {"model": "model", "job": "case", "order": "order", "groups": "group",
                     "reply": "answer"}  # fmt: skip
    assert 'bl.replay("simulated-rankings")' in copied(bench.controller)


@pytest.mark.parametrize(
    ("write", "title", "rows"),
    [
        (lambda f: recorded_files.asked(f / "a.csv", 60, 0.8), "How groups differ", ["men"]),
        (lambda f: recorded_files.asked(f / "n.csv", 60, 0.8, number=True), "How groups differ",
         ["men"]),
        (lambda f: recorded_files.inspect_log(f / "i.eval", 60, 0.8), "How groups differ", ["men"]),
        (lambda f: recorded_files.parquet(f / "p.parquet", 60, 0.8), "How groups differ", ["men"]),
        (lambda f: benchmark_files.bbq(f / "b.jsonl"), "BBQ by score", ["all items"]),
    ],
    ids=["yes or no", "numbers", "Inspect", "Parquet", "benchmark"],
)  # fmt: skip
def test_every_kind_of_answers_is_drawn_in_one_form(
    bench: Bench, tmp_path: Path, write: Callable[[Path], Path], title: str, rows: list[str]
) -> None:
    path = write(tmp_path)
    state = bench.put(path)
    picture = state["answer"]["picture"]
    assert (picture["source"], picture["title"]) == (path.name, title)
    assert [row["label"] for row in panels(state)[0]["rows"]] == rows
    result = bl.opinion(path)
    shown = bench.controller.result
    assert shown.to_frame().equals(result.to_frame())
    assert str(tmp_path) not in json.dumps(state["answer"]) + shown.to_json()
    assert f'bl.replay(Path("{path.name}"))' in shown.code()


def test_word_pairs_want_a_file_of_their_words(bench: Bench, tmp_path: Path) -> None:
    state = bench.put(recorded_files.paired(tmp_path / "pairs.csv"))
    assert state["answer"]["wants_words"]
    words = [("pairs", "young", "old", "joy"), *(("pairs", "", "", w) for w in ("love", "evil"))]
    tests = recorded_files.write(
        tmp_path / "words.csv", ["dataset", "A", "B", "C"], [*words, ("pairs", "", "", "agony")]
    )
    state = bench.put(tests, what="words")
    assert state["answer"]["picture"]["title"] == "How words are sorted", state["answer"]
    assert panels(state)[0]["rows"][0]["value"] > 0


def test_a_packed_file_arrives_in_pieces(bench: Bench, tmp_path: Path) -> None:
    path = recorded_files.ranked(tmp_path / "r.jsonl", 60)
    packed = gzip.compress(path.read_bytes())
    for part, start in enumerate(range(0, len(packed), 3000)):
        piece = base64.b64encode(packed[start : start + 3000]).decode()
        assert bench.reply("upload-part", parcel="p", part=part, content=piece)["ok"]
    assert bench.reply("upload", parcel="p", name="../r.jsonl.gz")["ok"]
    state = bench.settled()
    assert state["subject"] == "r.jsonl.gz"
    assert state["answer"]["about"].startswith("120 answers, JSON Lines")


def test_roles_margin_and_reference_are_read_anew(bench: Bench, tmp_path: Path) -> None:
    rows = [(s, r, f"q{i}", "yes" if i % 3 else "no")
            for i in range(60) for s in ("women", "men") for r in ("Black", "White")]  # fmt: skip
    path = recorded_files.write(tmp_path / "a.csv", ["gender", "race", "item", "answer"], rows)
    bench.put(path)
    both = [{"column": one, "role": "group"} for one in ("gender", "race")]
    state = bench.settled(roles=both, reference="men, White", alike=0.2)
    assert state["answer"]["picture"]["reference"] == "men, White"
    assert panels(state)[0]["margin"] == 20
    assert len(panels(state)[0]["rows"]) == 3
    kept = [{"column": "race", "role": ""}]
    answer = bench.settled(roles=kept, reference="")["answer"]
    cards = {one["column"]: one["role"] for one in answer["columns"]}
    assert (cards["race"], cards["gender"]) == ("", "group")


def test_groups_can_be_renamed(bench: Bench, tmp_path: Path) -> None:
    bench.put(recorded_files.asked(tmp_path / "a.csv", 60, 0.8))
    named = [{"group": "women", "name": "Asian women"}]
    state = bench.settled(labels=named, reference="women")
    picture = state["answer"]["picture"]
    assert picture["groups"] == [*named, {"group": "men", "name": "men"}]
    assert picture["reference"] == "women"
    assert any("Asian women" in sentence["text"] for sentence in picture["may"])
    assert "labels={'women': 'Asian women'}" in copied(bench.controller).replace('"', "'")
    result = bench.controller.result
    assert bench.controller.inputs_for(result)["labels"] == named
    answer = bench.settled(labels=[{"group": "women", "name": "men"}])["answer"]
    assert "Two groups would have one name" in answer["message"]["text"]


def test_groups_of_rankings_can_be_renamed(bench: Bench) -> None:
    before = [one["group"] for one in bench.answer()["picture"]["groups"]]
    named = [{"group": one, "name": f"{one} A"} for one in before]
    picture = bench.settled(labels=named)["answer"]["picture"]
    assert picture["groups"] == named
    assert picture["tabs"][0]["panels"][0]["rows"][0]["label"] == f"{before[0]} A"


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("one.csv", "group,answer\n" + "women,yes\nwomen,no\n" * 9, "single group"),
        ("refused.csv", "group,answer\n" + "women,yes\nwomen,no\nmen,I cannot say.\n" * 9,
         "No two groups"),
        ("none.csv", "colour,size\nred,1\nblue,2\n", "No column of none.csv can be recognised"),
        ("empty.csv", "", "empty"),
        ("half.jsonl", '{"group": "women", "answer": "yes"}\n{"group": "m', "half.jsonl"),
        ("text.csv", "group,answer\n" + "".join(f"{g},{g} says {i} things to {i}\n"
         for i in range(40) for g in ("women", "men")), "free text"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_judged_leaves_the_last_result(
    bench: Bench, tmp_path: Path, name: str, text: str, says: str
) -> None:
    before = bench.answer()["picture"]
    (tmp_path / name).write_text(text)
    answer = bench.put(tmp_path / name)["answer"]
    assert answer["state"] == "error"
    assert says in answer["message"]["text"]
    assert "=" not in answer["message"]["text"]
    assert answer["picture"] == before
    assert before["source"] == "simulated-rankings"
    with pytest.raises(QueryError):
        _ = bench.controller.result


def test_columns_of_a_refused_file_can_be_named(bench: Bench, tmp_path: Path) -> None:
    rows = [(g, "yes" if i % 3 else "no") for i in range(30) for g in ("women", "men")]
    path = recorded_files.write(tmp_path / "odd.csv", ["who", "said"], rows)
    answer = bench.put(path)["answer"]
    assert [one["column"] for one in answer["columns"]] == ["who", "said"]
    roles = [{"column": "who", "role": "group"}, {"column": "said", "role": "answer"}]
    state = bench.settled(roles=roles)
    assert state["answer"]["picture"]["source"] == "odd.csv"


def test_a_link_asks_for_the_file_that_it_names(bench: Bench, tmp_path: Path) -> None:
    bench.controller.offer("a.csv")
    roles = [{"column": "item", "role": "cluster"}]
    answer = bench.settled(subject="a.csv", roles=roles)["answer"]
    assert "Open the file again" in answer["message"]["text"]
    state = bench.put(recorded_files.asked(tmp_path / "a.csv", 60, 0.8))
    assert state["roles"] == roles
    assert state["answer"]["picture"]["source"] == "a.csv"


def test_what_is_set_aside_has_its_first_rows(bench: Bench) -> None:
    (aside,) = bench.answer()["picture"]["set_aside"]
    assert aside["reason"] == "invented"
    assert len(aside["examples"]) == 3
    assert all("Alex Taylor" in text for _, text, _ in aside["examples"])


def test_a_run_is_shown_again_without_its_file(tmp_path: Path) -> None:
    path = recorded_files.asked(tmp_path / "a.csv", 60, 0.8)
    first = bw.OpinionBench(path)
    before = picture_of(first.result, path.name)
    run = first.save("mine")
    outside = bl.opinion(path).save()
    path.unlink()
    for one in (run, outside):
        bench = bw.OpinionBench.of_run(one)
        assert bench.result.to_frame().equals(first.result.to_frame())
        shown = bench.controller.answer(bench.controller.snapshot())["answer"]["picture"]
        assert shown["verdict"] == before["verdict"]
        bench.alike = 0.2
        with pytest.raises(QueryError, match="Open the file again"):
            _ = bench.result
        bench.close()
    first.close()


def test_answers_that_are_read_already_are_taken_as_they_are(tmp_path: Path) -> None:
    answers = bl.replay(recorded_files.asked(tmp_path / "a.csv", 60, 0.8), cluster="item")
    bench = bw.OpinionBench(answers)
    assert bench.result == bl.opinion(answers)
    bench.close()
