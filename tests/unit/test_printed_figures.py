"""Figures for print: widths, single panels, PDF and PNG, and the page that explains them."""

from __future__ import annotations

import re
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

import biaslab as bl
from biaslab.errors import ArgumentError, MissingExtraError
from harness.needs import needs

PAGE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "from-result-to-paper.md"


@pytest.fixture(scope="module")
def result() -> Any:
    pairs = [("woman", "man"), ("she", "he")]
    return bl.two_afc("wiki-bootstraps", ["nurse", "engineer", "dancer"], pairs)


@pytest.fixture(scope="module")
def two_panels() -> Any:
    return bl.decisions("clerk-lm", keep=False)


def test_a_width_is_that_on_paper_and_letters_keep_their_size(result: Any) -> None:
    drawn = ET.fromstring(result.to_svg(width="100 mm"))
    assert drawn.get("width") == "100mm"
    # A pixel of the drawing is 1/96 in, so that 12 pixels are 9 points.
    assert float(drawn.get("viewBox", "").split()[2]) == pytest.approx(100 * 96 / 25.4, abs=1)
    assert ET.fromstring(result.to_svg(width="3.5 in")).get("width") == "88.9mm"


@pytest.mark.parametrize("item", [None, "nurse"])
def test_words_stay_within_a_narrow_chart(result: Any, item: str | None) -> None:
    drawn = ET.fromstring(result.to_svg(width="70 mm", title=False, item=item))
    width = float(drawn.get("viewBox", "").split()[2])
    share = {"start": 0.0, "middle": 0.5, "end": 1.0}
    for text in drawn.findall("{*}text"):
        before = 5.2 * len(text.text or "") * share[text.get("text-anchor", "start")]
        assert -4 < float(text.get("x", "0")) - before < width, text.text


def test_title_and_panels_can_be_left_out(two_panels: Any) -> None:
    (finding, *_), whole = two_panels.verdict(), two_panels.to_svg()
    first_words = " ".join(finding.split()[:4])
    shown = re.sub(r"<title>.*</title>", "", two_panels.to_svg(title=False))
    assert first_words in whole
    assert first_words not in shown
    one = two_panels.to_svg(title=False, panel=0)
    assert "invited, %" in one
    assert "gap in years" not in one
    assert len(two_panels.figure(title=False).children) == 2
    (*_, axis) = two_panels.figure(title=False, panel=1).xaxis
    assert axis.axis_label.startswith("gap in years")


@pytest.mark.parametrize(
    ("draw", "says"),
    [
        (lambda r: r.to_svg("x.pdf"), r"name the file x\.svg, or call to_pdf\(\) for \.pdf"),
        (lambda r: r.to_png("x.eps"), r"to_png\(\) writes \.png, and not \.eps"),
        (lambda r: r.report("x.pdf"), r"writes \.html, and not \.pdf"),
        (lambda r: r.to_svg(width="85"), "with its unit"),
        (lambda r: r.to_svg(width="9 mm"), "from 20 to 1,000 mm"),
        (lambda r: r.to_svg(panel=5), "panels 0 to 0"),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    result: Any, draw: Callable[[Any], object], says: str
) -> None:
    with pytest.raises(ArgumentError, match=says):
        draw(result)


def test_a_written_file_is_not_returned_too(result: Any, tmp_path: Path) -> None:
    assert result.to_svg(tmp_path / "a.svg") is None
    assert result.report(tmp_path / "a.html") is None
    assert bl.report(result, tmp_path / "b.html") is None
    assert (tmp_path / "a.svg").read_text(encoding="utf-8") == result.to_svg()


@needs("typst")
def test_pdf_and_png_have_the_width_that_was_asked_for(result: Any, tmp_path: Path) -> None:
    result.to_pdf(tmp_path / "a.pdf", width="85 mm")
    box = re.search(rb"/MediaBox\s*\[0 0 ([\d.]+) ", (tmp_path / "a.pdf").read_bytes())
    assert box
    assert float(box[1]) == pytest.approx(85 / 25.4 * 72, abs=0.1)
    result.to_png(tmp_path / "a.png", width="85 mm", dpi=200)
    (pixels,) = struct.unpack(">I", (tmp_path / "a.png").read_bytes()[16:20])
    assert pixels == pytest.approx(85 / 25.4 * 200, abs=1)
    with pytest.raises(ArgumentError, match="36 to 1,200"):
        result.to_png(tmp_path / "b.png", dpi=1e6)


def test_without_typst_the_extra_is_named(
    result: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'biaslab\[print\]'"):
        result.to_pdf(tmp_path / "a.pdf")
    assert not list(tmp_path.iterdir())


@needs("typst")
@needs("matplotlib")
def test_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {}
    exec("\n".join(blocks), names)  # our own page
    assert {"leans.pdf", "leans.svg", "nurse.png", "own.pdf"} <= {
        p.name for p in tmp_path.iterdir()
    }
    assert "nurse" in names["latex"]
