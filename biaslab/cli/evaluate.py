"""``biaslab evaluate``: compare an embedding with human judgements of word similarity."""

from __future__ import annotations

import argparse
from pathlib import Path

from biaslab.cli.commands import Commands
from biaslab.cli.outputs import add_outputs, write_outputs


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "evaluate", help="compare an embedding with human judgements of word similarity"
    )
    parser.add_argument("subject", help="bundled name, file or folder")
    parser.add_argument(
        "--similarity",
        nargs="+",
        type=Path,
        required=True,
        metavar="FILE",
        help="word pairs with human ratings; one pair per line: word, tab, word, tab, score",
    )
    add_outputs(parser)
    parser.set_defaults(handler=_evaluate)


def _evaluate(options: argparse.Namespace) -> int:
    import biaslab as bl

    result = bl.probes.similarity.word_similarity(bl.load(options.subject), options.similarity)
    print(result.summary())
    if result.dropped:
        words = ", ".join(f"{one.term} ({one.role})" for one in result.dropped[:10])
        more = f" and {len(result.dropped) - 10} more" if len(result.dropped) > 10 else ""
        print(f"Unknown words: {words}{more}.")
    write_outputs(result, options)
    return 0
