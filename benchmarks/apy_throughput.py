"""Texts through Apertium's server: how many times those of one command per text.

Forty texts of two sentences go from English to Spanish, first through a running apertium-apy that
only this machine reaches, in calls of one text as the executor makes them (checked, counted, not
kept), then by one run of the program `apertium` per text, one after the other. The server runs and
has loaded the pair before. Both in turns, the median counts, and both give the same translations.
"""

from __future__ import annotations

from itertools import permutations

from benchmarks.findings import Figure, Findings
from benchmarks.timing import in_turns
from biaslab.asking.providers.apertium import is_installed
from biaslab.probes.rating.experiment_executor import execute
from biaslab.services import ApertiumCommand, ApertiumServer, Translation

ROUNDS, TIMES = 3, 10.0
OCCUPATIONS = ("plumber", "nurse", "doctor", "teacher", "florist", "gardener", "lawyer", "cook")
# Every text is another one: equal ones would be asked once.
TEXTS = tuple(
    f"{'She' if n % 2 else 'He'} is a {one}. {'She' if n % 3 else 'He'} is a {other}."
    for n, (one, other) in enumerate(permutations(OCCUPATIONS, 2))
)[:40]


def measure() -> Findings:
    """Both ways; nothing where Apertium is not installed."""
    if not is_installed("apertium-apy"):
        return Findings((), ("Not measured: Apertium is not installed on this machine.",))
    command = ApertiumCommand()
    alone: list[str] = []
    served: list[str | None] = []
    with ApertiumServer() as server:
        service = Translation(server.translator, "en", "es")
        service.answer(TEXTS[:1])

        def by_command() -> None:
            alone[:] = [command.translate([text], "en", "es")[0] for text in TEXTS]

        def by_server() -> None:
            served[:] = execute(service, TEXTS, keep=False).outputs

        taken = in_turns({"server": by_server, "command": by_command}, ROUNDS)
    times = taken["command"] / taken["server"]
    same = sum(a == b for a, b in zip(alone, served, strict=True))
    rates = {name: len(TEXTS) / seconds for name, seconds in taken.items()}
    return Findings(
        (
            Figure(
                "texts per second through apertium-apy",
                f"{rates['server']:.1f} / s",
                f"{TIMES:.0f} x one command per text",
                times >= TIMES,
                f"one command per text {rates['command']:.1f} / s",
                f"{times:.1f} x",
            ),
            Figure(
                "texts of which both give the same translation",
                f"{same} of {len(TEXTS)}",
                "all",
                same == len(TEXTS),
            ),
        )
    )
