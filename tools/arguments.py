"""Write the table of arguments: ``python tools/arguments.py``; ``--check`` fails where it is stale.

A probe is a public function whose first argument is ``subject``. Names and probes are read from the
signatures; what an argument means is written on the page, once for all probes that have it.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path

import biaslab as bl
from markdown_tables import table

PAGE = Path(__file__).resolve().parent.parent / "docs" / "guide" / "arguments.md"
TABLE = re.compile(r"\| argument \|.*", re.DOTALL)
ROW = re.compile(r"^\| `(\w+)` \| ([^|]*) \|", re.MULTILINE)
PLACES = ("association", "posterior", *(f"probes.{name}" for name in bl.probes.__all__))
"""Where probes are, besides the top level, which names them first."""


def probes() -> dict[str, list[str]]:
    """The probes of each argument."""
    known: set[object] = set()
    found: dict[str, list[str]] = defaultdict(list)
    for place in ("", *PLACES):
        module = attrgetter(place)(bl) if place else bl
        for name in getattr(module, "__all__", ()):
            probe = getattr(module, name)
            if not inspect.isfunction(probe) or probe in known:
                continue
            names, own = list(inspect.signature(probe).parameters.values()), f"{place}.{name}"
            if names and names[0].name == "subject":
                known.add(probe)
                for one in names:
                    if one.kind is not one.VAR_KEYWORD:
                        found[one.name].append(own.lstrip(".").removeprefix("probes."))
    return found


def written(page: str) -> str:
    """The page with today's names and probes."""
    meant = dict(ROW.findall(page))
    rows = [
        (f"`{name}`", meant.get(name, ""), ", ".join(of)) for name, of in sorted(probes().items())
    ]
    return TABLE.sub(lambda _: table(("argument", "what it is", "probes"), rows) + "\n", page)


def faults(page: str) -> Iterator[str]:
    """What is wrong with the page, and what to do."""
    if written(page) != page:
        yield "The table of arguments is stale. Run `python tools/arguments.py`."
    named: dict[str, str] = {}
    for name, meaning in ROW.findall(page):
        if not meaning:
            yield f"{name}: say on the page what it is."
        elif named.setdefault(meaning, name) != name:
            yield f"{name} and {named[meaning]} mean the same. Call both by one name."


def main(arguments: list[str]) -> int:
    """Write the table, or say what is wrong."""
    page = PAGE.read_text(encoding="utf-8")
    if arguments != ["--check"]:
        PAGE.write_text(page := written(page), encoding="utf-8")
    found = list(faults(page))
    print("\n".join(found) or "every argument has one name")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
