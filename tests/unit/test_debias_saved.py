"""A debiased subject is written, opened again, and made from the command line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import biaslab as bl
from biaslab.cli import main
from biaslab.errors import SubjectError, WriteError

WORDS = ["she", "he", "woman", "man", "nurse", "chair", "boss", "table"]
PAIRS = [("she", "he"), ("woman", "man")]


def _vectors(b: int) -> np.ndarray:
    rng = np.random.default_rng(3)
    return rng.standard_normal((b, len(WORDS), 6)).astype(np.float32)


@pytest.mark.parametrize("suffix", [".npz", ".safetensors"])
@pytest.mark.parametrize("method", ["hard", "soft"])
def test_a_debiased_embedding_is_saved_and_opened(tmp_path: Path, suffix: str, method: str) -> None:
    subject = bl.WordEmbedding(WORDS, _vectors(1)[0], name="toy")
    done = bl.debias(subject, defining=PAIRS, method=method)  # type: ignore[arg-type]
    again = bl.load(done.save(tmp_path / f"done{suffix}"))
    assert isinstance(again, bl.WordEmbedding)
    np.testing.assert_array_equal(again.vectors(WORDS), done.vectors(WORDS))
    assert again.about == done.about
    assert f"toy, {method}-debiased" in again.about


def test_a_debiased_ensemble_is_saved_and_opened(tmp_path: Path) -> None:
    subject = bl.EmbeddingEnsemble(WORDS, _vectors(3), name="toy")
    done = bl.debias(subject, defining=PAIRS)
    again = bl.load(done.save(tmp_path / "done.npz"))
    assert isinstance(again, bl.EmbeddingEnsemble)
    np.testing.assert_array_equal(again.vectors(WORDS), done.vectors(WORDS))
    assert again.about == done.about
    with pytest.raises(SubjectError, match=r"name it done\.npz"):
        done.save(tmp_path / "done.safetensors")


def test_a_quantised_ensemble_is_saved_with_its_scales(tmp_path: Path) -> None:
    rows = np.random.default_rng(1).integers(-127, 127, (2, len(WORDS), 6)).astype(np.int8)
    scale = np.full((2, len(WORDS)), 0.5, dtype=np.float32)
    subject = bl.EmbeddingEnsemble(WORDS, rows, scale=scale)
    again = bl.load(subject.save(tmp_path / "plain.npz"))
    np.testing.assert_array_equal(again.vectors(WORDS), subject.vectors(WORDS))
    assert again.about == "file plain.npz"


def test_what_cannot_be_written_is_said_and_leaves_nothing(tmp_path: Path) -> None:
    subject = bl.EmbeddingEnsemble(WORDS, _vectors(2))
    with pytest.raises(WriteError, match="Could not write"):
        subject.save(tmp_path / "nowhere" / "x.npz")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return bl.WordEmbedding(WORDS, _vectors(1)[0], name="toy").save(tmp_path / "toy.npz")


def test_the_command_writes_what_the_function_makes(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.safetensors"
    (tmp_path / "specific.txt").write_text("boss\n\nnowhere\n", encoding="utf-8")
    specific = ["--specific", str(tmp_path / "specific.txt")]
    arguments = ["debias", str(file), "--defining", "she,he;woman,man", "--output", str(out)]
    assert main([*arguments, *specific]) == 0
    printed = capsys.readouterr().out
    assert "3 words neutralised, 2 sets equalised" in printed
    assert "Dropped specific 'nowhere'" in printed
    subject = bl.load(file)
    expected = bl.debias(subject, defining=PAIRS, specific=["boss"])
    np.testing.assert_array_equal(bl.load(out).vectors(WORDS), expected.vectors(WORDS))


def test_the_command_takes_a_spec_and_the_soft_method(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.npz"
    arguments = [
        "debias",
        str(file),
        "--spec",
        "gender-pairs",
        "--method",
        "soft",
        "--penalty",
        "2",
    ]
    assert main([*arguments, "--output", str(out)]) == 0
    assert "lambda 2" in capsys.readouterr().out
    expected = bl.debias(bl.load(file), "gender-pairs", method="soft", penalty=2)
    np.testing.assert_array_equal(bl.load(out).vectors(WORDS), expected.vectors(WORDS))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--spec", "gender-pairs", "--output", "x.txt"], "end in .npz or .safetensors"),
        (["--output", "x.npz"], "Define the bias"),
        (["--spec", "gender-pairs", "--neutral", "no.txt", "--output", "x.npz"], "cannot be read"),
    ],
)
def test_the_commands_errors_say_what_to_do(
    file: Path, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["debias", str(file), *arguments]) == 1
    assert said in capsys.readouterr().err
