"""How a record finds its words and its drawings: late, by its type.

A record holds data and imports nobody who words or draws it. `biaslab.reports`, a layer above all
probes, lists where that is done for each class; it is imported when a record is first asked.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

_REPORTS = "biaslab.reports"


@dataclass(frozen=True)
class Report:
    """Where a class of records is worded and drawn.

    Attributes
    ----------
    words : str
        A module with ``summary(record)``, and with ``verdict(record)``, ``caveat(record)`` and
        ``headline(record)`` where these differ from the defaults of `biaslab.results.Result`.
    chart : str
        ``module:function`` that makes the `biaslab.reports.chart.Chart` of one record; empty where
        there is none.
    """

    words: str = ""
    chart: str = ""


def report_of(kind: type) -> Report:
    """The report of a class or of its nearest base that has one; an empty one if none has."""
    listed: dict[str, Report] = importlib.import_module(_REPORTS).REPORTS
    ours = (base for base in kind.__mro__ if base.__module__.partition(".")[0] == "biaslab")
    return next((listed[base.__name__] for base in ours if base.__name__ in listed), Report())


def words_of(record: object) -> Any:
    """The module that words a record; None where there is none."""
    words = report_of(type(record)).words
    return importlib.import_module(words) if words else None


class Worded:
    """A record that is put into words by its report."""

    def summary(self) -> str:
        """What was found, in plain words; the first line can stand alone."""
        words = words_of(self)
        if words is None:
            raise NotImplementedError(
                f"Nothing words a {type(self).__name__}: define summary() in it, or list it in "
                f"{_REPORTS}.REPORTS."
            )
        return str(words.summary(self))


def imported(place: str) -> Any:
    """What ``module:name`` names."""
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)
