"""A rerun says whether the numbers are the same, and what has changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.cli import main
from biaslab.errors import ArgumentError, CallError, RunNotFoundError, SubjectError
from biaslab.records.calls import Call
from biaslab.records.differences import field_differences, table_differences
from biaslab.records.result import Result

pytestmark = pytest.mark.usefixtures("own_home")

WORDS = ["she", "he", "nurse", "chef", "king"]
PAIR = ("she", "he")


def write_vectors(file: Path, seed: int = 0, shift: float = 0.0) -> Path:
    vectors = np.random.default_rng(seed).normal(size=(len(WORDS), 6))
    vectors[2] += shift
    rows = [f"{w} {' '.join(map(repr, v.tolist()))}" for w, v in zip(WORDS, vectors, strict=True)]
    file.write_text("\n".join(rows), encoding="utf-8")
    return file


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_vectors(tmp_path / "mine.txt")


def asked(file: Path) -> Any:
    return bl.two_afc(bl.load(file), ["nurse", "chef", "king"], PAIR)


def test_the_same_subject_gives_the_same_numbers(file: Path) -> None:
    done = bl.rerun(asked(file).save())
    assert done.is_equal
    assert done.result == done.before
    assert done.differences.empty
    assert list(done.differences.columns) == ["where", "before", "after"]
    assert done.summary() == f"The same {done.table.numbers} numbers came out."
    assert done.table.numbers > 3


def test_a_changed_subject_is_said_with_the_numbers_that_differ(file: Path) -> None:
    before = asked(file)
    write_vectors(file, shift=0.2)
    done = bl.rerun(before)
    assert not done.is_equal
    assert f"of {done.table.numbers} numbers differs, by at most" in done.summary()
    assert "The subject has changed since: mine had the content hash" in done.summary()
    rows = done.differences
    assert all(where.startswith("nurse") for where in rows["where"] if "," in where[:7])
    assert "nurse, pse" in set(rows["where"])
    row = rows[rows["where"] == "nurse, pse"].iloc[0]
    assert (row["before"], row["after"]) == (before.pse[0], done.result.pse[0])  # type: ignore[attr-defined]


def test_a_subject_that_is_gone_is_an_error_that_names_it(file: Path) -> None:
    before = asked(file)
    file.unlink()
    with pytest.raises(SubjectError, match="There is no file or folder"):
        bl.rerun(before)


def test_a_function_has_to_be_given() -> None:
    def respond(item: Any, first: Any, second: Any, alpha: Any, observer: Any) -> Any:
        return 1 / (1 + np.exp(-8 * (np.asarray(alpha) - 0.45)))

    before = bl.two_afc(respond, ["nurse"], PAIR)
    with pytest.raises(CallError, match=r"respond cannot be made again.*subject="):
        bl.rerun(before)
    assert bl.rerun(before, subject=respond).is_equal
    other = bl.rerun(before, subject=lambda i, a, b, alpha, o: np.asarray(alpha) * 1.0)
    assert not other.is_equal
    assert "respond has no content hash, so whether it has changed is unknown." in other.summary()


def test_another_random_seed_gives_other_numbers_of_the_same_subject() -> None:
    before = bl.association.weat_simulation(draws=200)
    call = before.provenance.call
    assert call is not None
    other = replace(
        before,
        provenance=replace(before.provenance, call=Call(call.function, {"draws": 200, "rng": 1})),
    )
    done = bl.rerun(other)
    assert not done.is_equal
    assert "subject has changed" not in done.summary()


def nudged(result: Any, by: float) -> Any:
    cosines = result.cosines.copy()
    cosines[0, 0, 0] += by
    return replace(result, cosines=cosines)


def test_rounding_counts_as_the_same_and_is_stated() -> None:
    before = bl.weat(bl.load("wiki-bootstraps").replicate(0), "weat-6", resamples=100)
    found = field_differences(before, nudged(before, 1e-9), 1e-6)
    assert (found.differing, found.rounded) == (0, 1)
    assert field_differences(before, nudged(before, 1e-3), 1e-6).differing == 1
    done = bl.rerun(nudged(before, 1e-9))
    assert done.is_equal
    assert "to rounding: none differs by more than 1e-06" in done.summary()


@pytest.mark.parametrize(
    "change",
    [
        lambda r: replace(r, ddof=0),
        lambda r: replace(r, cosines=r.cosines[:, :-1]),
        lambda r: replace(r, lists=replace(r.lists, groups={"a": ("x",), "b": ("y",)})),
        lambda r: replace(r, effect_size_intervals=()),
        lambda r: replace(r, level=float("nan")),
    ],
)
def test_every_kind_of_change_is_found(change: Callable[[Any], Any]) -> None:
    before = bl.weat(bl.load("wiki-bootstraps").replicate(0), "weat-6", resamples=100)
    assert field_differences(before, change(before), 1e-6).differing


def test_whole_numbers_agree_exactly() -> None:
    before = bl.association.weat_simulation(draws=200)
    counts = before.counts.copy()  # type: ignore[attr-defined]
    counts[0] += 1
    after = replace(before, counts=counts)
    (found,) = field_differences(before, after, 0.5).listed
    assert (found.where, found.size) == ("counts[0]", 1)


def test_rows_of_a_table_are_named_by_their_words() -> None:
    before = bl.two_afc("wiki-bootstraps", ["nurse", "chef"], PAIR)
    after = bl.two_afc("wiki-bootstraps", ["chef", "nurse"], PAIR)
    # How one word's products are rounded depends on what else is multiplied, and the processor.
    assert table_differences(before, after, 1e-4).differing == 0
    less = table_differences(before, bl.two_afc("wiki-bootstraps", ["nurse"], PAIR), 1e-4)
    assert less.listed
    assert all(d.where.startswith("chef, ") and d.after is None for d in less.listed)


def test_versions_and_processor_that_changed_are_named() -> None:
    before = bl.association.weat_simulation(draws=200)
    origin = replace(
        before.provenance,
        versions={**before.provenance.versions, "numpy": "1.0"},
        cpu="arm64, NEON",
    )
    told = bl.rerun(replace(before, provenance=origin)).summary()
    assert f"Other versions: numpy 1.0 before, {np.__version__} now." in told
    assert "Another processor: arm64, NEON before," in told


def test_an_older_result_records_no_call() -> None:
    before = bl.association.weat_simulation(draws=200)
    older = replace(before, provenance=replace(before.provenance, call=None))
    with pytest.raises(CallError, match="does not record how it was made"):
        bl.rerun(older)
    with pytest.raises(ArgumentError, match="Pass a result"):
        bl.rerun(7)  # type: ignore[arg-type]
    with pytest.raises(RunNotFoundError):
        bl.rerun("no-such-run")


def test_answers_are_asked_again_unless_the_stored_ones_are_wanted() -> None:
    asked: list[str] = []

    def say(text: str) -> str:
        asked.append(text)
        return text

    service = bl.services.FunctionService(say, version="1")
    before = bl.rate(service, bl.RatingDesign.make(texts=4))
    many = len(asked)
    assert bl.rerun(before, subject=service, stored_answers=True).is_equal
    assert len(asked) == many
    assert bl.rerun(before, subject=service).is_equal
    assert len(asked) == 2 * many


# The commands.


def test_a_run_with_former_names_opens_and_is_made_again_by_those_of_today(
    tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    vectors = {word: np.eye(6)[n].tolist() for n, word in enumerate("abcdef")}
    (tmp_path / "six.txt").write_text(
        "\n".join(f"{word} {' '.join(map(str, vector))}" for word, vector in vectors.items())
    )
    lists = {"targets": {"x": ["a"], "y": ["b"]}, "attributes": {"p": ["c"], "q": ["d"]}}
    result = bl.weat(bl.load(tmp_path / "six.txt"), **lists, permutations=500)
    written = result.to_json().replace('"permutations"', '"splits"')
    assert '"splits": 500' in written
    stored = Result.from_json(written)
    assert stored.provenance.parameters["permutations"] == 500
    assert "permutations=500" in stored.code()
    done = bl.rerun(stored)
    assert (done.is_equal, done.changes) == (True, ())
    assert not [each for each in recwarn if each.category is DeprecationWarning]


def test_the_command_says_the_same_and_ends_with_0(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = asked(file).save()
    assert main(["rerun", run]) == 0
    assert capsys.readouterr().out.startswith("The same ")
    assert main(["code", run]) == 0
    assert capsys.readouterr().out == bl.Store().open(run).code()


def test_the_command_ends_with_3_where_numbers_differ(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result: Result = asked(file)
    result.to_json(tmp_path / "result.json")
    write_vectors(file, seed=9)
    assert main(["rerun", str(tmp_path / "result.json"), "--save"]) == 3
    told = capsys.readouterr().out
    assert "The subject has changed since" in told
    assert "nurse, pse" in told
    assert len(bl.Store().runs()) == 1


def test_the_command_ends_with_1_after_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rerun", "nope"]) == 1
    assert "There is no run 'nope'" in capsys.readouterr().err


def test_json_of_a_call_is_plain() -> None:
    result = bl.two_afc("wiki-bootstraps", ["nurse"], PAIR)
    assert json.loads(result.to_json())["provenance"]["call"] == {
        "function": "bl.two_afc",
        "arguments": {
            "subject": "wiki-bootstraps",
            "items": ["nurse"],
            "cues": {"tuple": ["she", "he"]},
        },
        "of": None,
    }
