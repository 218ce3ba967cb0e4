"""An answer may come before the scripts that show it."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from harness.served_app import ServedApp

# Panel imports the module of a bench by this function, and then the script that renders it.
HELD = """() => {
    let load, open, calls = 0;
    const gate = new Promise(resolve => { open = resolve; });
    window.letScriptsCome = open;
    Object.defineProperty(window, "importShim", {
        configurable: true,
        set: given => { load = given; },
        get: () => load && Object.assign(
            name => (++calls === 1 ? load(name) : gate.then(() => load(name))),
            load,
        ),
    });
}"""
STATE = """() => [...(globalThis.Bokeh?.documents?.[0]?._all_models.values() ?? [])]
    .map(model => model.data).find(data => data?.attributes.outputs)"""


def test_a_page_whose_scripts_come_late_shows_the_answer(app: ServedApp, page: Page) -> None:
    page.add_init_script(f"({HELD})()")
    page.goto(f"{app.url}/association?replicate=0")
    # In the document, or on a slow machine in a message after it.
    page.wait_for_function(
        f"() => {{ const {{ answer, outputs }} = ({STATE})()?.attributes ?? {{}};"
        " return answer && (answer.json + outputs).includes('verdict'); }"
    )
    page.evaluate(f"() => ({STATE})().setv({{ replicate: 1, generation: 1 }})")
    page.wait_for_function(f"() => /generation...?1/.test(({STATE})().attributes.outputs)")
    expect(page.get_by_test_id("bench")).to_have_count(0)
    page.evaluate("letScriptsCome()")
    bench = page.get_by_test_id("bench")
    expect(bench).to_have_attribute("data-state", "ready")
    expect(bench).to_have_attribute("data-generation", "1")
    expect(bench).not_to_have_attribute("data-waiting", "")
