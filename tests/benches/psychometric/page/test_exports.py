"""What a person takes along: files that hold the numbers of the screen, and saved runs."""

from __future__ import annotations

import io
import os
import struct
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from biaslab.results import Result
from harness.heavy import pd
from harness.psychometric import PsychometricPage
from harness.psychometric_hosts import Host

TINTS = [0xDCECF6, 0xFBE6D6]
"""Of the two groups, on white."""
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def export(bench: PsychometricPage, kind: str, table: str = "estimates") -> tuple[str, bytes]:
    """Press an export button; name and content of the file that arrives."""
    if kind == "csv":
        bench.part("export-csv").click()
    with bench.page.expect_download() as arriving:
        bench.part(f"csv-{table}" if kind == "csv" else f"export-{kind}").click()
    download = arriving.value
    return download.suggested_filename, Path(download.path()).read_bytes()


@pytest.mark.both_hosts
def test_csv_and_json_hold_the_result_of_the_screen(host: Host) -> None:
    bench = host.bench()
    bench.slide("noise", 0.1)
    bench.pool_all_pairs()
    bench.settle()
    result = host.result(bench, noise=0.1, selected_pairs=list(range(8)))

    name, content = export(bench, "json")
    assert name == "two-afc-nurse.json"
    again = Result.from_json(content.decode())
    assert again.summary() == result.summary()
    assert again.to_dict()["switch"] == result.to_dict()["switch"]

    name, content = export(bench, "csv")
    assert name == "two-afc-nurse.csv"
    frame = pd.read_csv(io.BytesIO(content))
    assert len(frame) == 9
    pooled = frame[frame["pooled"]].iloc[0]
    shown = bench.shown()
    assert pooled["pse"] == pytest.approx(shown.pse)
    assert (pooled["corpus_low"], pooled["corpus_high"]) == pytest.approx(shown.corpus)
    assert (pooled["monte_carlo_low"], pooled["monte_carlo_high"]) == pytest.approx(
        shown.monte_carlo
    )
    assert pooled["jnd"] == pytest.approx(shown.jnd)

    name, content = export(bench, "csv", "responses")
    assert name == "two-afc-nurse.csv"
    points = pd.read_csv(io.BytesIO(content))["switch_point"]
    assert sorted(points) == pytest.approx(sorted(result.switch.ravel()))


def test_svg_stands_alone_and_says_question_verdict_and_source(host: Host) -> None:
    bench = host.bench()
    name, content = export(bench, "svg")
    assert name.endswith(".svg")
    assert "nurse" in name
    tree = ET.fromstring(content)  # our own file, made a moment ago
    assert tree.tag == "{http://www.w3.org/2000/svg}svg"
    words = " ".join("".join(tree.itertext()).split())
    shown = bench.shown()
    assert " ".join((shown.pse_text or "").split()) in words
    flat = words.replace(" ", "")  # a font decides where lines end
    assert "for“nurse”" in flat
    assert (shown.verdict or "").replace(" ", "") in flat
    assert "32×1switchpoints" in flat
    text = content.decode()
    for outside in ("<script", "<foreignObject", "href=", "url(http", "var(--", "@import"):
        assert outside not in text


def test_png_is_a_sharp_picture_that_is_not_blank(host: Host) -> None:
    bench = host.bench()
    name, content = export(bench, "png")
    assert name.endswith(".png")
    assert content.startswith(PNG_SIGNATURE)
    width, height = struct.unpack(">II", content[16:24])
    drawing = bench.root.locator(".drawing").bounding_box()
    assert drawing is not None
    assert width >= 2 * drawing["width"]
    assert height >= 2 * drawing["height"]
    pixels = np.asarray(Image.open(io.BytesIO(content)).convert("RGB")).astype(int)
    colours = (pixels[..., 0] << 16) | (pixels[..., 1] << 8) | pixels[..., 2]
    counts = [(colours == tint).sum() for tint in TINTS]
    # Both tints together cover a good part of the plot.
    assert min(counts) > 0.05 * width * height


@pytest.mark.both_hosts
def test_a_saved_run_is_listed_by_the_command_line(host: Host) -> None:
    bench = host.bench()
    bench.type_word("electrician")
    bench.settle()
    bench.part("save-run").click()
    notice = bench.part("notice")
    expect(notice).to_contain_text("Saved as run")
    run = notice.inner_text().removeprefix("Saved as run ").rstrip(".")
    command = [sys.executable, "-c", "from biaslab.cli import main; raise SystemExit(main())"]
    environment = {**os.environ, "BIASLAB_HOME": str(host.home())}
    listed = subprocess.run(
        [*command, "runs"], env=environment, capture_output=True, text=True, check=True
    )
    assert run in listed.stdout
    assert "electrician" in listed.stdout
    opened = subprocess.run(
        [*command, "runs", run], env=environment, capture_output=True, text=True, check=True
    )
    assert " ".join(host.result(bench, word="electrician").verdict("electrician")) in opened.stdout


def test_without_a_result_nothing_can_be_taken_along(host: Host) -> None:
    bench = host.bench()
    bench.type_word("unheard-of")
    bench.settle("error")
    for button in ("export-csv", "export-json", "save-run"):
        expect(bench.part(button)).to_be_disabled()
