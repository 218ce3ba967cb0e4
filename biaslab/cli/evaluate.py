"""``biaslab evaluate``: compare an embedding with human judgements of word similarity."""

from __future__ import annotations

import argparse

from biaslab.cli.commands import Option, command
from biaslab.cli.common_options import SUBJECT
from biaslab.cli.outputs import OUTPUTS, write_outputs
from biaslab.cli.shell_words import in_shell


@command(
    "evaluate",
    "compare an embedding with human judgements of word similarity",
    SUBJECT,
    Option(
        "--similarity",
        "word pairs with human ratings; one pair per line: word, tab, word, tab, score",
        nargs="+",
        required=True,
        metavar="FILE",
    ),
    *OUTPUTS,
    examples=("biaslab evaluate wiki-bootstraps --similarity wordsim353.tsv",),
)
def compare_with_judgements(options: argparse.Namespace) -> None:
    """Correlate cosines with human ratings, and list words that are unknown."""
    import biaslab as bl

    result = bl.probes.similarity.word_similarity(bl.load(options.subject), options.similarity)
    print(in_shell(result.summary()))
    if result.dropped:
        words = ", ".join(f"{one.term} ({one.role})" for one in result.dropped[:10])
        more = f" and {len(result.dropped) - 10} more" if len(result.dropped) > 10 else ""
        print(f"Unknown words: {words}{more}.")
    write_outputs(result, options)
