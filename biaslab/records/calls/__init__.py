"""Recorded calls: how a result was made, as data, as Python, and made again.

`recorded` marks functions whose calls are recorded: probes, and whatever makes their subjects and
other arguments. A probe's result has its call in ``provenance.call``.
"""

from __future__ import annotations

from biaslab.records.calls.call import Call
from biaslab.records.calls.making import carry_out
from biaslab.records.calls.recording import (
    call_of,
    current_call,
    recorded,
    recorded_class,
    recorded_classmethod,
    recorded_method,
    remember,
)
from biaslab.records.calls.reopening import Reopened

__all__ = [
    "Call",
    "Reopened",
    "call_of",
    "carry_out",
    "current_call",
    "recorded",
    "recorded_class",
    "recorded_classmethod",
    "recorded_method",
    "remember",
]
