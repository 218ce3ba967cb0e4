"""Files that somebody gave: no pipe is waited for, and no size fills the memory."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import biaslab as bl
from biaslab.asking.providers.http_api import read_description
from biaslab.cli import main, options
from biaslab.cli.probes import psychometrics
from biaslab.errors import BiaslabError, EmbeddingFileError
from biaslab.files.given import read_given
from biaslab.probes.occupations import OutsideTable
from biaslab.probes.posterior import lexicon_agreement
from biaslab.probes.psychometrics.trials import Trials
from biaslab.probes.sentences.exchange import read_pairs as read_sentences
from biaslab.probes.sentences.generate.prompts import read_reply
from biaslab.probes.similarity import read_judgements
from biaslab.subjects.formats import reading as expansion
from biaslab_widgets.benches.sentences import sources
from harness.embedding_files import COMPRESS, glove_text

READERS: dict[str, Callable[[Path], object]] = {
    "spec.toml": bl.specs.read,
    "spec.json": bl.specs.read,
    "case.toml": bl.cases.read,
    "frames.toml": bl.frames.get,
    "service.toml": read_description,
    "distances.csv": bl.association.DistanceTable.read_csv,
    "outside.csv": OutsideTable.read_csv,
    "trials.csv": Trials.read_csv,
    "sentences.csv": read_sentences,
    "similarity.tsv": read_judgements,
    "vectors.txt": bl.load,
}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("name", READERS)
def test_a_pipe_is_refused_and_not_waited_for(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    os.mkfifo(path)
    with pytest.raises(BiaslabError, match="pipe or a device"):
        READERS[name](path)


@pytest.mark.parametrize("name", READERS)
def test_a_file_that_is_not_there_is_an_error_that_says_so(name: str, tmp_path: Path) -> None:
    with pytest.raises(BiaslabError, match=r"No such file|There is no"):
        READERS[name](tmp_path / name)


def test_no_more_than_the_limit_is_read(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_bytes(b"x" * 2_000_001)
    assert len(read_given(path, 2_000_001)) == 2_000_001
    with pytest.raises(OSError, match="more than 2 MB"):
        read_given(path, 2_000_000)


@pytest.mark.parametrize("option", ["--texts", "--repetitions"])
@pytest.mark.parametrize("number", ["1000000000000", "99999999999999999999999"])
def test_a_design_of_a_million_millions_is_refused(
    option: str, number: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["probe", "rate", "always he", option, number]) == 1
    assert "at most 1,000,000 are sent" in capsys.readouterr().err


MARKS = "\u2028\u2029\x85\x0b\x0c\x1c"


def test_only_a_line_feed_or_carriage_return_ends_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `str.splitlines` does not have it: it cuts at each of the others."""
    text = f"one{MARKS}two\r\nthree\rfour\n"
    expected = [f"one{MARKS}two", "three", "four"]
    path = tmp_path / "words.txt"
    path.write_bytes(text.encode("utf-8-sig"))
    assert options.lines(path) == expected
    assert psychometrics._words(str(path)) == expected
    assert lexicon_agreement._words(path) == expected
    assert len(read_reply(f"She is{MARKS}kind.\r\nHe is kind.\n")) == 2
    monkeypatch.setattr(sources, "paired", lambda _, sentences, *__: sentences)
    pasted: Any = sources.from_text(cast("Any", None), text, "all")
    assert [sentence.text for sentence in pasted] == expected


@pytest.mark.parametrize("error", [MemoryError(), OverflowError("too large"), RecursionError()])
def test_what_does_not_fit_ends_with_a_sentence(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise error

    monkeypatch.setattr(bl.specs, "entries", fail)
    assert main(["specs"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("biaslab: ")
    assert said.count("\n") == 1


def packed(path: Path, **arrays: np.ndarray) -> Path:
    """An archive as of `np.savez_compressed`, in which one array is a hundred thousand zeros."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            content = io.BytesIO()
            np.lib.format.write_array(content, array)
            archive.writestr(f"{name}.npy", content.getvalue())
    return path


@pytest.mark.parametrize("bomb", ["words", "vectors", "scale", "about"])
def test_an_archive_that_expands_a_thousandfold_is_not_unpacked(
    bomb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expansion, "UNCHECKED_BYTES", 1 << 16)
    arrays = {"words": np.array(["she", "he"]), "vectors": np.eye(2, dtype=np.float32)}
    assert len(bl.load(packed(tmp_path / "fine.npz", **arrays))) == 2
    large = {
        "words": np.zeros(200_000, dtype="<U4"),
        "vectors": np.zeros((2, 200_000), dtype=np.float32),
        "scale": np.zeros(200_000, dtype=np.float32),
        "about": np.array("a" * 200_000),
    }
    path = packed(tmp_path / "bomb.npz", **arrays | {bomb: large[bomb]})
    assert path.stat().st_size < 10_000
    with pytest.raises(EmbeddingFileError, match=r"bomb\.npz expands to .* np\.savez"):
        bl.load(path)


@pytest.mark.parametrize("suffix", [s for s in COMPRESS if s])
def test_a_text_that_expands_a_thousandfold_is_not_read_to_its_end(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expansion, "UNCHECKED_BYTES", 1 << 16)
    path = tmp_path / f"bomb.txt{suffix}"
    path.write_bytes(COMPRESS[suffix](b"she" + b" 1" * 1_000_000 + b"\n"))
    with pytest.raises(EmbeddingFileError, match=r"bomb\.txt.* expands to .*Unpack it"):
        bl.load(path)
    rng = np.random.default_rng(0)
    words = [f"word{i}" for i in range(3000)]
    path.write_bytes(COMPRESS[suffix](glove_text(words, rng.normal(size=(3000, 5)))))
    assert len(bl.load(path)) == 3000
