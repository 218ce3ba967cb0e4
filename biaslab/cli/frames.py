"""``biaslab specs frames``: list the languages that have frames, or read the frames of one."""

from __future__ import annotations

import argparse

from biaslab.cli.commands import Option, command, flag
from biaslab.cli.tables import JSON, Column, print_json, print_table

_COLUMNS = (
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
            print_table(rows, _COLUMNS)
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
