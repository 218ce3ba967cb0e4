"""Every kind of result finds its words and drawings, and finds them late."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, get_type_hints

import pytest

import biaslab as bl
from biaslab import probes
from biaslab.errors import NoFigureError
from biaslab.records.provenance import Provenance
from biaslab.records.result import Report, Result, imported, report_of
from biaslab.reports import REPORTS
from biaslab.reports.chart import Chart
from harness.heavy import pd


def kinds(base: type[Result] = Result) -> Iterator[type[Result]]:
    for kind in base.__subclasses__():
        yield from kinds(kind)
        if kind.__module__.startswith("biaslab."):
            yield kind


@pytest.fixture(scope="module")
def known() -> dict[str, type[Result]]:
    """Every kind of result of the package, by its name."""
    for module in pkgutil.walk_packages(probes.__path__, "biaslab.probes."):
        importlib.import_module(module.name)
    return {kind.__name__: kind for kind in kinds()}


def test_every_kind_of_result_is_worded_late(known: dict[str, type[Result]]) -> None:
    for kind in known.values():
        assert not {"summary", "headline", "figure"} & kind.__dict__.keys(), kind
        words = importlib.import_module(report_of(kind).words)
        for said in ("summary", "verdict", "caveat", "headline"):
            if hasattr(words, said):
                saying = getattr(words, said)
                if hasattr(saying, "dispatch"):  # words several kinds
                    saying = saying.dispatch(kind)
                hints = get_type_hints(saying)
                assert next(iter(hints.values())) is kind


@pytest.mark.parametrize("name", REPORTS)
def test_every_drawing_listed_is_of_that_kind(known: dict[str, type[Result]], name: str) -> None:
    if place := REPORTS[name].chart:
        hints = get_type_hints(imported(place))
        assert next(iter(hints.values())) is known[name]
        assert hints["return"] is Chart


def test_a_subclass_has_the_report_of_its_base() -> None:
    class Mine(bl.association.WeatResult):
        pass

    assert report_of(Mine) == REPORTS["WeatResult"]


def test_a_kind_of_somebody_elses_has_no_report_by_its_name_alone() -> None:
    @dataclass(frozen=True, kw_only=True)
    class WeatResult(Result):
        schema: ClassVar[str] = "their-weat/1"

        def to_frame(self) -> pd.DataFrame:
            return pd.DataFrame()

        def summary(self) -> str:
            return "Said by itself."

    theirs = WeatResult(provenance=Provenance(probe="theirs", subject="s"))
    assert report_of(WeatResult) == Report()
    with pytest.raises(NoFigureError, match="has no chart: use to_frame"):
        theirs.to_svg()
