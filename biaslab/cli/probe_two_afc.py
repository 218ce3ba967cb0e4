"""``biaslab probe two-afc``: find the blend of two cues at which a subject switches its answer."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biaslab.cli.commands import Group, Option, command
from biaslab.cli.common_options import MEMORY, MODEL, TEMPLATE, opening
from biaslab.cli.frame_options import OF_A_LANGUAGE, frames_in_file, frames_of, print_crossed
from biaslab.cli.outputs import OUTPUTS, put_out
from biaslab.cli.progress_line import finish_line, shown_progress
from biaslab.csv_text import frame_text

if TYPE_CHECKING:
    from biaslab.probes.psychometrics import Trials
    from biaslab.probes.psychometrics.morphed_model import MorphedModel
    from biaslab.subjects import EmbeddingSubject
    from biaslab.subjects.language_model.model import LanguageModel
    from biaslab.subjects.vision_language.model import VisionLanguageModel


@command(
    "two-afc",
    "two-alternative forced choice: PSE and JND of words between two cues",
    Option("subject", "bundled name, file or folder; hf:NAME with --kind; CSV file of trials"),
    Option(
        "words",
        "words to probe (default for trials, a vision-language model and the frames of a language:"
        " all)",
        nargs="*",
    ),
    Option("--cues", "spec, or cue1,cue2[;cue1,cue2...] (default: gender-pairs; for trials: all)"),
    Option(
        "--kind",
        "masked or causal language model, vision-language model, or collected trials",
        choices=("mlm", "clm", "vlm", "trials"),
    ),
    MODEL,
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
            "code of a language, such as de, with its items and cues (`biaslab specs frames`); or"
            " a file of sentences with {stimulus}, {item} and {answer}, one per line",
            metavar="LANG|FILE",
        ),
        *OF_A_LANGUAGE,
        Option(
            "--layers",
            "layers to patch the stimulus in at: all, or numbers such as 0,4,8 (0 is the input)",
        ),
        Option(
            "--patch",
            "with --layers: patch the whole text, or only the cue's own place (default: text)",
            choices=("text", "cue"),
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
        "biaslab probe two-afc hf:xlm-roberta-base --kind mlm --frames de --design neutral",
    ),
    description="Estimate the point of subjective equality (PSE) and the just noticeable"
    " difference (JND) of words between pairs of cues, by a two-alternative forced choice.",
)
def run_two_afc(options: argparse.Namespace) -> None:
    """Ask a subject of any kind, and refuse options that its kind does not have."""
    import biaslab as bl
    from biaslab.atomic import write_atomically
    from biaslab.probes.psychometrics import Trials
    from biaslab.subjects.language_model.model import LanguageModel
    from biaslab.subjects.vision_language.model import VisionLanguageModel

    cues = options.cues
    if cues is not None and "," in cues:
        cues = [tuple(pair.split(",")) for pair in cues.split(";")]
    frames = frames_of(options)
    subject: Any = _subject(options)
    words, of_model = options.words, {}
    if isinstance(subject, LanguageModel):
        _refuse(options, ("portraits", "morphs", "template"), "vision-language model", "vlm")
        observers: Any = frames
        if frames is None and options.frames is not None:
            observers = frames_in_file(options.frames)
        words = words or (None if frames else words)
        of_model = {
            "observers": observers,
            "memory_mb": options.memory,
            "context": shown_progress(),
        }
        if options.layers is not None:
            of_model |= {"layers": _layers(options.layers)}
        if options.patch is not None:
            of_model |= {"patch": options.patch}
    elif isinstance(subject, VisionLanguageModel):
        _refuse(options, ("frames", "layers", "patch"), "language model", "mlm or --kind clm")
        subject = _shown(subject, options)
        words = words or list(subject.morphs.items)
        of_model = {"context": shown_progress()}
    else:
        _refuse(options, ("portraits", "morphs", "template"), "vision-language model", "vlm")
        _refuse(
            options, ("frames", "memory", "layers", "patch"), "language model", "mlm or --kind clm"
        )
        words = words or (None if isinstance(subject, Trials) else words)
    result: Any = bl.two_afc(
        subject, words, cues, levels=options.levels, rates=options.rates, **of_model
    )
    if of_model:
        finish_line()
    put_out(result, options)
    if frames is not None:
        print_crossed(result, frames)
    if options.responses_csv:
        table = frame_text(result.raw_frame())
        write_atomically(options.responses_csv, table)


def _layers(text: str) -> list[int] | str:
    """Read a choice of layers.

    Raises
    ------
    QueryError
        When it is neither all nor whole numbers.
    """
    from biaslab.errors import QueryError

    if text == "all":
        return text
    try:
        return [int(number) for number in text.split(",")]
    except ValueError as error:
        raise QueryError(
            f"--layers {text}: write all, or numbers with commas, such as 0,4,8."
        ) from error


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
    from biaslab.subjects.pretrained.kinds import holds_vision_language_model, kind_of_folder

    if options.kind == "trials":
        return Trials.read_csv(options.subject)
    folder = Path(options.subject)
    kind = options.kind or kind_of_folder(folder)
    if kind is None and holds_vision_language_model(folder):
        kind = "vlm"
    arguments = opening(options) | ({} if kind is None else {"kind": kind})
    subject: EmbeddingSubject | LanguageModel | VisionLanguageModel = bl.load(
        options.subject, **arguments
    )
    return subject
