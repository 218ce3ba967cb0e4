"""Services of the rating bench: described, chatted with, put in a row, opened; power and preset."""

from __future__ import annotations

import json
from typing import Any

import pytest

import biaslab as bl
import biaslab_widgets
from biaslab.asking.providers.apertium import ApertiumServer
from biaslab.errors import ServiceSetupError
from biaslab.probes.rating import RatingDesign, compose, rate
from biaslab_widgets.app.library.shared import Shared
from biaslab_widgets.benches.rating.services import ServiceSource
from harness.deferred import Deferred
from harness.emitted import Gate
from harness.panels import panel
from harness.rating_controller import MIDDLES, Bench, Echo
from harness.scenarios.rating import of_few
from harness.scripted_model_server import Scripted, scripted_server
from harness.service_server import Says, ServiceServer

registry = Deferred("biaslab_widgets.benches")

KEY = "sk-very-secret-0123456789"


@pytest.fixture(autouse=True)
def _own_home(own_home: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def toml(url: str, more: str = "") -> str:
    """A description of an API that says again what it is told."""
    return (
        f'name = "echo api"\nversion = "1"\n[request]\nurl = "{url}/say"\n'
        f'json = {{q = "{{text}}"}}\n{more}[answer]\npath = "out"\n'
    )


def test_a_described_api_becomes_a_service_and_is_rated() -> None:
    bench = Bench()
    bench.answer()
    with ServiceServer(lambda asked: Says.of({"out": asked.json["q"]})) as server:
        reply = bench.reply("describe", toml=toml(server.url))
        assert reply["ok"], reply
        assert bench.state["service"] == "echo api"
        option = next(s for s in bench.state["services"] if s["name"] == "echo api")
        assert (option["own"], option["kind"], option["languages"]) == (True, "HTTP API", [])
        picture = bench.rated()
        assert picture["rows"][0]["corrected"] == "DSBS"
        assert len(server.asked) == 60
    assert bench.reply("remove-service", name="echo api")["ok"]
    assert "echo api" not in [s["name"] for s in bench.state["services"]]
    assert bench.state["service"] == "simulated translator"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "Describe the service in TOML"),
        ("name = 1", "name is missing"),
        ("name = ", "is not valid TOML"),
        ("/etc/hostname", "is not valid TOML"),  # a file's name is not read
        (toml("http://127.0.0.1:1", 'headers = {A = "{env:NOT_SET_HERE}"}\n'), "NOT_SET_HERE"),
    ],
)
def test_a_description_that_is_wrong_says_what(text: str, told: str) -> None:
    bench = Bench()
    assert told in bench.refused("describe", toml=text)
    assert not any(s["own"] for s in bench.state["services"])


def test_on_a_served_page_a_description_cannot_read_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SECRET_OF_THIS_MACHINE", KEY)
    text = toml("http://127.0.0.1:1", 'headers = {A = "{env:SECRET_OF_THIS_MACHINE}"}\n')
    # TOML can write the same letters otherwise.
    hidden = text.replace("{env:", "\\u007Benv:")
    served = Bench(environment=False)
    for one in (text, hidden):
        assert "Environment variables" in served.refused("describe", toml=one)
    assert Bench().reply("describe", toml=text)["ok"]


def test_a_chat_model_is_a_translator() -> None:
    bench = Bench()
    bench.answer()
    told = "Él es carnicero. Él es panadero."
    with scripted_server(lambda body, number: Scripted(told)) as server:
        reply = bench.reply("chat", name="mine", model="scripted", base_url=server.url, key=KEY)
        assert reply["ok"], reply
        option = next(s for s in bench.state["services"] if s["name"] == "mine")
        assert "es" in [one["code"] for one in option["languages"]]
        bench.rated(middles=["es"], texts=1)
        assert server.requests[0]["authorization"] == f"Bearer {KEY}"
    assert not bench.reply("chat", model=" ", key=KEY)["ok"]


@pytest.mark.parametrize(
    ("first", "second", "predicted"),
    [("faithful", "always he", "BS"), ("always she", "compensating", "UCS")],
)
def test_a_composite_is_run_and_stands_beside_its_prediction(
    first: str, second: str, predicted: str
) -> None:
    bench = Bench()
    for name in (first, second):
        bench.rated(service=name, texts=40)
    assert bench.state["composed"] == []
    assert bench.reply("compose", first=first, second=second)["ok"]
    assert bench.state["service"] == f"{first} → {second}"
    bench.rated()
    (found,) = bench.state["composed"]
    assert (found["predicted"], found["measured"], found["agrees"]) == (predicted, predicted, True)
    assert not bench.reply("remove-service", name=first)["ok"]
    assert not bench.reply("compose", first=first, second="nobody")["ok"]


