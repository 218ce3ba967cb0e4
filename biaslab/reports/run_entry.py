"""A run as reports show it: its finding, its provenance, its estimates as a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from biaslab.arguments import described
from biaslab.errors import ArgumentError, BiaslabError
from biaslab.records.result import Result
from biaslab.records.wording import counted
from biaslab.store import Store
from biaslab.subjects.pretrained.facts import summary_of

_MOST_NAMED = 200
_LONGEST = 300


@dataclass(frozen=True)
class RunEntry:
    """A result and the id of its run, empty if it was not saved."""

    result: Result
    id: str = ""

    @property
    def again(self) -> str:
        """The command, or the code, that makes the result again; empty where neither is known."""
        if self.id:
            return f"biaslab rerun {self.id}"
        code = getattr(self.result, "code", None)
        if code is not None:
            with suppress(BiaslabError):  # made by an older version, or from a subject in memory
                return str(code())
        return ""

    @property
    def limits(self) -> tuple[str, ...]:
        """What limits the finding, and remarks."""
        notes = getattr(self.result, "notes", ())
        return tuple(filter(None, (self.result.caveat(), *map(str, notes))))

    @property
    def left_out(self) -> tuple[tuple[str, str], ...]:
        """What was left out: how many and why, and the terms."""
        groups: dict[tuple[str, str], list[str]] = {}
        for one in self.result.dropped:
            groups.setdefault((one.role, one.reason), []).append(one.term)
        return tuple(
            (f"{counted(len(terms), role)} {reason}", _listed(terms))
            for (role, reason), terms in groups.items()
        )

    @property
    def made_with(self) -> tuple[tuple[str, str], ...]:
        """Provenance, by name."""
        origin = self.result.provenance
        rows: dict[str, object] = {
            "run": self.id,
            "question": origin.probe,
            "subject": origin.subject,
            "content of the subject (SHA-256)": origin.subject_hash,
            "word lists (SHA-256)": origin.spec_hash,
            "seed": origin.seed,
            **{name.replace("_", " "): value for name, value in origin.parameters.items()},
            "model": summary_of(origin.loaded),
            "device": origin.device,
            "versions": ", ".join(f"{name} {one}" for name, one in origin.versions.items()),
            "time": origin.time[:19].replace("T", " ") + " UTC" * bool(origin.time),
        }
        texts = ((name, _value(value)) for name, value in rows.items())
        return tuple((name, value) for name, value in texts if value not in ("", "None"))


def entries_of(given: object, store: Store | None = None) -> tuple[RunEntry, ...]:
    """Return the runs that were given: one or several results, or ids in a store.

    - `store`: where ids are looked up; by default the person's own store.
    - Raises `ArgumentError` if there is none, or one is neither; `StoreError` if there is no run
      with an id.
    """
    runs = tuple(_entries(given, store))
    if not runs:
        raise ArgumentError("There is nothing to report: pass at least one result or id of a run.")
    return runs


def _entries(given: object, store: Store | None) -> Iterator[RunEntry]:
    if isinstance(given, Result):
        yield RunEntry(given)
    elif isinstance(given, str):
        yield RunEntry((store or Store()).open(given), given)
    elif isinstance(given, Iterable):
        for one in given:
            yield from _entries(one, store)
    else:
        raise ArgumentError(
            f"This is {described(given)}. Pass results or ids of runs, one or several."
        )


def _listed(terms: list[str]) -> str:
    more = f" and {len(terms) - _MOST_NAMED:,} more" * (len(terms) > _MOST_NAMED)
    return ", ".join(terms[:_MOST_NAMED]) + more


def _value(value: object) -> str:
    if isinstance(value, tuple):
        value = ", ".join(map(_value, value))
    if isinstance(value, Mapping):
        value = ", ".join(f"{name} {_value(own)}" for name, own in value.items())
    text = str(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
