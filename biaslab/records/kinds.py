"""What the house knows of a kind of result besides the record itself.

A record imports neither the code that words, draws or compares it nor the bench that shows it. All
that is one entry in `biaslab.probes.entries`, found by the class of the record when it is needed.
An entry names modules and functions as text, so nothing is imported before it is used.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Kind:
    """How records of one class are worded, drawn and compared.

    - `record`: name of the class.
    - `words`: a module of this kind only: ``summary(record)``, and ``verdict(record)``,
      ``caveat(record)`` and ``headline(record)`` where these differ from the defaults of
      `biaslab.Result`; ``brief(record)``, a few words for a card, where a first run is one;
      ``sections(record)``, headings with lines that a report adds to the finding;
      ``chart(record)``, which makes a `biaslab.reports.chart.Chart`, where there is one.
    - `summary`, `verdict`, `chart`: ``module:function`` of these, where they are elsewhere.
    - `comparison`: ``module:function`` that compares two results, given ``measure`` and ``seed`` by
      name, and returns a `biaslab.probes.comparison.rows.Compared`; empty if they cannot be
      compared.
    - `measures`: measures by which two can be compared, the default first.
    """

    record: str
    words: str = ""
    summary: str = ""
    verdict: str = ""
    chart: str = ""
    comparison: str = ""
    measures: tuple[str, ...] = ("pse",)


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A bench, the question that it asks, and the kinds of results that belong to it.

    - `name`: of the bench: its folder, and its address with dashes; empty for kinds of no bench.
    - `notebook_name`: name of its class in notebooks.
    - `question`: the question that it asks a model, for the home page.
    - `probe`: the same in Python, such as ``bl.two_afc``.
    - `need`: ``module:name`` of what the bench needs of a subject; empty where it asks no model.
    - `elsewhere`: the same for subjects that the probe asks in Python only; empty if there are
      none.
    - `terms`: names of the glossary's terms that it shows.
    - `first_run`: the question that it asks a bundled subject first, in Python; where ``bench``
      asks it, the app opens the bench with this run.
    - `first_settings`: of the bench where they show the first run, or with which it makes it, as in
      its page's address.
    - `commands`: ``module:function`` of its commands of ``biaslab probe``.
    - `kinds`: kinds of results that are listed as runs of this bench.
    - `shown`: how many of them it shows, the first ones.
    - `label`: its title where that is not its name.
    """

    name: str = ""
    notebook_name: str = ""
    question: str = ""
    probe: str = ""
    need: str = ""
    elsewhere: str = ""
    terms: tuple[str, ...] = ()
    first_run: str = ""
    first_settings: str = ""
    commands: tuple[str, ...] = ()
    kinds: tuple[Kind, ...] = ()
    shown: int = 1
    label: str = ""

    @property
    def title(self) -> str:
        """Its title in navigation."""
        return self.label or self.name.replace("_", " ").capitalize()

    @property
    def opens_with_run(self) -> bool:
        """Whether the bench opens with its first run."""
        return self.first_run.startswith("bench.")

    @property
    def slug(self) -> str:
        """Its address below the server's root, and the name of its front-end module."""
        return self.name.replace("_", "-")


def entries() -> tuple[Entry, ...]:
    """Return all entries, in the order of navigation."""
    listed: tuple[Entry, ...] = imported("biaslab.probes.entries:ENTRIES")
    return listed


def kind_of(record: type) -> Kind:
    """Return the kind of a class or its nearest base; an empty one if none is listed."""
    return _listed(record)[1]


def words_of(record: object) -> Any:
    """Return the module that words a record; None if there is none."""
    words = kind_of(type(record)).words
    return importlib.import_module(words) if words else None


def part_of(record: object, part: str) -> Any:
    """Return the function of a part of what is said of a record, such as its chart, or None."""
    address = getattr(kind_of(type(record)), part, "")
    return imported(address) if address else getattr(words_of(record), part, None)


def brief_of(record: object) -> str:
    """Return the finding in a few words, for lists; the headline where its kind has no shorter."""
    brief = part_of(record, "brief")
    return str(brief(record) if brief else record.headline)  # type: ignore[attr-defined]


def bench_of(record: type) -> str:
    """Return the address of the bench that shows a class; empty if there is none."""
    return _listed(record)[0].slug


def _listed(record: type) -> tuple[Entry, Kind]:
    known = {kind.record: (entry, kind) for entry in entries() for kind in entry.kinds}
    ours = (base for base in record.__mro__ if base.__module__.partition(".")[0] == "biaslab")
    names = (base.__name__ for base in ours if base.__name__ in known)
    return next((known[name] for name in names), (Entry(), Kind(record.__name__)))


def imported(address: str) -> Any:
    """Return the object that ``module:name`` refers to."""
    module, _, name = address.partition(":")
    return getattr(importlib.import_module(module), name)
