"""Every kind of result finds its words and drawings, and finds them late."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any, ClassVar, get_type_hints

import pytest

import biaslab as bl
import biaslab_widgets
from biaslab.errors import NoFigureError
from biaslab.probes.comparison.rows import Compared
from biaslab.records.kinds import Kind, entries, imported, kind_of
from biaslab.records.provenance import Provenance
from biaslab.records.result import Result, kinds
from biaslab.reports.chart import Chart
from harness.heavy import pd

KINDS = [kind for entry in entries() for kind in entry.kinds]
UNDRAWN = {"Balance", "Debiasing", "ImageScoreDifference", "MiddleGender", "PowerCurve",
           "ShareDifference", "Spec"}  # fmt: skip


def takes(function: Any) -> list[str]:
    """Names of the classes of a function's arguments, in their order."""
    return [getattr(hint, "__name__", "") for hint in get_type_hints(function).values()]


def test_every_kind_of_result_is_worded_late() -> None:
    for kind in kinds().values():
        if kind.__module__.startswith("biaslab."):
            assert not {"summary", "headline", "figure"} & kind.__dict__.keys(), kind
            assert kind_of(kind) in KINDS


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.record)
def test_what_an_entry_names_is_of_that_kind(kind: Kind) -> None:
    assert bool(kind.words) != bool(kind.summary)
    words = importlib.import_module(kind.words) if kind.words else None
    parts = [imported(place) for place in (kind.summary, kind.verdict, kind.chart) if place]
    for part in ("summary", "verdict", "caveat", "headline", "brief", "chart"):
        parts += [getattr(words, part)] if hasattr(words, part) else []
    assert [takes(part)[0] for part in parts] == [kind.record] * len(parts)
    charts = [part for part in parts if get_type_hints(part)["return"] is Chart]
    assert len(charts) == (kind.record not in UNDRAWN)
    if kind.comparison:
        compared = imported(kind.comparison)
        assert takes(compared)[:2] == [kind.record, kind.record]
        assert get_type_hints(compared)["return"] is Compared


def test_entries_name_functions_and_commands_that_exist() -> None:
    for entry in entries():
        for call in filter(None, (entry.probe, entry.first_run)):
            of_bench = {"bench": getattr(biaslab_widgets, entry.notebook_name, None)}
            assert callable(eval(call.partition("(")[0], {"bl": bl, **of_bench}))
        assert all(callable(imported(place).run) for place in entry.commands)


def test_a_subclass_has_the_words_of_its_base() -> None:
    class Mine(bl.association.WeatResult):
        pass

    assert kind_of(Mine) == kind_of(bl.association.WeatResult)


def test_a_kind_of_somebody_elses_has_no_words_by_its_name_alone() -> None:
    @dataclass(frozen=True, kw_only=True)
    class WeatResult(Result):
        schema: ClassVar[str] = "their-weat/1"

        def to_frame(self) -> pd.DataFrame:
            return pd.DataFrame()

        def summary(self) -> str:
            return "Said by itself."

    theirs = WeatResult(provenance=Provenance(probe="theirs", subject="s"))
    assert kind_of(WeatResult) == Kind("WeatResult")
    with pytest.raises(NoFigureError, match="has no chart: use to_frame"):
        theirs.to_svg()
