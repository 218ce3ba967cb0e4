"""``biaslab probe two-afc``: at which blend of two cues a subject switches its answer."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biaslab.cli.commands import Commands
from biaslab.cli.outputs import add_outputs, put_out
from biaslab.cli.progress_line import finish_line, shown_progress

if TYPE_CHECKING:
    from biaslab.subjects import EmbeddingSubject
    from biaslab.subjects.language_model import LanguageModel


def add(probes: Commands) -> None:
    """Add the command."""
    parser = probes.add_parser("two-afc", help="PSE and JND of words under cue pairs")
    parser.add_argument("subject", help="bundled name, file or folder; hf:NAME with --kind")
    parser.add_argument("words", nargs="+")
    parser.add_argument("--cues", default="gender-pairs", help="spec, or cue1,cue2[;cue1,cue2...]")
    parser.add_argument("--kind", choices=("mlm", "clm"), help="masked or causal language model")
    parser.add_argument("--device", help="cpu or cuda; the GPU where there is one")
    parser.add_argument("--levels", type=int, default=21, help="stimuli from one cue to the other")
    parser.add_argument(
        "--frames",
        type=Path,
        help="of a language model: file of sentences with {stimulus}, {item} and {answer}",
    )
    parser.add_argument("--memory", type=float, metavar="MB", help="what a batch may take")
    parser.add_argument("--responses-csv", type=Path, help="write the raw responses to a file")
    add_outputs(parser)
    parser.set_defaults(handler=_run)


def _run(options: argparse.Namespace) -> int:
    import biaslab as bl
    from biaslab.atomic import write_atomically
    from biaslab.errors import QueryError
    from biaslab.subjects.language_model import LanguageModel

    cues = options.cues
    if "," in cues:
        cues = [tuple(pair.split(",")) for pair in cues.split(";")]
    subject = _subject(options)
    of_model: dict[str, Any] = {}
    if isinstance(subject, LanguageModel):
        frames = None if options.frames is None else _lines(options.frames)
        of_model = {
            "observers": frames,
            "memory_mb": options.memory,
            "context": shown_progress(),
        }
    elif options.frames is not None or options.memory is not None:
        raise QueryError(
            f"{options.subject} is no language model: leave --frames and --memory out, or say"
            " --kind mlm or --kind clm."
        )
    result = bl.two_afc(subject, options.words, cues, levels=options.levels, **of_model)
    if of_model:
        finish_line()
    put_out(result, options)
    if options.responses_csv:
        table = result.responses_frame().to_csv(index=False, lineterminator="\n")
        write_atomically(options.responses_csv, table)
    return 0


def _subject(options: argparse.Namespace) -> EmbeddingSubject | LanguageModel:
    """The subject; a folder of a language model is told from its content."""
    import biaslab as bl
    from biaslab.subjects.language_model_folder import kind_of_folder

    kind = options.kind or kind_of_folder(Path(options.subject))
    if kind is not None:
        return bl.load(options.subject, kind=kind, device=options.device)
    found: EmbeddingSubject | LanguageModel = bl.load(options.subject, device=options.device)
    return found


def _lines(path: Path) -> list[str]:
    from biaslab.errors import QueryError

    try:
        found = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise QueryError(f"{path} cannot be read as UTF-8 text: {error}.") from error
    return [line.strip() for line in found if line.strip()]