def test_two_translators_in_a_row_go_through_each_language_of_both() -> None:
    one = bl.observers.service("faithful", languages={"es": "faithful", "tr": "always-he"})
    other = bl.observers.service("erasing", languages={"tr": "compensating", "es": "always-she"})
    bench = Bench([one, other])
    for name in (one.name, other.name):
        bench.rated(service=name, texts=40, middles=["es", "tr"])
    assert bench.reply("compose", first=one.name, second=other.name)["ok"]
    picture = bench.rated()
    assert {r["language"]: r["corrected"] for r in picture["rows"]} == {"es": "BS", "tr": "UCS"}
    found = {c["language"]: (c["predicted"], c["measured"]) for c in bench.state["composed"]}
    assert found == {"Spanish": ("BS", "BS"), "Turkish": ("UCS", "UCS")}


def test_a_composite_of_a_composite_is_no_riddle() -> None:
    bench = Bench()
    bench.answer()
    bench.reply("compose", first="faithful", second="faithful")
    bench.reply("compose", first="faithful → faithful", second="always he")
    picture = bench.rated()
    assert picture["rows"][0]["corrected"] == "BS"
    assert " uses " in bench.refused("remove-service", name="faithful → faithful")


def test_the_table_of_compositions_has_both_rules() -> None:
    bench = Bench()
    for rule in ("paper", "definition"):
        bench.answer(composition=rule)
        table = bench.state["table"]
        assert len(table) == 9
        for cell in table:
            for which in ("paper", "definition"):
                expected = compose(cell["first"], cell["second"], which).rating
                assert cell[which] == expected
            assert cell["reason"] == compose(cell["first"], cell["second"], rule).reason
    assert [(c["first"], c["second"]) for c in table if c["differs"]] == [("UCS", "DSBS")]


def test_the_papers_design_is_one_command() -> None:
    bench = Bench(bl.observers.service("faithful", languages=MIDDLES))
    bench.answer(attribute="place of worship", template="")
    bench.answer(texts=3, repetitions=4)
    reply = bench.reply("preset")
    assert "without ar, fr" in reply["message"]
    assert (bench.state["attribute"], bench.state["texts"]) == ("gender", 20)
    assert (bench.state["repetitions"], bench.state["middles"]) == (1, ["es", "tr"])
    assert [d["name"] for d in bench.state["distributions"]] == ["50/50", "10/90", "90/10"]
    assert bench.rated()["rows"][0]["corrected"] == "DSBS"
    paper = RatingDesign.paper(middles=("es", "tr"))
    assert bench.controller.result.design.all_texts == paper.all_texts


def test_a_service_is_opened_in_the_background_when_it_is_chosen() -> None:
    gate = Gate()

    def opener(_progress: Any) -> Any:
        gate.pass_through()
        return bl.observers.service("faithful", languages=MIDDLES)

    slow = ServiceSource("slow", opener, about="is slow", kind="translator")
    bench = Bench({"quick": Bench(Echo("quick")).controller.opening.sources["quick"], "slow": slow})
    bench.answer()
    bench.controller.change({"service": "slow"})
    state = bench.emitted.until(lambda s: s.get("answer", {}).get("state") == "loading")
    assert gate.entered.wait(60)
    assert state["answer"]["message"]["title"] == "Starting slow"
    reply = bench.reply("run")  # answered at once: nobody waits for it
    assert not reply["ok"]
    assert "still starting" in reply["message"]
    gate.open()
    state = bench.emitted.until(lambda s: s.get("middles") == list(MIDDLES))
    assert bench.rated()["rows"][1]["corrected"] == "BS"


def test_a_service_that_cannot_be_opened_says_why_and_is_tried_again() -> None:
    broken = [True]

    def opener(_progress: Any) -> Any:
        if broken:
            raise ServiceSetupError("It is not installed.")
        return Echo()

    bench = Bench({"lost": ServiceSource("lost", opener)})
    bench.controller.change({})
    state = bench.emitted.until(lambda s: s.get("answer", {}).get("state") == "error")
    assert state["answer"]["message"]["text"] == "It is not installed."
    assert bench.state["plan"]["problem"] == "It is not installed."
    assert bench.reply("run")["message"] == "It is not installed."
    broken.clear()
    bench.reply("retry")
    bench.emitted.until(lambda s: s.get("answer", {}).get("state") == "empty")
    assert bench.rated()["rows"][0]["corrected"] == "DSBS"


