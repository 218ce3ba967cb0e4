"""`bl.report` and `bl.model_card`: one file, all that was found, nothing cut, no network."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import ArgumentError, StoreError
from biaslab.reports.chart import Axis, Cells, Chart, Intervals, Panel, Points, Row, Rows, Rule
from biaslab.reports.document import MOST_ROWS, paged
from biaslab.reports.svg import paint
from biaslab.reports.tables import table_of
from harness.heavy import pd

JOBS = ("nurse", "clerk", "pilot", "smith", "cook", "judge", "poet", "maid")
GROUPS = {"women": ("she", "woman", "mother"), "men": ("he", "man", "father")}


def asked(seed: int = 1, *more: str) -> Any:
    words = (*JOBS, *GROUPS["women"], *GROUPS["men"])
    vectors = np.random.default_rng(seed).standard_normal((len(words), 8)).astype(np.float32)
    subject = bl.WordEmbedding(words, vectors, name=f"random <{seed}>")
    return bl.occupations(subject, (*JOBS, *more), GROUPS)


def weat(seed: int = 1) -> Any:
    words = (*JOBS, *GROUPS["women"], *GROUPS["men"])
    vectors = np.random.default_rng(seed).standard_normal((len(words), 8)).astype(np.float32)
    lists = {"care": JOBS[:4], "craft": JOBS[4:]}
    subject = bl.WordEmbedding(words, vectors, name="random")
    return bl.weat(subject, targets=lists, attributes=GROUPS, resamples=50)


def test_one_run_has_all_of_its_parts() -> None:
    result = asked(1, "wizard", "witch")
    text = bl.report(result)
    for part in (*map(escape, result.verdict()), escape(result.caveat()), "wizard, witch"):
        assert part in text
    for heading in ("Finding", "Results", "Figure 1", "Left out", "Limits", "Made with"):
        assert f"<h3>{heading}</h3>" in text
    assert "random &lt;1&gt;" in text
    assert "random <1>" not in text
    assert result.report() == text


def test_two_comparable_runs_get_their_comparison_and_a_chart_each() -> None:
    a, b = asked(1), asked(2)
    text = bl.report([a, b])
    both = bl.compare(a, b)
    assert escape(both.headline) in text
    assert text.count("<figure ") == 3
    assert "B − A" in text
    assert "mean distance from 50 %, points" in text
    assert "<h3>What differs</h3>" in text
    for result in (a, b):
        assert escape(result.caveat()) in text


def test_other_runs_stand_one_after_another_each_with_its_chart() -> None:
    text = bl.report([asked(1), weat(), asked(2)])
    assert "B − A" not in text
    assert text.count("<figure ") == 3
    assert [f"Figure {n}" in text for n in (1, 2, 3)] == [True] * 3


def test_runs_of_one_kind_that_share_nothing_are_not_compared() -> None:
    text = bl.report([weat(), bl.association.weat_simulation(draws=20)])
    assert text.count("<figure ") == 2


def test_it_asks_nothing_of_the_network_and_is_small(tmp_path: Path) -> None:
    runs = [asked(seed) for seed in range(9)] + [weat()]
    bl.report(runs, tmp_path / "report.html", title="Ten & more")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<h1>Ten &amp; more</h1>" in text
    assert not re.search(r"(src|href)=|url\(|@import|<script", text)
    assert len(text.encode()) < 1_000_000


def test_it_is_the_same_each_time() -> None:
    a, b = asked(1), asked(2)
    assert bl.report([a, b]) == bl.report([a, b])


def test_a_saved_run_is_shown_with_the_command_that_makes_it_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path))
    result = asked(1)
    run_id = bl.Store().save(result)
    for text in (bl.report(run_id), bl.report([run_id]), bl.model_card(run_id)):
        assert f"biaslab rerun {run_id}" in text
    assert "biaslab rerun" not in bl.report(result)
    with pytest.raises(StoreError):
        bl.report("no such run")


def test_nothing_and_something_else_are_refused() -> None:
    with pytest.raises(ArgumentError, match=r"nothing to report"):
        bl.report([])
    wrong: Any = [3]
    with pytest.raises(ArgumentError, match=r"Pass results or ids"):
        bl.report(wrong)


def test_very_many_findings_are_cut_short() -> None:
    words = [f"w{i}" for i in range(60)]
    vectors = np.random.default_rng(0).standard_normal((64, 8)).astype(np.float32)
    subject = bl.WordEmbedding((*words, "she", "woman", "he", "man"), vectors)
    text = bl.report(bl.two_afc(subject, words, [("she", "he"), ("woman", "man")]))
    assert "more findings: see the table" in text
    assert text.count("<figure ") == 2
    assert "part 2 of 2" in text


def test_a_model_card_is_markdown_with_intervals_and_provenance() -> None:
    result = asked(1, "wizard|witch")
    text = bl.model_card([result])
    assert text.startswith("## Bias\n\n### random \\<1\\>: occupations\n")
    table = [line for line in text.splitlines() if line.startswith("|")]
    bars = {len(re.findall(r"(?<!\\)\|", line)) for line in table}
    assert len(bars) == 1
    assert len(table) == 2 + len(JOBS)
    assert str(result.provenance.subject_hash) in text
    assert "Left out" in text
    assert "wizard\\|witch" in text


def test_a_table_puts_intervals_beside_estimates_and_leaves_out_what_is_the_same() -> None:
    frame = pd.DataFrame(
        {
            "word": ["a", "b"],
            "cue_1": ["woman", "woman"],
            "cue_2": ["man", "man"],
            "pse": [0.5, -0.25],
            "pse_low": [0.4, -0.3],
            "pse_high": [0.6, 0.1234567],
            "monte_carlo_low": [0.1, np.nan],
            "monte_carlo_high": [0.2, np.nan],
            "lean": [0, 1],
            "p": [0.0000312, np.nan],
            "similarity": [-0.25, 1234.5],
            "similarity_words_low": [-0.31, np.nan],
            "similarity_words_high": [-0.1, np.nan],
            "n": [12345, 12345],
            "empty": ["", ""],
        }
    )
    table = table_of(frame)
    assert table.heads == (
        "word", "PSE, % man", "lean", "p", "similarity, interval over words"
    )  # fmt: skip
    assert table.rows == (
        ("a", "50 (40 to 60)", "not clear", "0.00003", "−0.25 (−0.31 to −0.10)"),
        ("b", "−25 (−30 to 12)", "toward woman", "", "1,234"),
    )
    assert table.same == (("cue 1", "woman"), ("cue 2", "man"), ("n", "12,345"))
    assert table_of(frame, 1).left_out == 1


def test_an_interval_of_one_embedding_is_over_cue_pairs_and_the_lost_pair_is_named() -> None:
    result = asked(1)
    words = ("she", "he", "daughter", "nurse", "cook", "son")
    vectors = np.random.default_rng(1).standard_normal((6, 8)).astype(np.float32)
    vectors[5] = vectors[2]
    subject = bl.WordEmbedding(words, vectors, name="twins")
    groups = {"women": ("she", "daughter"), "men": ("he", "son")}
    lost = bl.occupations(subject, ("nurse", "cook"), groups)
    assert [d.term for d in lost.dropped] == ["daughter / son"]
    assert "1 cue pair left out: daughter / son." in lost.caveat()
    assert set(result.to_frame()["interval"]) == {"cue pairs"}
    for text in (bl.report(result), bl.model_card(result)):
        assert "interval over cue pairs" in text.replace("\\", "")
        assert not re.search(r"lean.holm|weat.effect|corpus.interval to", text)


def chart(count: int) -> Chart:
    rows = np.arange(count)
    scale = Rows(rows=tuple(Row(f"word {i}", values=(str(i),)) for i in rows), heads=("n",))
    marks = (
        Rule(at=50),
        Intervals(low=rows, high=rows + 1, y=rows),
        Points(
            x=rows,
            y=rows,
            colour=["#111111" if i == count - 1 else "#222222" for i in rows],
            shape=["square" if i == count - 1 else "circle" for i in rows],
            data={"word": [f"word {i}" for i in rows]},
        ),
        Cells(left=0, right=1, bottom=rows + 0.3, top=rows - 0.3),
    )
    panel = Panel(x=Axis(low=0, high=100), y=scale, marks=marks, width=200)
    return Chart(title="Finding", panels=((panel, panel),))


def test_a_long_chart_is_cut_into_parts_that_hold_every_row_once() -> None:
    parts = paged(chart(100))
    assert len(parts) == 3
    names, places = [], []
    for part in parts:
        for panel in part.panels[0]:
            scale = panel.y
            assert isinstance(scale, Rows)
            assert len(scale.rows) <= MOST_ROWS
            points = next(mark for mark in panel.marks if isinstance(mark, Points))
            assert np.asarray(points.y).tolist() == list(range(len(scale.rows)))
            assert points.data is not None
            assert list(points.data["word"]) == [row.name for row in scale.rows]
        names += [row.name for row in scale.rows]
        places += np.asarray(points.x).tolist()
        ET.fromstring(paint(part))
    assert names == [f"word {i}" for i in range(100)]
    assert places == list(range(100))
    assert paint(parts[-1]).count("#111111") == 2
    assert paint(parts[0]).count("#111111") == 0


def test_a_short_chart_stays_as_it_is() -> None:
    one = chart(20)
    assert paged(one) == (one,)
