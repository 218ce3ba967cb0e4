"""``biaslab probe two-afc``: find the blend of two cues at which a subject switches its answer."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biaslab.cli.commands import Group, Option, command
from biaslab.cli.common_options import DEVICE, MEMORY, TEMPLATE
from biaslab.cli.outputs import OUTPUTS, put_out
from biaslab.cli.progress_line import finish_line, shown_progress
from biaslab.cli.texts import lines

if TYPE_CHECKING:
    from biaslab.probes.psychometrics import Trials
    from biaslab.probes.psychometrics.morphed_model import MorphedModel
    from biaslab.subjects import EmbeddingSubject
    from biaslab.subjects.language_model import LanguageModel
    from biaslab.subjects.vision_language import VisionLanguageModel


@command(
    "two-afc",
    "two-alternative forced choice: PSE and JND of words between two cues",
    Option("subject", "bundled name, file or folder; hf:NAME with --kind; CSV file of trials"),
    Option(
        "words", "words to probe (default for trials and a vision-language model: all)", nargs="*"
    ),
    Option("--cues", "spec, or cue1,cue2[;cue1,cue2...] (default: gender-pairs; for trials: all)"),
    Option(
        "--kind",
        "masked or causal language model, vision-language model, or collected trials",
        choices=("mlm", "clm", "vlm", "trials"),
    ),
    DEVICE,
    Option("--levels", "stimulus levels from cue 1 to cue 2", 21),
    Option(
        "--rates",
        "guess and lapse rates of a model's curve: fitted, fitted as one, or 0",
        "free",
        choices=("free", "equal", "none"),
    ),
    Option("--responses-csv", "write the raw responses to a file", metavar="FILE"),
    MEMORY,
    Group(
        "options for language models",
        Option(
            "--frames",
            "sentences with {stimulus}, {item} and {answer}, one per line",
            metavar="FILE",
        ),
    ),
    Group(
        "options for vision-language models",
        Option("--portraits", "portraits to draw of each word", type=int),
        Option(
            "--morphs",
            "your own images, WORD/PORTRAIT/*.jpg, ordered from cue 1 to cue 2",
            metavar="FOLDER",
        ),
        TEMPLATE,
    ),
    *OUTPUTS,
    examples=(
        "biaslab probe two-afc wiki-bootstraps nurse electrician --save",
        "biaslab probe two-afc hf:gpt2 nurse --kind clm --cues 'woman,man;she,he' --json",
    ),
    description="Estimate the point of subjective equality (PSE) and the just noticeable"
    " difference (JND) of words between pairs of cues, by a two-alternative forced choice.",
)
def run_two_afc(options: argparse.Namespace) -> None:
    """Ask a subject of any kind, and refuse options that its kind does not have."""
    import biaslab as bl
    from biaslab.atomic import write_atomically
    from biaslab.probes.psychometrics import Trials
    from biaslab.subjects.language_model import LanguageModel
    from biaslab.subjects.vision_language import VisionLanguageModel

    cues = options.cues
    if cues is not None and "," in cues:
        cues = [tuple(pair.split(",")) for pair in cues.split(";")]
    subject: Any = _subject(options)
    words, of_model = options.words, {}
    if isinstance(subject, LanguageModel):
        _refuse(options, ("portraits", "morphs", "template"), "vision-language model", "vlm")
        frames = None if options.frames is None else lines(options.frames)
        of_model = {"observers": frames, "memory_mb": options.memory, "context": shown_progress()}
    elif isinstance(subject, VisionLanguageModel):
        _refuse(options, ("frames",), "language model", "mlm or --kind clm")
        subject = _shown(subject, options)
        words = words or list(subject.morphs.items)
        of_model = {"context": shown_progress()}
    else:
        _refuse(options, ("portraits", "morphs", "template"), "vision-language model", "vlm")
        _refuse(options, ("frames", "memory"), "language model", "mlm or --kind clm")
        words = words or (None if isinstance(subject, Trials) else words)
    result = bl.two_afc(
        subject, words, cues, levels=options.levels, rates=options.rates, **of_model
    )
    if of_model:
        finish_line()
    put_out(result, options)
    if options.responses_csv:
        table = result.raw_frame().to_csv(index=False, lineterminator="\n")
        write_atomically(options.responses_csv, table)


def _refuse(options: argparse.Namespace, names: tuple[str, ...], what: str, kind: str) -> None:
    """Refuse options that this kind of subject does not have."""
    from biaslab.errors import QueryError

    if any(getattr(options, name) is not None for name in names):
        flags = " and ".join(f"--{name}" for name in names)
        raise QueryError(
            f"{options.subject} is not a {what}: leave out {flags}, or add --kind {kind}."
        )


def _shown(vlm: VisionLanguageModel, options: argparse.Namespace) -> MorphedModel:
    """The model with the images that it is shown and the questions that it is asked."""
    from biaslab.errors import QueryError
    from biaslab.images import DrawnMorphs, read_morphs
    from biaslab.images.morphs import OBSERVERS, Morphs
    from biaslab.probes.psychometrics.morphed_model import MorphedModel

    if options.morphs is not None and options.portraits is not None:
        raise QueryError(
            "--portraits draws portraits and --morphs shows images from a folder. Leave one of"
            " them out."
        )
    morphs: Morphs
    if options.morphs is not None:
        morphs = read_morphs(options.morphs)
    else:
        count = OBSERVERS if options.portraits is None else options.portraits
        morphs = DrawnMorphs(observers=count)
    return MorphedModel(vlm, morphs, options.template, memory_mb=options.memory)


def _subject(
    options: argparse.Namespace,
) -> EmbeddingSubject | LanguageModel | VisionLanguageModel | Trials:
    """Open the subject; a folder's kind is recognised by its content."""
    import biaslab as bl
    from biaslab.probes.psychometrics import Trials
    from biaslab.subjects.language_model_folder import kind_of_folder
    from biaslab.subjects.vision_language_folder import holds_vision_language_model

    if options.kind == "trials":
        return Trials.read_csv(options.subject)
    folder = Path(options.subject)
    kind = options.kind or kind_of_folder(folder)
    if kind is None and holds_vision_language_model(folder):
        kind = "vlm"
    if kind is not None:
        return bl.load(options.subject, kind=kind, device=options.device)
    subject: EmbeddingSubject | LanguageModel | VisionLanguageModel = bl.load(
        options.subject, device=options.device
    )
    return subject
