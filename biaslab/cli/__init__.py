"""The command line, ``biaslab COMMAND``: one module per command."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from biaslab.cli import probe, train
from biaslab.cli.catalog import show_specs
from biaslab.cli.code import print_code
from biaslab.cli.commands import ExitStatus, Handler
from biaslab.cli.debias import write_debiased
from biaslab.cli.evaluate import compare_with_judgements
from biaslab.cli.rerun import rerun_run
from biaslab.cli.runs import show_runs
from biaslab.cli.serve import serve_benches
from biaslab.errors import BiaslabError

_DESCRIPTION = (
    "Measure social bias in AI models: run probes, train and debias models, open benches."
)
_COMMANDS = (
    serve_benches,
    probe,
    write_debiased,
    show_specs,
    train,
    compare_with_judgements,
    show_runs,
    rerun_run,
    print_code,
)
_READER_GONE = 141
"""Status that a shell reports for a program ended by SIGPIPE."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; print errors of biaslab without a traceback.

    Returns
    -------
    int
        Exit status: 0 on success, 1 after an error, 3 where `biaslab rerun` finds other numbers,
        130 after an interrupt, 141 when the reader of
        the output has gone, as with ``| head``.
    """
    try:
        try:
            return _run(arguments)
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _READER_GONE


def _run(arguments: Sequence[str] | None) -> int:
    parser = argparse.ArgumentParser(prog="biaslab", description=_DESCRIPTION)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in _COMMANDS:
        command.add(commands)
    options = parser.parse_args(arguments)
    handler: Handler = options.handler
    try:
        handler(options)
    except ExitStatus as ended:
        return ended.status
    except (BiaslabError, ValueError) as error:
        print(f"biaslab: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("biaslab: interrupted. Finished work is kept.", file=sys.stderr)
        return 130
    return 0
