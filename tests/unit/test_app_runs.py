"""What the app's pages about runs answer: the list, one run, files, reports, and changes."""

from __future__ import annotations

import io
import json
import re
import tempfile
import zipfile
from collections.abc import Sequence
from html import unescape
from typing import Any
from urllib.parse import quote

import biaslab as bl
from biaslab.records.result import Result
from biaslab.store import Store
from biaslab_widgets.app.library.shared import Shared
from biaslab_widgets.app.pages.results import in_page_colours
from biaslab_widgets.app.site import Site
from harness.emitted import observers
from harness.heavy import pd
from harness.site_test import SiteTest


def about(*words: str) -> Result:
    return bl.two_afc(observers(), list(words), [("woman", "man")])


class RunsTest(SiteTest):
    """A store with two runs behind the app's own pages."""

    def site(self) -> Site:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.store = Store(folder.name)
        inputs = {"word": "nurse", "noise": 0.1}
        self.one = self.store.save(about("nurse"), "pilot", bench="psychometric", inputs=inputs)
        self.two = self.store.save(about("nurse", "teacher"), tags=["draft"])
        return Site(Shared({}, {}), self.store)

    def ids(self) -> list[str]:
        return list(self.store.runs()["id"])

    def ask(self, address: str, **values: Any) -> Any:
        answer = self.fetch(address, **values)
        assert answer.code == 200, answer.body
        return json.loads(answer.body)

    def change(self, what: str, ids: Sequence[str], origin: str = "", **more: Any) -> Any:
        return self.fetch(
            f"/api/runs/{what}",
            method="POST",
            body=json.dumps({"ids": ids, **more}),
            headers={"Origin": origin or self.get_url("")},
        )

    def test_the_list_has_every_run_newest_first(self) -> None:
        values = self.ask("/api/runs")
        assert [run["id"] for run in values["runs"]] == [self.two, self.one]
        assert values["runs"][0]["tags"] == ["draft"]
        assert values["runs"][1]["label"] == "pilot"
        assert values["bytes"] > 0
        assert {"name": "word-lists", "title": "Word lists"} in values["benches"]

    def test_a_run_whose_duration_is_unknown_is_listed(self) -> None:
        frame = self.store.runs()
        frame["seconds"] = float("nan")
        frame["time"] = pd.NaT
        self.store.runs = lambda *_: frame  # type: ignore[method-assign]
        assert {(run["seconds"], run["time"]) for run in self.ask("/api/runs")["runs"]} == {
            (None, "")
        }

    def test_a_search_finds_runs_by_the_words_that_they_are_about(self) -> None:
        assert self.ask("/api/runs/found?search=teacher")["ids"] == [self.two]
        assert self.ask("/api/runs/found?search=plumber")["ids"] == []

    def test_small_pictures_come_by_id(self) -> None:
        pictures = self.ask(f"/api/runs/pictures?runs={self.one},{self.two}")["pictures"]
        assert set(pictures) == {self.one, self.two}
        assert all(picture.startswith("<svg") for picture in pictures.values())

    def test_a_deleted_run_comes_back(self) -> None:
        assert self.change("delete", [self.one]).code == 200
        assert self.ids() == [self.two]
        assert self.change("restore", [self.one]).code == 200
        assert self.ids() == [self.two, self.one]

    def test_tags_and_labels_change(self) -> None:
        self.change("tag", [self.one, self.two], tags=["thesis"])
        self.change("untag", [self.two], tags=["draft"])
        self.change("rename", [self.one], label="second pilot")
        assert self.store.run(self.one).tags == self.store.run(self.two).tags == ("thesis",)
        assert self.store.run(self.one).label == "second pilot"

    def test_a_change_from_another_site_is_refused(self) -> None:
        assert self.change("delete", [self.one], origin="http://elsewhere.example").code == 403
        assert self.ids() == [self.two, self.one]

    def test_a_change_that_fails_changes_nothing_and_says_why(self) -> None:
        answer = self.change("delete", [self.one, "nope"])
        assert answer.code == 404
        assert "There is no run “nope”" in json.loads(answer.body)["error"]
        assert self.ids() == [self.two, self.one]
        for ids, more in (([], {}), ([self.one], {"tags": "draft"}), ([self.one], {"tags": [""]})):
            assert self.change("tag", ids, **more).code == 400

    def test_the_page_of_a_run_shows_finding_chart_table_and_where_it_reopens(self) -> None:
        text = self.fetch(f"/run?id={self.one}").body.decode()
        result = self.store.open(self.one)
        assert result.provenance.subject in text
        assert "<svg" in text
        assert '<th scope="col">PSE, % man</th>' in text
        assert f'href="psychometric?run={self.one}"' in text
        assert f"api/runs/export?runs={self.one}&amp;format=parquet" in text
        assert "Open in Psychometric" in self.fetch(f"/run?id={self.two}").body.decode()

    def test_a_run_that_is_not_there_says_so_on_a_page(self) -> None:
        for address in ("/run?id=nope", "/compare?a=nope&b=nope", "/report?runs=nope"):
            answer = self.fetch(address)
            assert answer.code == 404
            assert "There is no run" in answer.body.decode()
        assert self.fetch("/report").code == 400

    def test_a_run_in_the_trash_is_shown_nowhere_and_says_so(self) -> None:
        self.store.delete(self.one)
        answer = self.fetch(f"/run?id={self.one}")
        assert answer.code == 404
        assert "in the trash" in answer.body.decode()

    def test_a_label_cannot_bring_a_script(self) -> None:
        self.store.rename(self.one, "<script>alert(1)</script>")
        text = self.fetch(f"/run?id={self.one}").body.decode()
        assert "<script>alert" not in text
        assert "&lt;script&gt;alert" in text

    def test_one_run_is_a_file_and_several_are_an_archive(self) -> None:
        answer = self.fetch(f"/api/runs/export?runs={self.one}&format=csv")
        assert answer.headers["Content-Disposition"] == f'attachment; filename="{self.one}.csv"'
        assert answer.body.decode() == self.store.open(self.one).to_csv()
        answer = self.fetch(f"/api/runs/export?runs={self.one},{self.two}&format=json")
        with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
            assert set(archive.namelist()) == {f"{self.one}.json", f"{self.two}.json"}
            again = Result.from_json(archive.read(f"{self.two}.json"))
        assert again == self.store.open(self.two)
        answer = self.fetch(f"/api/runs/export?runs={self.one}&format=parquet")
        frame = pd.read_parquet(io.BytesIO(answer.body))
        assert list(frame.columns) == list(self.store.open(self.one).to_frame().columns)

    def test_an_unknown_format_is_refused(self) -> None:
        answer = self.fetch(f"/api/runs/export?runs={self.one}&format=docx")
        assert answer.code == 400
        assert "csv" in json.loads(answer.body)["error"]

    def test_a_report_stands_on_a_page_and_is_a_file_to_download(self) -> None:
        page = self.fetch(f"/report?runs={self.one}")
        assert "srcdoc=" in page.body.decode()
        alone = self.fetch(f"/report?runs={self.one}&print=1")
        assert "Content-Disposition" not in alone.headers
        assert alone.body.decode().startswith("<!doctype html>")
        file = self.fetch(f"/report?runs={self.one}&download=1")
        assert file.headers["Content-Disposition"].startswith("attachment")
        assert file.body.decode().startswith("<!doctype html>")

    def test_a_comparison_has_a_row_for_each_word_of_both_runs(self) -> None:
        a, b = quote(self.one), quote(self.two)
        assert self.ask(f"/api/compare/possible?a={a}&b={b}") == {"why": ""}
        found = self.ask(f"/api/compare?a={a}&b={b}")
        (row,) = found["rows"]
        assert row["label"].startswith("nurse")
        assert row["change"] == row["b"] - row["a"]
        assert [one["run"] for one in found["only"]] == ["b"]
        assert any(one["name"] == "subject" for one in found["equal"])
        assert self.ask(f"/api/compare?a={a}&b={b}&measure=jnd")["measure"] == "JND"
        assert "measure=jnd" in self.fetch(f"/compare?a={a}&b={b}").body.decode()
        answer = self.fetch(f"/api/compare/export?a={a}&b={b}&format=csv")
        assert b"difference" in answer.body

    def test_runs_of_different_kinds_cannot_be_compared_and_the_answer_says_why(self) -> None:
        other = self.store.save(bl.occupations(observers(), ["nurse", "teacher"]))
        values = self.ask(f"/api/compare/possible?a={self.one}&b={other}")
        assert "different kinds" in values["why"]
        answer = self.fetch(f"/api/compare?a={self.one}&b={other}")
        assert answer.code == 400

    def test_a_number_is_followed_over_runs_in_an_order(self) -> None:
        three = self.store.save(about("nurse"))
        for run_id, year in ((self.one, "2010"), (self.two, "1990"), (three, "2000")):
            self.store.tag([run_id], year, "all")
        first = f"/trajectory?run={self.one}&run={self.two}&run={three}"
        text = self.fetch(first).body.decode()
        assert re.findall('name="label" value="(.*?)"', text) == ["1990", "2000", "2010"]
        assert re.findall('name="run" value="(.*?)"', text) == [self.two, three, self.one]
        assert "No clear trend" in text
        assert "Each run less the one before" in text
        assert "trajectory(runs, labels, of=&#39;nurse&#39;, per=&#39;step&#39;)" in text
        (query,) = set(re.findall(r"export\?(.*?)&amp;format", text))
        query = unescape(query)
        for form, part in (("csv", b"step_p"), ("svg", b"<svg"), ("html", b"<!doctype")):
            assert part in self.fetch(f"/api/trajectory/export?{query}&format={form}").body
        moved = self.fetch(f"/trajectory?{query}&later=0").body.decode()
        assert "Labels are 2000, 1990, 2010, which do not rise: put the runs in order" in moved
        assert re.findall('name="label" value="(.*?)"', moved) == ["2000", "1990", "2010"]
        assert re.search('aria-label="Move 1990 later" autofocus', moved)

    def test_a_wrong_order_says_why_and_keeps_the_fields(self) -> None:
        runs = f"/trajectory?run={self.one}&run={self.two}&run="
        other = self.store.save(bl.occupations(observers(), ["nurse", "teacher"]))
        for address, why in (
            (f"{runs}{other}", "different kinds"),
            (f"{runs}{self.one}", "stands in runs twice"),
            (f"{runs}{other}&label=x&label=&label=z", "a label of its own"),
            (f"{runs}{other}&label=x&label=y", "Labels has 2 entries"),
            (runs.removesuffix("&run="), "give 3 to 40"),
        ):
            text = self.fetch(address).body.decode()
            assert why in text
            assert len(re.findall('name="run"', text)) == address.count("run=")
        assert self.fetch(f"/api/trajectory/export?run={self.one}").code == 400
        assert self.fetch("/trajectory").code == 200


def test_a_chart_in_a_page_takes_the_colours_of_its_theme() -> None:
    assert in_page_colours('<path fill="#16191D" stroke="#123456"/>') == (
        '<path fill="var(--ink, #16191D)" stroke="#123456"/>'
    )
