"""Every bench lists all known subjects; one that does not fit says why and leads on."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from harness.served_app import ServedApp


def test_a_subject_that_does_not_fit_leads_to_a_bench_that_fits(app: ServedApp, page: Page) -> None:
    page.goto(f"{app.url}/occupations")
    menu = page.get_by_test_id("subject")
    models = menu.locator("optgroup[label='Language models']")
    for name in ("wiki-mlm", "wiki-clm", "clerk-lm"):
        option = models.locator(f"option[value='{name}']")
        expect(option).to_have_text(f"{name} · needs word vectors")
    expect(menu.locator("option[value='wiki-clm']")).to_have_attribute("aria-disabled", "true")
    menu.focus()
    page.keyboard.type("wiki-clm")
    expect(page.get_by_test_id("message-title")).to_have_text("wiki-clm does not fit this bench")
    assert "subject=wiki-clm" in page.url
    page.get_by_role("button", name="Back to wiki-bootstraps").click()
    expect(page.get_by_test_id("verdict")).to_be_visible()
    menu.focus()
    page.keyboard.type("imdb")
    page.get_by_role("link", name="Open Posterior").click()
    expect(page).to_have_url(f"{app.url}/posterior?subject=imdb-sentiment")
    expect(page.get_by_test_id("subject")).to_have_value("imdb-sentiment")


def test_models_that_do_not_fit_are_read_and_not_ticked(app: ServedApp, page: Page) -> None:
    page.goto(f"{app.url}/images?step=1")
    page.get_by_test_id("models").get_by_text("that do not fit").click()
    box = page.get_by_role("checkbox", name="wiki-mlm")
    expect(box).to_have_attribute("aria-disabled", "true")
    box.focus()
    page.keyboard.press("Space")
    expect(box).not_to_be_checked()
    expect(page.get_by_test_id("models")).to_contain_text("needs a vision-language model")


def test_a_bench_that_waits_names_the_line_and_leaves_it(app: ServedApp, page: Page) -> None:
    page.goto(f"{app.url}/posterior?engine=nuts&draws=20000")
    other = page.context.new_page()
    other.goto(f"{app.url}/posterior?draws=1000")
    expect(other.get_by_test_id("run")).to_be_enabled()
    page.get_by_test_id("run").click()
    expect(page.get_by_test_id("run-progress")).to_be_visible()
    other.get_by_test_id("run").click()
    line = other.get_by_test_id("waiting-line")
    expect(line).to_contain_text("in line")
    expect(line.get_by_role("listitem").first).to_contain_text("Running")
    expect(line.get_by_role("listitem").last).to_contain_text("Posterior")
    line.get_by_role("button", name="Leave the line").click()
    expect(other.get_by_test_id("message-title")).to_have_text("Stopped before the first draw")
    expect(other.get_by_test_id("bench")).not_to_have_attribute("data-state", "error")
    other.close()
    page.get_by_test_id("run").click()
    expect(page.get_by_test_id("bench")).not_to_have_attribute("data-running", "")
