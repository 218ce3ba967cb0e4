"""``biaslab catalog``: list the specs, or show one."""

from __future__ import annotations

import argparse
import json
import sys

from biaslab.cli.commands import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser("catalog", help="list the specs (named word lists), or show one")
    parser.add_argument("name", nargs="?", help="name, alias or file of the spec to show")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(handler=_catalog)


def _catalog(options: argparse.Namespace) -> int:
    import biaslab as bl

    if options.name is not None:
        spec = bl.specs.get(options.name)
        print(spec.to_json().rstrip() if options.json else spec.summary())
    elif options.json:
        rows = bl.specs.catalog().to_dict(orient="records")
        print(json.dumps(rows, ensure_ascii=False, indent=2))
    else:
        _print_catalog()
    return 0


def _print_catalog() -> None:
    import biaslab as bl

    entries = bl.specs.entries()
    width = max(len(entry.name) for entry in entries)
    for entry in entries:
        if not entry.problem and entry.spec:
            own = "" if entry.where == "predefined" else f"  [{entry.where}]"
            print(f"{entry.name:{width}}  {entry.spec.title}{own}")
    for entry in entries:
        if entry.problem:
            print(f"biaslab: unusable spec: {entry.problem}", file=sys.stderr)
