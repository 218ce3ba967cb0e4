"""``biaslab evaluate``: how well an embedding agrees with judged word similarity."""

from __future__ import annotations

import argparse
from pathlib import Path

from biaslab.cli.commands import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "evaluate", help="agreement of an embedding with people's judgements of word similarity"
    )
    parser.add_argument("subject", help="bundled name, file or folder")
    parser.add_argument(
        "--similarity",
        nargs="+",
        type=Path,
        required=True,
        metavar="FILE",
        help="sets of judged pairs: word, tab, word, tab, score per line",
    )
    parser.add_argument("--csv", type=Path, help="write the estimates to a file")
    parser.add_argument("--json", type=Path, help="write the whole result to a file")
    parser.add_argument("--save", action="store_true", help="save the run in the store")
    parser.set_defaults(handler=_evaluate)


def _evaluate(options: argparse.Namespace) -> int:
    import biaslab as bl

    result = bl.word_similarity(bl.load(options.subject), options.similarity)
    print(result.summary())
    if result.dropped:
        words = ", ".join(f"{one.term} ({one.role})" for one in result.dropped[:10])
        more = f" and {len(result.dropped) - 10} more" if len(result.dropped) > 10 else ""
        print(f"Unknown words: {words}{more}.")
    if options.csv:
        result.to_csv(options.csv)
    if options.json:
        result.to_json(options.json)
    if options.save:
        print(f"Saved as run {result.save()}.")
    return 0