def test_the_power_curve_is_made_in_the_background_and_recommends_a_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("biaslab_widgets.benches.rating.design.power_curve", of_few)
    bench = Bench()
    bench.answer(service="faithful", equivalence_margin=0.3)
    assert bench.state["power"]["state"] == "none"
    assert bench.reply("power")["ok"]
    assert not bench.reply("power")["ok"]
    state = bench.emitted.until(lambda s: s.get("power", {}).get("state") == "ready")
    power = state["power"]
    assert power["services"] == ["faithful", "always he", "compensating", "noisy"]
    assert power["recommended"] in [point["texts"] for point in power["points"]]
    good = [p for p in power["points"] if p["texts"] >= power["recommended"]]
    assert all(low >= 0.95 for point in good for _, low, _ in point["shares"])
    assert [p["calls"] for p in power["points"]] == [3 * p["texts"] for p in power["points"]]
    assert bench.planned()["recommended"] == power["recommended"]
    bench.answer(equivalence_margin=0.29)  # another question
    assert bench.state["power"]["state"] == "none"


def test_a_power_curve_is_stopped_with_the_points_that_are_there() -> None:
    bench = Bench()
    bench.answer(service="faithful", equivalence_margin=0.02)
    bench.reply("power")
    bench.emitted.until(lambda s: len(s.get("power", {}).get("points", ())) >= 1)
    assert bench.reply("power-stop")["ok"]
    state = bench.emitted.until(lambda s: s.get("power", {}).get("state") == "ready")
    assert state["power"]["message"] == "It was stopped."
    assert 1 <= len(state["power"]["points"]) < 12


def test_apertium_in_the_bench_gives_what_the_probe_gives(apertium_server: ApertiumServer) -> None:
    bench = Bench(apertium_server.translator)
    bench.answer()
    assert {"es", "eo"} <= {one["code"] for one in bench.state["services"][0]["languages"]}
    picture = bench.rated(middles=["es", "eo"])
    alone = rate(apertium_server.translator, RatingDesign.make(middles=("es", "eo")))
    assert bench.controller.result.ratings == alone.ratings
    assert {row["language"]: row["corrected"] for row in picture["rows"]} == {
        "es": "not rateable", "eo": "DSBS",
    }  # fmt: skip
    spanish, esperanto = ([cell["counts"] for cell in row["cells"]] for row in picture["rows"])
    assert esperanto == [[20, 20, 0], [4, 36, 0], [36, 4, 0]], "gender is kept"
    assert spanish == [[0, 0, 40]] * 3, "gender is erased"
    state = bench.emitted.until(
        lambda s: s["detail"]["language"] == "es" and len(s["detail"]["middle"]) > 0
    )
    detail = state["detail"]
    assert sum(sum(one["counts"]) for one in detail["middle"]) == 120
    for row in detail["texts"]:
        for given, moved, mark in zip(
            row["source_marks"], row["moved"], row["middle_marks"], strict=True
        ):
            assert moved == (mark["value"] in (0, 1) and mark["value"] != given["value"])
            for start, end in mark["spans"]:
                assert row["middle"][start:end].split()[0] in ("un", "una")
    assert any(any(row["moved"]) for row in detail["texts"])


@pytest.mark.parametrize("host", ["jupyter", "panel"])
def test_both_hosts_run_a_service_from_python(host: str) -> None:
    kind = biaslab_widgets.RatingBench if host == "jupyter" else panel("rating")
    bench = kind(service="always he", texts=25)
    bench.run().wait()
    assert bench.result.rating().corrected == "BS"
    assert list(bench.results) == ["always he"]
    with pytest.raises(TypeError if host == "jupyter" else Exception, match="block_size"):
        kind(block_size=3)


def test_a_key_is_not_left_in_what_a_notebook_would_save() -> None:
    bench = biaslab_widgets.RatingBench(Echo())
    args = {"model": "m", "base_url": "http://127.0.0.1:1", "key": KEY}
    bench.set_state({"command": {"id": 1, "name": "chat", "args": args}})
    bench.controller.change({})
    bench.run().wait()
    assert KEY not in json.dumps(bench.get_state(), default=str)


def test_what_is_no_service_is_refused() -> None:
    several: list[Any] = [3, [], "no such service"]
    for given in several:
        with pytest.raises(ServiceSetupError):
            biaslab_widgets.RatingBench(given)


def test_the_served_app_has_the_bench_and_shares_its_services() -> None:
    entry = next(one for one in registry.BENCHES if one.slug == "rating")
    shared = Shared.of()
    first, second = entry.panel_class.on_page(shared), entry.panel_class.on_page(shared)
    assert first.service == second.service == "simulated translator"
    one, other = (bench.controller.opening.sources["faithful"] for bench in (first, second))
    assert one is other
    assert not first.controller.services.environment
