"""Sentences written by a model in the sentence bench: in the background, stoppable, no key kept."""

from __future__ import annotations

import json
import logging
import re
import traceback
from typing import Any

import pytest

from biaslab.asking import endpoint
from harness.emitted import Gate
from harness.needs import needs
from harness.scripted_model_server import Scripted, scripted_server
from harness.sentence_controller import Bench

pytestmark = needs("openai")

KEY = "sk-very-secret-0123456789"


@pytest.fixture(autouse=True)
def _alone(own_home: None, bare_environment: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "_wait", lambda seconds, context: None)


@pytest.fixture
def bench() -> Bench:
    made = Bench()
    made.answer(step=2)
    return made


def words_in(body: dict[str, Any]) -> list[str]:
    return re.findall(r'"([^"]+)"', body["messages"][-1]["content"])


def good(body: dict[str, Any], number: int) -> Scripted:
    term, attribute = words_in(body)[:2]
    verbs = ("praised", "explained", "described", "drew")
    return Scripted("\n".join(f"The {term} {v} {attribute} for an hour {number}." for v in verbs))


def written(bench: Bench, **args: Any) -> dict[str, Any]:
    """Send ``write``; what is told once nobody writes any more."""
    reply = bench.reply("write", **args)
    assert reply["ok"], reply
    return settled(bench)


def settled(bench: Bench) -> dict[str, Any]:
    assert bench.controller.materials.maker.job is not None
    bench.controller.materials.maker.job.wait()
    state = bench.emitted.until(
        lambda s: s.get("writing", {}).get("total") == 0 and s["writing"]["message"] != ""
    )
    found: dict[str, Any] = state["writing"]
    return found


def test_what_a_server_writes_is_checked_added_and_found_again(bench: Bench) -> None:
    with scripted_server(good) as server:
        said = written(bench, writer="endpoint", base_url=server.url, model="scripted",
                       style="plain", count=4, key=KEY)  # fmt: skip
        assert server.requests[0]["authorization"] == f"Bearer {KEY}"
    assert said["message"] == "16 sentences were written, 0 rejected with reasons."
    assert len(bench.pairs) == 64
    assert bench.pairs[-1]["source"].startswith("scripted at http://127.0.0.1")
    again = Bench(sentences=[])
    assert again.reply("retrieve")["ok"]
    new = {p["stereotyped"] for p in bench.pairs[48:]}
    assert new <= {p["stereotyped"] for p in again.pairs}


def test_only_the_attributes_that_are_asked_for_are_written_about(bench: Bench) -> None:
    with scripted_server(good) as server:
        written(bench, writer="endpoint", base_url=server.url, model="scripted", count=2,
                attributes=["dance"], key=KEY)  # fmt: skip
    assert {p["attribute"] for p in bench.pairs[48:]} == {"dance"}
    assert len(bench.pairs) == 50


def test_the_key_is_in_no_state_output_error_or_log(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with scripted_server(lambda body, number: Scripted(f"wrong key {KEY}", 401)) as server:
        said = written(bench, writer="endpoint", base_url=server.url, model="scripted", key=KEY)
        assert server.requests[0]["authorization"] == f"Bearer {KEY}"
    assert "rejects this key (401)" in said["message"]
    assert "rejects this key" in bench.state["sentences"]["problems"][0]
    assert KEY not in json.dumps(bench.state)
    assert KEY not in json.dumps(bench.emitted.log)
    assert KEY not in caplog.text
    job = bench.controller.materials.maker.job
    assert job is not None
    assert job.exception is not None
    assert KEY not in "".join(traceback.format_exception(job.exception))
    assert KEY not in repr(job.exception)
    assert bench.controller._private.held == {}
    blanked = [o["command"] for o in bench.emitted.log if "command" in o]
    assert blanked[0]["name"] == "write"
    assert "key" not in blanked[0]["args"]
    assert len(bench.pairs) == 48


def test_the_command_is_blanked_before_anything_else_is_said(bench: Bench) -> None:
    seen = len(bench.emitted.log)
    bench.reply("write", writer="endpoint", base_url="http://127.0.0.1:9/v1", model="m", key=KEY)
    # An answer of before may still be on its way: it knows nothing of the command.
    said = [set(outputs) for outputs in bench.emitted.log[seen:]]
    assert next(names for names in said if names & {"command", "reply", "writing"}) == {"command"}
    settled(bench)


def test_a_server_that_is_not_there_is_told_and_nothing_is_lost(bench: Bench) -> None:
    said = written(bench, writer="endpoint", base_url="http://127.0.0.1:9/v1", model="m", key=KEY)
    assert "cannot be reached" in said["message"]
    assert "cannot be reached" in bench.state["sentences"]["problems"][0]
    assert len(bench.pairs) == 48


def test_stopping_keeps_what_is_written(bench: Bench) -> None:
    gate = Gate()

    def second_waits(body: dict[str, Any], number: int) -> Scripted:
        if number == 1:
            gate.pass_through()
        return good(body, number)

    with scripted_server(second_waits) as server:
        bench.reply("write", writer="endpoint", base_url=server.url, model="scripted", count=4,
                    key=KEY)  # fmt: skip
        assert gate.entered.wait(30)
        bench.emitted.until(lambda s: len(s["sentences"]["pairs"]) == 52)
        assert "already being written" in bench.refused(
            "write", writer="endpoint", base_url=server.url, model="m", key=KEY
        )
        assert bench.reply("stop-writing")["ok"]
        gate.open()
        settled(bench)
        assert len(server.requests) == 2
    assert len(bench.pairs) == 56
    assert bench.reply("stop-writing")["message"] == "Nobody writes."


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ({"writer": "endpoint", "model": ""}, "Name the model"),
        ({"writer": "nobody"}, "no writer “nobody”"),
    ],
)
def test_a_writer_that_there_is_none_of_is_refused(
    bench: Bench, args: dict[str, str], told: str
) -> None:
    assert told in bench.refused("write", key=KEY, **args)


def test_the_other_version_is_written_anew_by_a_model(bench: Bench) -> None:
    row = bench.pairs[0]

    def rewrites(body: dict[str, Any], number: int) -> Scripted:
        return Scripted("The woman spent her whole evening reading about algebra.")

    bench.tested()
    with scripted_server(rewrites) as server:
        reply = bench.reply("rewrite", pair=row["id"], version="against", writer="endpoint",
                            base_url=server.url, model="scripted", key=KEY)  # fmt: skip
        assert reply["ok"], reply
        said = settled(bench)
    state = bench.emitted.until(lambda s: s["sentences"]["pairs"][0]["edited"])
    now = state["sentences"]["pairs"][0]
    assert now["id"] == row["id"]
    assert now["stereotyped"] == row["stereotyped"]
    assert now["against"] == "The woman spent her whole evening reading about algebra."
    assert "It differs in more than the term" in said["message"]
    assert "It differs in more than the term" in now["remark"]
    picture = bench.until(lambda p: p["run"]["untested"] == 0)
    assert not picture["run"]["stale"]
    assert KEY not in json.dumps(bench.state)


def test_a_rewriting_that_does_not_fit_is_told_and_the_pair_stays(bench: Bench) -> None:
    row = bench.pairs[0]
    with scripted_server(lambda body, number: Scripted("Something else altogether.")) as server:
        bench.reply("rewrite", pair=row["id"], writer="endpoint", base_url=server.url,
                    model="scripted", key=KEY)  # fmt: skip
        said = settled(bench)
    assert "wrote no sentence with “woman”" in said["message"]
    assert bench.pairs[0] == row
