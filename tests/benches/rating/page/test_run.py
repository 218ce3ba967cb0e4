"""From nothing to a rating, by keys; stopped, gone on with, failed; two on a page; a real one."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from biaslab.services.apertium_files import INSTALL, is_installed
from biaslab.services.apertium_server import server_is_installed
from harness.rating import FEW, RUN_MS, TRUE, Host, NotebookHost, Rating

_FOCUSED = """root => {
    const active = root.getRootNode().activeElement;
    return active?.dataset.testid ?? active?.id ?? '';
}"""


def tab_to(view: Rating, testid: str) -> list[str]:
    """Press Tab until a part has the focus; what had it on the way."""
    seen: list[str] = []
    for _ in range(120):
        view.page.keyboard.press("Tab")
        seen.append(view.root.evaluate(_FOCUSED))
        if seen[-1] == testid:
            return seen
    raise AssertionError(f"{testid} is not reached by Tab: {seen}")


@pytest.mark.both_hosts
def test_from_nothing_to_a_rating_by_keys_alone(host: Host) -> None:
    view = host.show("faithful")
    view.part("service").focus()
    view.page.keyboard.press("Enter")
    expect(view.part("service-search")).to_be_focused()
    view.page.keyboard.type("simulated translator")
    view.page.keyboard.press("Enter")
    expect(view.part("service")).to_contain_text("simulated translator")
    expect(view.part("language-tr")).to_be_visible(timeout=RUN_MS)
    expect(view.part("run")).to_be_enabled(timeout=RUN_MS)
    view.part("service").focus()
    seen = tab_to(view, "run")
    assert {"attribute", "texts"} <= set(seen)
    view.page.keyboard.press("Enter")
    view.ended()
    seen = tab_to(view, "matrix")
    assert {"language-tr", "blocks", "template-open", "power", "rules"} <= set(seen)
    assert seen.count("input-point") == 3
    view.page.keyboard.press("Home")
    view.page.keyboard.press("ArrowDown")
    view.page.keyboard.press("ArrowRight")
    view.settle()
    shown = view.shown()
    assert shown.language == list(shown.rows)[1]
    assert shown.block == 1
    seen = tab_to(view, "composition-table")
    assert "matrix" not in seen, "the matrix is one Tab stop"
    view.page.keyboard.press("ArrowDown")
    expect(view.part("composition-reason")).to_contain_text("UCS then UCS")


def test_start_again_keeps_the_design_without_a_reload(host: Host) -> None:
    view = host.show().ran()
    view.page.evaluate("window.notReloaded = true")
    view.part("start-again").click()
    expect(view.part("tree-corrected")).to_have_count(0)
    expect(view.part("export-json")).to_be_disabled()
    host.holds("distributions", FEW["distributions"])
    host.holds("middles", list(TRUE))
    view.part("bring-back").click()
    expect(view.part("tree-corrected")).to_be_visible()
    view.part("start-again").click()
    expect(view.part("tree-corrected")).to_have_count(0)
    view.ran()
    assert view.page.evaluate("window.notReloaded") is True


def test_a_second_run_asks_only_for_what_is_not_kept(host: Host) -> None:
    view = host.show(seed=7).ran()
    expect(view.part("run")).to_have_text("Run again")
    first = view.shown()
    host.set(view, texts=80)
    expect(view.part("stale")).to_contain_text("design has changed")
    host.set(view, texts=FEW["texts"])
    expect(view.part("stale")).to_have_count(0)
    view.part("language-tr").click()
    view.settle()
    view.ran()
    second = view.shown()
    assert set(second.rows) == set(TRUE) - {"tr"}
    assert second.rows["es"] == first.rows["es"]
    expect(view.part("run-status")).to_contain_text("from the store")


def test_the_power_curve_recommends_a_size_and_can_be_taken(host: Host) -> None:
    # So wide a margin asks for few texts.
    view = host.show("faithful", texts=20, equivalence_margin=0.3)
    view.part("power").click()
    view.part("power-make").click()
    body = view.part("power-body")
    expect(body).to_have_attribute("data-state", "ready", timeout=RUN_MS)
    chart = view.part("power-chart")
    recommended = int(chart.get_attribute("data-recommended") or 0)
    assert recommended > 0
    assert view.part("power-line").count() >= 2
    if recommended != 20:
        view.part("use-recommended").click()
        expect(view.part("texts")).to_have_value(str(recommended))
        host.holds("texts", recommended)


@pytest.mark.parametrize("host_name", ["jupyterlab"], indirect=True)
def test_cells_fill_while_it_runs_and_cancel_keeps_them(host: Host) -> None:
    assert isinstance(host, NotebookHost)
    host.run(
        "import threading\n"
        "gate, asked = threading.Event(), []\n"
        "def echo(text):\n"
        "    asked.append(text)\n"
        "    if len(asked) > 50: gate.wait()\n"
        "    return text\n"
        "from biaslab.services import FunctionService, Limits\n"
        "gated = FunctionService(echo, name='gated', version='1', "
        "limits=Limits(texts_per_call=5, timeout=600))"
    )
    host.show_cell("bench = RatingBench(gated); bench")
    view = Rating.on(host.page)
    expect(view.part("run")).to_be_enabled(timeout=RUN_MS)
    host.set(view, **FEW)
    view.part("run").click()
    expect(view.root).to_have_attribute("data-running", "", timeout=RUN_MS)
    view.page.wait_for_function(
        """root => [...root.querySelectorAll('[data-testid="cell"]')]
            .some(cell => Number(cell.dataset.done) >= 40)""",
        arg=view.root.element_handle(),
        timeout=RUN_MS,
    )
    expect(view.part("run")).to_contain_text("Cancel, keep")
    expect(view.part("export-json")).to_be_disabled()
    view.part("run").click()
    host.wait_for("bench.controller._tests.job.stopping", True)
    host.run("gate.set()")
    expect(view.root).not_to_have_attribute("data-running", "", timeout=RUN_MS)
    cells = view.shown().rows[""]["cells"]
    done = sum(cell["done"] for cell in cells)
    assert 40 <= done < 120
    assert cells[0]["mentions"] > 0
    expect(view.part("run")).to_have_text("Go on")
    asked = host.value("len(asked)")
    view.ran()
    assert host.value("len(asked)") - asked <= 120 - done, "what is kept is not asked again"
    assert view.shown().rows[""]["ratings"][1] == "DSBS"


@pytest.mark.parametrize("host_name", ["jupyterlab"], indirect=True)
def test_a_service_that_fails_is_told_and_asked_again(host: Host) -> None:
    assert isinstance(host, NotebookHost)
    host.run(
        "broken = [True]\n"
        "def moody(text):\n"
        "    if broken[0]: raise RuntimeError('out of order today')\n"
        "    return text\n"
        "from biaslab.services import FunctionService\n"
        "moody_service = FunctionService(moody, name='moody', version='1')"
    )
    host.show_cell("bench = RatingBench(moody_service); bench")
    view = Rating.on(host.page)
    expect(view.part("run")).to_be_enabled(timeout=RUN_MS)
    host.set(view, **FEW)
    view.part("run").click()
    expect(view.root).to_have_attribute("data-run", "1", timeout=RUN_MS)
    expect(view.root).not_to_have_attribute("data-running", "", timeout=RUN_MS)
    expect(view.root).to_contain_text("out of order today")
    host.run("broken[0] = False")
    view.part("retry").first.click()
    view.ended(2)
    assert view.shown().rows[""]["ratings"][1] == "DSBS"


@pytest.mark.parametrize("host_name", ["jupyterlab"], indirect=True)
def test_two_benches_on_a_page_do_not_disturb_each_other(host: Host) -> None:
    assert isinstance(host, NotebookHost)
    host.show_cell(
        "bench = RatingBench(bl.observers.service('faithful'))\n"
        "second = RatingBench(bl.observers.service('always-he'))\n"
        f"for one in (bench, second):\n"
        f"    for name, value in {FEW!r}.items(): setattr(one, name, value)\n"
        "widgets.VBox([bench, second])"
    )
    one, two = Rating.on(host.page, 0), Rating.on(host.page, 1)
    for view in (one, two):
        expect(view.part("run")).to_be_enabled(timeout=RUN_MS)
    one.ran()
    expect(two.root).to_have_attribute("data-run", "0")
    two.ran()
    assert one.shown().rows[""]["ratings"][1] == "DSBS"
    assert two.shown().rows[""]["ratings"][1] == "BS"
    one.part("input-point").first.press("Shift+ArrowRight")
    one.predicted(0)
    assert two.shown().points[0] == FEW["distributions"][0]["shares"]


@pytest.mark.skipif(
    not (is_installed() and server_is_installed()),
    reason=f"Apertium and its server are not installed here: {INSTALL}",
)
@pytest.mark.parametrize("host_name", ["app"], indirect=True)
def test_apertium_keeps_gender_through_esperanto_and_erases_it_through_spanish(
    host: Host,
) -> None:
    view = host.show("faithful", texts=20)
    view.part("service").click()
    view.part("service-Apertium").click()
    expect(view.part("language-eo")).to_be_visible(timeout=RUN_MS)
    host.set(view, middles=["eo", "es"])
    expect(view.part("run")).to_be_enabled(timeout=RUN_MS)
    view.ran()
    rows = view.shown().rows
    assert [cell["counts"] for cell in rows["eo"]["cells"]] == [
        [20, 20, 0],
        [4, 36, 0],
        [36, 4, 0],
    ]
    assert all(cell["counts"] == [0, 0, 40] for cell in rows["es"]["cells"])
    assert rows["es"]["ratings"][1] == "not rateable"
    view.chosen("es")
    expect(view.part("explanation")).to_contain_text("40")
    expect(view.part("middle")).to_be_visible(timeout=RUN_MS)
    moved = view.root.locator("mark.moved")
    expect(moved.first).to_be_visible()
