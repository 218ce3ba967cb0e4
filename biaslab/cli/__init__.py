"""The command line, ``biaslab COMMAND``: one module per command."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Sequence
from typing import Any

from biaslab.cli.commands import Command, ExitStatus, Family, Handler, HelpFormatter
from biaslab.cli.embeddings import compare_with_judgements, write_debiased
from biaslab.cli.lab import open_lab
from biaslab.cli.opinion import give_opinion
from biaslab.cli.output import PRINTED, in_shell, write_anything
from biaslab.cli.probes import PROBE
from biaslab.cli.registry import REGISTRY
from biaslab.cli.results import DIFFERS, compare_runs, print_code, rerun_run, write_report
from biaslab.cli.runs import RUNS
from biaslab.cli.sensitivity import tell_apart
from biaslab.cli.serve import serve_benches
from biaslab.cli.specs import SPECS
from biaslab.cli.subjects import SUBJECTS
from biaslab.cli.train import TRAIN
from biaslab.cli.treatment import treat_model
from biaslab.cli.users import USERS
from biaslab.errors import BiaslabError
from biaslab.threads.cores import THREADS_WAIT

COMMANDS: tuple[Command | Family, ...] = (
    serve_benches,
    USERS,
    open_lab,
    PROBE,
    give_opinion,
    tell_apart,
    write_debiased,
    treat_model,
    TRAIN,
    compare_with_judgements,
    SUBJECTS,
    SPECS,
    RUNS,
    compare_runs,
    write_report,
    rerun_run,
    print_code,
    REGISTRY,
)
_DESCRIPTION = (
    "Measure social bias in AI models: run probes, train, debias and treat models, open benches."
)
_INTERRUPTED = 130
_READER_GONE = 141
"""Status that a shell reports for a program ended by SIGPIPE."""
_EPILOG = f"""\
Examples:
  biaslab probe two-afc wiki-bootstraps nurse --save
  biaslab runs
  biaslab COMMAND --help

Exit status:
  0    success
  1    error, or a search that found nothing
  2    wrong usage
  {DIFFERS}    biaslab rerun: numbers differ
  {_INTERRUPTED}  interrupted
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; print errors of biaslab without a traceback.

    - Returns: exit status: 0 on success, 1 after an error, 3 where `biaslab rerun` finds other
      numbers, 130 after an interrupt, 141 when the reader of the output has gone, as with ``|
      head``.
    """
    write_anything()
    os.environ.setdefault(*THREADS_WAIT)
    try:
        try:
            return _run(sys.argv[1:] if arguments is None else arguments)
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _READER_GONE


def parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse a command line.

    Raises `SystemExit` with status 2 if it is not one of biaslab; with 0 after help and
    ``--version``.
    """
    parser = argparse.ArgumentParser(
        prog="biaslab", description=_DESCRIPTION, epilog=_EPILOG, formatter_class=HelpFormatter
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        if isinstance(command, Family) and not command.is_typed(arguments):
            command.add_name(commands)
        else:
            command.add(commands)
    for command in COMMANDS:
        if isinstance(command, Family) and command.is_typed(arguments):
            arguments = command.completed(arguments)
            break
    return parser.parse_args(arguments)


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        import biaslab

        print(f"biaslab {biaslab.__version__}")
        parser.exit()


def _run(arguments: Sequence[str]) -> int:
    options = parsed(arguments)
    handler: Handler = options.handler
    options.document = sys.stdout
    prints_document = getattr(options, "json", None) == PRINTED
    try:
        # The document stands alone on standard output.
        with contextlib.redirect_stdout(sys.stderr if prints_document else sys.stdout):
            handler(options)
    except ExitStatus as ended:
        return ended.status
    except (BiaslabError, ValueError) as error:
        keywords = getattr(options, "keywords", ())
        print(f"biaslab: {in_shell(str(error), options=keywords)}", file=sys.stderr)
        return 1
    except (MemoryError, OverflowError):
        print(
            "biaslab: this needs more memory than there is. Ask for less: smaller numbers, fewer"
            " words or a smaller model.",
            file=sys.stderr,
        )
        return 1
    except RecursionError:
        print("biaslab: a file is nested too deeply. Flatten it.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("biaslab: interrupted. Finished work is kept.", file=sys.stderr)
        return _INTERRUPTED
    return 0
