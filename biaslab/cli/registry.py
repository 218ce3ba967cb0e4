"""``biaslab registry``: a catalogue of rating cards as a static site, made and checked."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from biaslab.cli.commands import ExitStatus, Family, Option, command


@command(
    "build",
    "make a static site of rating cards, with search and composition",
    Option("cards", "folder of cards, which biaslab probe rate --card has written as .json",
           nargs="?", type=Path),
    Option("--runs", "also the saved ratings, or those with this tag", nargs="?", const="",
           metavar="TAG"),
    Option("--out", "folder of the site", Path("catalogue"), metavar="FOLDER"),
    examples=(
        "biaslab registry build cards --out catalogue",
        "biaslab registry build --runs published",
    ),
    description="Make a static site of rating cards: search, a page for each card, and the"
    " predicted rating of services in a row beside the measured one. Files that are no card are"
    " named and left out.",
)  # fmt: skip
def build_registry(options: argparse.Namespace) -> None:
    """Write the site."""
    from biaslab.errors import QueryError
    from biaslab.reports.rating.registry import read_cards
    from biaslab.reports.rating.site import write_site

    if options.cards is None and options.runs is None:
        raise QueryError("Name a folder of cards, or take your saved ratings with --runs.")
    runs = () if options.runs is None else _saved(options.runs)
    registry = read_cards(options.cards, runs)
    write_site(registry, options.out)
    for name, why in registry.problems.items():
        print(f"Left out {name}: {why}.", file=sys.stderr)
    print(f"{registry.summary()}: {options.out / 'index.html'}")
    print(f"Hash to publish elsewhere: {registry.hash}")


@command(
    "check",
    "tell whether a catalogue is as it was published",
    Option("site", "folder of the site", type=Path, metavar="FOLDER"),
    Option("--hash", "hash of the catalogue, as its publisher gave it elsewhere", ""),
    examples=("biaslab registry check catalogue",),
    description="Compare the cards of a catalogue with its list of hashes, and its pages with what"
    " follows from the cards. Exit status: 0 if all is unchanged, 1 if not.",
)
def check_registry(options: argparse.Namespace) -> None:
    """Print what was changed."""
    from biaslab.reports.rating.site import check_site

    wrong = check_site(options.site, options.hash)
    print("\n".join(wrong) if wrong else "Unchanged: all cards have their hashes, and the pages"
          " follow from them.")  # fmt: skip
    if wrong:
        raise ExitStatus(1)


REGISTRY = Family(
    "registry", "make and check a catalogue of rating cards", (build_registry, check_registry)
)


def _saved(tag: str) -> Iterator[bytes]:
    """Yield the cards of saved ratings, all of them or those with a tag."""
    import biaslab as bl
    from biaslab.probes.rating import RatingResult

    store = bl.Store()
    for run_id in store.runs(probe="rate", tag=tag or None)["id"]:
        result = store.open(run_id)
        if isinstance(result, RatingResult):
            yield result.card().to_json().encode()
