"""Frames of a language on the command line: listed, read, and asked with."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import biaslab as bl
from biaslab.cli import main
from biaslab.records.result import Result
from harness.heavy import torch
from harness.needs import needs
from harness.tiny_multilingual_models import tiny


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # tiny models lose more by waiting for another thread than they gain
    folder = tmp_path_factory.mktemp("models") / "tiny-multilingual"
    lm = tiny("multilingual-bert")
    lm.model.save_pretrained(folder)
    lm.tokenizer.save_pretrained(folder)
    yield str(folder)
    torch.set_num_threads(threads)


def test_languages_are_listed_and_one_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["catalog", "frames"]) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert [row[0] for row in rows] == list(bl.frames.names())
    assert main(["specs", "frames", "pl", "--design", "both", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    frames = bl.frames.get("pl", "both")
    assert tuple(shown["frames"]) == frames.texts
    assert tuple(shown["items"]) == frames.items
    assert main(["specs", "frames", "de", "--names"]) == 0
    assert "Anna / Lukas" in capsys.readouterr().out


@needs("torch", "transformers", "tokenizers")
def test_a_model_is_asked_in_a_language(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "r.json"
    asked = ["--frames", "de", "--design", "both", "--levels", "5", "--json", str(out)]
    assert main(["probe", "two-afc", model, "nurse", *asked]) == 0
    assert "Frames in German: the item stands in both genders" in capsys.readouterr().out
    found = Result.from_json(out)
    assert isinstance(found, bl.probes.psychometrics.TwoAFCResult)
    assert set(found.pairs) <= set(bl.frames.get("de").cues)
    frames = bl.frames.get("de", "both")
    wanted = bl.two_afc(bl.load(model, kind="mlm"), ["nurse"], observers=frames, levels=5)
    assert found.pse == pytest.approx(wanted.pse, nan_ok=True, abs=1e-6)


@needs("torch", "transformers", "tokenizers")
def test_names_print_gender_by_origin(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--frames", "de", "--names", "--levels", "3"]
    assert main(["probe", "two-afc", model, "nurse", "engineer", "teacher", *asked]) == 0
    assert "origin: German − Turkish" in capsys.readouterr().out


@needs("torch", "transformers", "tokenizers")
def test_sentences_are_made_of_frames(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--frames", "fr", "--design", "agreeing", "--resamples", "100", "--no-keep"]
    assert main(["probe", "sentences", model, *asked]) == 0
    frames = bl.frames.get("fr", "agreeing")
    count = len(bl.probes.sentences.agreeing.frame_pairs(frames))
    assert f"{count} pairs" in capsys.readouterr().out
