"""``biaslab train counts``: count the corpus of an ensemble, for traces of its biases."""

from __future__ import annotations

import argparse

from biaslab.cli.commands import Option, command, given


@command(
    "counts",
    "counts of an ensemble's corpus, for 'biaslab probe trace'",
    Option("subject", "bundled name or folder of an ensemble made from counts"),
    Option("--corpus", "the corpus that it was trained on", required=True, metavar="PATH"),
    Option("--output", "folder for the counts (default: in your biaslab folder)", metavar="FOLDER"),
    Option("--processes", "processes that read text (default: one per core)", type=int),
    Option("--memory", "memory for the counts", 2.0, metavar="GB"),
    examples=("biaslab train counts wiki-bootstraps --corpus enwiki-2015-sample.txt.xz",),
    description="Count the corpus of an ensemble block by block. The counts of wiki-bootstraps"
    " take 2 GB; no vectors are trained.",
)
def count_corpus(options: argparse.Namespace) -> None:
    """Count the corpus, and print where the counts are."""
    from biaslab.training.counted import count_for

    folder = count_for(
        options.subject,
        options.corpus,
        options.output,
        memory=options.memory * 1e9,
        **given(options, "processes"),
    )
    print(f"Counted in {folder}. Now trace a word: biaslab probe trace {options.subject} WORD")
