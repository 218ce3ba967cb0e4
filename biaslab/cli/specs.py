"""``biaslab specs``: list the specs or show one; list the frames of other languages."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from biaslab.cli.commands import Family, Option, command, flag
from biaslab.cli.output import JSON, Column, Row, print_json, print_table

if TYPE_CHECKING:
    from biaslab.specs import Entry


_LANGUAGE_COLUMNS = (
    Column("code"),
    Column("title"),
    Column("frames", 1),
    Column("items", 1),
    Column("agreeing", 2),
    Column("origins", is_wide=True),
)


@command(
    "frames",
    "list the languages that have frames, or show the frames of one",
    Option("frames", "code of a language, or a .toml file of your own", nargs="?", metavar="LANG"),
    Option(
        "--design",
        "how the item stands in the sentence",
        "neutral",
        choices=("neutral", "both", "feminine", "masculine", "agreeing"),
    ),
    Option("--number", "number of the words", "singular", choices=("singular", "plural")),
    flag("--names", "with given names of two origins as cues"),
    JSON,
    examples=("biaslab specs frames", "biaslab specs frames de --design both"),
    description="List the languages that have frames; with a language, show its sentences, items"
    " and cues. In a pipe each language is one line with a tab between the columns code, title,"
    " frames, items, agreeing (items with a form for each gender) and origins (of the names).",
)
def show_frames(options: argparse.Namespace) -> None:
    """Print the languages, or the frames of one."""
    import biaslab as bl

    if options.frames is None:
        rows = bl.frames.catalog().to_dict(orient="records")
        if options.json:
            print_json(rows)
        else:
            print_table(rows, _LANGUAGE_COLUMNS)
        return
    frames = bl.frames.get(
        options.frames,
        options.design,
        number=options.number,
        cues="names" if options.names else "words",
    )
    if options.json:
        print_json(
            {
                "language": frames.language.code,
                "design": frames.design,
                "number": frames.number,
                "frames": frames.texts,
                "items": frames.items,
                "cues": frames.cues,
                "source": frames.language.source,
            }
        )
        return
    print(frames.about)
    for number, text in enumerate(frames.texts, 1):
        print(f"{number:3}. {text}")
    print(f"items: {', '.join(frames.items)}")
    print(f"cues: {', '.join(' / '.join(pair) for pair in frames.cues)}")
    print(f"source: {frames.language.source}")


_COLUMNS = (
    Column("name"),
    Column("title", is_wide=True),
    Column("where", 1, lambda where: "" if where == "predefined" else Path(where).name),
)


@command(
    "list",
    "list the specs (named word lists)",
    Option(
        "words",
        "words that each occur in a spec's name, aliases, title or source; a single name, alias or"
        " file shows that spec",
        nargs="*",
        metavar="WORD",
    ),
    JSON,
    examples=("biaslab specs", "biaslab specs list religion", "biaslab specs weat-6 --json"),
    description="List the specs (named word lists). In a pipe each spec is one line with a tab"
    " between the columns name, title and where (predefined, or the file).",
)
def list_specs(options: argparse.Namespace) -> None:
    """Print the specs that hold all words, or the one that is named."""
    import biaslab as bl

    entries = bl.specs.entries()
    if len(options.words) == 1 and _names_one(options.words[0], entries):
        _show(options.words[0], as_json=options.json)
        return
    matches = {(entry.name, entry.where) for entry in entries if _holds(entry, options.words)}
    if len(options.words) == 1 and not matches:
        bl.specs.get(options.words[0])  # its error names the nearest
    rows: list[Row] = [
        row
        for row in bl.specs.catalog().to_dict(orient="records")
        if (row["name"], row["where"]) in matches
    ]
    if options.json:
        print_json(rows)
        return
    print_table([row for row in rows if not row["problem"]], _COLUMNS)
    for row in rows:
        if row["problem"]:
            print(f"biaslab: unusable spec: {row['problem']}", file=sys.stderr)


@command(
    "show",
    "show the word lists of a spec",
    Option("name", "name, alias or file of the spec"),
    JSON,
    examples=("biaslab specs show weat-6",),
)
def show_spec(options: argparse.Namespace) -> None:
    """Print one spec."""
    _show(options.name, as_json=options.json)


SPECS = Family(
    "specs",
    "list the specs (named word lists) or show one; frames in other languages",
    (list_specs, show_spec, show_frames),
    default="list",
    aliases=("catalog",),
)


def _show(name: str, *, as_json: bool) -> None:
    import biaslab as bl

    spec = bl.specs.get(name)
    print(spec.to_json().rstrip() if as_json else spec.summary())


def _names_one(word: str, entries: list[Entry]) -> bool:
    if word.lower().endswith((".toml", ".json")):
        return True
    return any(word == e.name or (e.spec and word in e.spec.aliases) for e in entries)


def _holds(entry: Entry, words: list[str]) -> bool:
    spec = entry.spec
    parts = (spec.title, spec.source, *spec.aliases) if spec else ()
    text = " ".join((entry.name, *parts)).casefold()
    return all(word.casefold() in text for word in words)
