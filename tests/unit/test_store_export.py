"""Files of stored runs."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar
from xml.etree import ElementTree as ET

import pytest

import biaslab as bl
from biaslab.errors import (
    ArgumentError,
    MissingExtraError,
    NoFigureError,
    RunNotFoundError,
    WriteError,
)
from biaslab.records.provenance import Provenance
from biaslab.records.result import Result
from biaslab.store import Store
from harness.heavy import pd
from harness.needs import needs


@dataclass(frozen=True, kw_only=True)
class Mixed(Result):
    schema: ClassVar[str] = "store-export-test/1"

    def to_frame(self) -> Any:
        values = {"word": ["a", None], "mixed": [1, "b"], "pair": [("a", 1), None], "n": [1.5, 2]}
        return pd.DataFrame(values)

    def summary(self) -> str:
        return "A headline."


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "home")


@pytest.fixture(scope="module")
def result() -> Result:
    subject = bl.observers.embedding(pse={"nurse": 0.61, "judge": 0.4}, jnd=0.03, seed=1)
    return bl.two_afc(subject, ["nurse", "judge"], ("female", "male"))


def test_a_table_a_result_a_chart_and_a_report_are_written(
    store: Store, result: Result, tmp_path: Path
) -> None:
    run_id = store.save(result)
    for name in ("run.csv", "run.JSON", "run.svg", "run.html"):
        store.export(run_id, tmp_path / name)
    assert (tmp_path / "run.csv").read_text(encoding="utf-8") == result.to_csv()
    assert Result.from_json(tmp_path / "run.JSON") == result
    assert ET.parse(tmp_path / "run.svg").getroot().tag.endswith("svg")
    assert (tmp_path / "run.html").read_text(encoding="utf-8") == result.report()


@needs("pyarrow")
def test_parquet_holds_the_table(store: Store, result: Result, tmp_path: Path) -> None:
    store.export(store.save(result), str(tmp_path / "run.parquet"))
    expected = result.to_frame()
    pd.testing.assert_frame_equal(
        pd.read_parquet(tmp_path / "run.parquet"), expected, check_dtype=False
    )


@needs("pyarrow")
def test_parquet_takes_columns_that_mix_types_as_text(store: Store, tmp_path: Path) -> None:
    provenance = Provenance(probe="p", subject="s")
    store.export(store.save(Mixed(provenance=provenance)), tmp_path / "run.parquet")
    frame = pd.read_parquet(tmp_path / "run.parquet")
    assert frame["mixed"].tolist() == ["1", "b"]
    assert frame["pair"][0] == "('a', 1)"
    assert frame["pair"].isna().tolist() == [False, True]
    assert frame["n"].tolist() == [1.5, 2.0]


def test_without_pyarrow_the_message_says_what_to_install(
    store: Store, result: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = store.save(result)
    result.to_frame()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'biaslab\[parquet\]'"):
        store.export(run_id, tmp_path / "run.parquet")
    assert not (tmp_path / "run.parquet").exists()


@pytest.mark.parametrize("name", ["run.xlsx", "run", ".csv", "run.eps"])
def test_another_ending_is_refused(store: Store, tmp_path: Path, name: str) -> None:
    with pytest.raises(ArgumentError, match=r"\.csv, \.json, \.parquet, \.svg, \.html"):
        store.export("1", tmp_path / name)


def test_what_cannot_be_exported_says_so(store: Store, tmp_path: Path) -> None:
    run_id = store.save(Mixed(provenance=Provenance(probe="p", subject="s")))
    with pytest.raises(NoFigureError, match="no chart"):
        store.export(run_id, tmp_path / "run.svg")
    with pytest.raises(WriteError, match="Create the folder"):
        store.export(run_id, tmp_path / "missing" / "run.csv")
    with pytest.raises(ArgumentError, match="name of a file"):
        store.export(run_id, 3)  # type: ignore[arg-type]
    store.delete(run_id)
    with pytest.raises(RunNotFoundError, match="in the trash"):
        store.export(run_id, tmp_path / "run.csv")
    assert {path.name for path in tmp_path.iterdir()} == {"home"}
