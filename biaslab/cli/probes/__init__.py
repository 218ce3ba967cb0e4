"""``biaslab probe``: run a probe and print its findings."""

from __future__ import annotations

from biaslab.cli.commands import Family
from biaslab.records.kinds import entries, imported

PROBE = Family(
    "probe",
    "run a probe and print its findings",
    tuple(imported(place) for entry in entries() for place in entry.commands),
    "PROBE",
)
