"""The numbers on the screen are those of the result, whatever is asked and however."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from biaslab.probes.occupations import OccupationsResult
from biaslab.results import Result
from harness.heavy import pd
from harness.occupations import WORDS, Host, Occupations, expected_rows, home_file

DIGITS = 1.1e-5
"""The screen's data is rounded to five decimals."""


def compare(
    view: Occupations, result: OccupationsResult, measure: str = "pse", *, counted: bool = True
) -> None:
    """Hold every row on the screen, and both correlations, against the result.

    There are none beside groups whose people the labour statistics do not count.
    """
    shown = view.settle().shown()
    expected = expected_rows(result, measure)
    assert set(shown.order) == set(expected)
    for word, (numbers, lean) in expected.items():
        assert shown.rows[word]["numbers"] == pytest.approx(numbers, abs=DIGITS), word
        assert shown.rows[word]["lean"] == lean, word
    if result.outside is None or not counted:
        assert shown.pearson == [None, None, None]
        return
    found = result.agreement(measure)
    for kind in ("pearson", "spearman"):
        interval = getattr(found, f"{kind}_interval")
        numbers = [getattr(found, kind), interval.low, interval.high]
        assert getattr(shown, kind) == pytest.approx(numbers, abs=DIGITS)


@pytest.mark.both_hosts
def test_pse_and_jnd_are_those_of_the_result(host: Host) -> None:
    view = host.bench()
    result = host.result()
    compare(view, result)
    shown = view.shown()
    assert shown.verdict == " ".join(result.verdict())
    assert shown.order == sorted(shown.order, key=lambda w: -shown.rows[w]["numbers"][0])
    label = shown.rows["nurse"]["label"]
    assert label.startswith("nurse ")
    assert "(PSE, %)" in label
    assert "leans female" in label
    view.part("measure-jnd").check(force=True)
    compare(view, host.result(), "jnd")


def test_an_edited_word_refits_and_an_unknown_one_is_marked(host: Host) -> None:
    view = host.bench()
    before = view.shown().verdict
    field = view.part("add-word").first
    field.fill("carpenter's-mate, queen")
    field.press("Enter")
    expect(view.row("queen")).to_be_visible()
    view.settle()
    host.holds("words", [*WORDS, "carpenter's-mate", "queen"])
    expect(view.row("carpenter's-mate")).to_have_count(0)
    expect(view.part("word-lists").first).to_contain_text("1 unknown")
    assert view.shown().verdict != before
    compare(view, host.result())


def test_love_and_hate_all_combinations_and_three_groups(host: Host) -> None:
    view = host.bench()
    view.part("groups").click()
    view.part("preset-love-hate").click()
    expect(view.part("groups")).to_contain_text("love to hate, 1 pair")
    compare(view, host.result(), counted=False)
    view.part("preset-gender-pairs").click()
    expect(view.part("groups")).to_contain_text("8 pairs")
    view.part("pairing-all").check(force=True)
    expect(view.part("pairing-text")).to_have_text("8 × 8 = 64 combinations.")
    expect(view.part("groups")).to_contain_text("64 pairs")
    view.settle()
    result = host.result()
    assert len(result.contrasts[0].pairs) == 64
    compare(view, result)

    view.part("pairing-matched").check(force=True)
    view.part("preset-manzini-religion").click()
    expect(view.part("contrast")).to_be_visible()
    view.page.keyboard.press("Escape")
    expect(view.part("groups-card")).to_have_count(0)
    result = host.result()
    assert len(result.contrasts) == 3
    view.part("contrast").select_option("1")
    view.settle()
    expected = expected_rows(result, contrast=1)
    shown = view.shown()
    for word in WORDS:
        assert shown.rows[word]["numbers"] == pytest.approx(expected[word][0], abs=DIGITS)
    view.part("contrast").select_option("-1")
    view.settle()
    first, second, third = result.names
    head = view.root.locator(".head-drawing").text_content() or ""
    # Cue 2 stands left, in little room cut.
    places = [head.index(name[:3]) for name in (second, first, third)]
    assert places == sorted(places)
    expect(view.part("ranking")).to_have_count(len(WORDS))


def test_measures_are_compared_with_weat(host: Host) -> None:
    view = host.bench()
    view.part("beside-comparison").check(force=True)
    expect(view.part("comparison")).to_be_visible()
    view.settle()
    found = {row.measure: row for row in host.result().comparison()}
    rows = view.part("measure-row").evaluate_all("rows => rows.map(row => ({...row.dataset}))")
    assert {row["name"] for row in rows} == set(found)
    for row in rows:
        measure = found[row["name"]]
        interval = measure.pearson_interval
        numbers = [float(row[key]) for key in ("value", "low", "high", "gap")]
        expected = [measure.pearson, interval.low, interval.high, measure.pearson_gap]
        assert numbers == pytest.approx(expected, abs=DIGITS)
    said = view.part("comparison-verdict").text_content()
    assert said == host.result().comparison_verdict()


@pytest.mark.both_hosts
def test_csv_and_json_hold_the_result_of_the_screen(host: Host) -> None:
    view = host.bench()
    taken: dict[str, str] = {}
    for kind in ("csv", "json"):
        with view.page.expect_download() as arriving:
            view.part(f"export-{kind}").click()
        assert arriving.value.suggested_filename == f"occupations-female-male.{kind}"
        taken[kind] = Path(arriving.value.path()).read_text(encoding="utf-8")
    result = host.result()
    again = Result.from_json(taken["json"])
    assert again.summary() == result.summary()
    frame = pd.read_csv(io.StringIO(taken["csv"]))
    assert list(frame["word"]) == WORDS
    assert frame["pse"].to_numpy() == pytest.approx(result.contrasts[0].pse)


@pytest.mark.both_hosts
def test_an_own_table_is_read_and_a_bad_one_is_told_where_it_was_chosen(
    host: Host, tmp_path: Path
) -> None:
    view = host.bench()
    bad = home_file(tmp_path, "bad.csv", "word,remark\nnurse,often\nchef,seldom\n")
    view.part("own-table-file").set_input_files(bad)
    problem = view.part("table-problem")
    expect(problem).to_contain_text("remark")
    assert view.shown().pearson != [None, None, None], "the old table stays"

    values: dict[str, Any] = {word: 7 * i % 12 for i, word in enumerate(WORDS[:8])}
    text = "word;men\n" + "".join(f"{word};{value}\n" for word, value in values.items())
    view.part("own-table-file").set_input_files(home_file(tmp_path, "mine.csv", text))
    expect(view.part("outside")).to_have_value("own/mine.csv")
    expect(view.part("scatter")).to_have_attribute("data-points", "8")
    expect(problem).to_have_count(0)
    expect(view.part("notice")).to_contain_text("8 values")
    view.part("excluded").click()
    listed = view.part("excluded-card")
    for word in WORDS[8:]:
        expect(listed).to_contain_text(word)
    view.page.keyboard.press("Escape")
    view.part("outside").select_option("")
    expect(view.part("agreement-reason")).to_contain_text("Choose a table")
