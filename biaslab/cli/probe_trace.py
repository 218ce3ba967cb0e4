"""``biaslab probe trace``: find the passages of a corpus that make the bias of a word."""

from __future__ import annotations

import argparse

from biaslab.cli.commands import Option, command, given
from biaslab.cli.outputs import OUTPUTS, put_out
from biaslab.cli.progress_line import finish_line, shown_progress


@command(
    "trace",
    "passages of the corpus that make a word's bias",
    Option("subject", "bundled name or folder of an ensemble made from counts"),
    Option("word", "word whose bias is traced"),
    Option("--cues", "spec, or cue1,cue2[;cue1,cue2...]", "gender-pairs"),
    Option(
        "--counts",
        "folder that 'biaslab train counts' wrote (default: where it writes by default)",
        metavar="FOLDER",
    ),
    Option("--passages", "passages to show each way", 10),
    Option("--check", "really leave this many passages and blocks out each way", 0),
    Option("--level", "level of the intervals", 0.95),
    Option("--memory", "memory for the counts", 2.0, metavar="GB"),
    *OUTPUTS,
    examples=("biaslab probe trace wiki-bootstraps electrician --cues she,he --check 10",),
    description="Find the passages that pull the point of subjective equality (PSE) of a word most"
    " toward each cue (after Brunet et al. 2019), and check it by really leaving passages out.",
)
def trace_word(options: argparse.Namespace) -> None:
    """Trace a word, and print the passages."""
    import biaslab as bl

    cues = options.cues
    if "," in cues:
        cues = [tuple(pair.split(",")) for pair in cues.split(";")]
    result = bl.trace(
        options.subject,
        options.word,
        cues,
        memory=options.memory * 1e9,
        context=shown_progress(),
        **given(options, "counts", "passages", "check", "level"),
    )
    finish_line()
    put_out(result, options)
