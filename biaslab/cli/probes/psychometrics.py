"""Points of subjective equality: ``biaslab probe two-afc``, ``occupations``, ``trace``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biaslab.cli.commands import Group, Option, command, flag, given
from biaslab.cli.options import (
    MEMORY,
    MODEL,
    OF_A_LANGUAGE,
    SUBJECT,
    SVG,
    TEMPLATE,
    frames_in_file,
    frames_of,
    lines,
    opening,
    print_crossed,
)
from biaslab.cli.output import OUTPUTS, put_out, shown_progress
from biaslab.errors import QueryError
from biaslab.files.csv_text import frame_text

if TYPE_CHECKING:
    from biaslab.probes.occupations import OutsideTable
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
    Option("--levels", "stimulus levels from cue 1 to cue 2 (default: 21)", type=int),
    Option(
        "--lapses",
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
    from biaslab.files.atomic import write_atomically
    from biaslab.probes.psychometrics import FramedModel, Trials
    from biaslab.subjects.language_model.model import LanguageModel
    from biaslab.subjects.vision_language.model import VisionLanguageModel

    cues = options.cues
    if cues is not None and "," in cues:
        cues = [tuple(pair.split(",")) for pair in cues.split(";")]
    frames = frames_of(options)
    subject: Any = _subject(options)
    probe: Any = bl.two_afc
    words, arguments = options.words, given(options, "levels", "lapses")
    if isinstance(subject, LanguageModel):
        _refuse(options, ("portraits", "morphs", "template"), "vision-language model", "vlm")
        observers: Any = frames
        if frames is None and options.frames is not None:
            observers = frames_in_file(options.frames)
        words = words or (None if frames else words)
        if options.memory is None:
            arguments |= {"observers": observers}
        else:
            subject = FramedModel(subject, observers, memory_mb=options.memory)
        if options.layers is not None:
            probe = bl.two_afc_layers
            arguments |= {"layers": _layers(options.layers), "patch": options.patch or "text"}
        elif options.patch is not None:
            raise QueryError("--patch says how layers are patched. Add --layers all.")
    elif isinstance(subject, VisionLanguageModel):
        _refuse(options, ("frames", "layers", "patch"), "language model", "mlm or --kind clm")
        subject = _shown(subject, options)
        words = words or list(subject.morphs.items)
    else:
        _refuse(options, ("portraits", "morphs", "template"), "vision-language model", "vlm")
        _refuse(
            options, ("frames", "memory", "layers", "patch"), "language model", "mlm or --kind clm"
        )
        words = words or (None if isinstance(subject, Trials) else words)
    with shown_progress():
        result = probe(subject, words, cues, **arguments)
    put_out(result, options)
    if frames is not None:
        print_crossed(result, frames)
    if options.responses_csv:
        table = frame_text(result.raw_frame())
        write_atomically(options.responses_csv, table)


def _layers(text: str) -> list[int] | str:
    """Read a choice of layers.

    Raises `QueryError` when it is neither all nor whole numbers.
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
    from biaslab.subjects.pretrained.kinds import kind_of_folder

    if options.kind == "trials":
        return Trials.read_csv(options.subject)
    kind = options.kind or kind_of_folder(Path(options.subject))
    arguments = opening(options) | ({} if kind is None else {"kind": kind})
    subject: EmbeddingSubject | LanguageModel | VisionLanguageModel = bl.load(
        options.subject, **arguments
    )
    return subject


@command(
    "occupations",
    "where words switch between two groups (PSE, JND), compared with outside data",
    SUBJECT,
    Option("--words", "spec, text file with one word per line, or word,word,...", "occupations"),
    Option("--groups", "spec, or name=cue,cue;name=cue,cue", "gender-pairs"),
    Option(
        "--pairing",
        "cue pairs: first with first, second with second ...; all with all; or the mean vector of"
        " each group",
        "matched",
        choices=("matched", "all", "sets"),
    ),
    Option(
        "--reference",
        "what leans are measured against: even (50 %%), words (the other words), or control words"
        " as a spec, text file or word,word,...",
        "even",
    ),
    Option(
        "--outside",
        "CSV file, spec/column, or none (default: labour statistics for gender groups)",
        "auto",
    ),
    Option("--word-column", "word column of the CSV", "", metavar="NAME"),
    Option("--value-column", "value column of the CSV", "", metavar="NAME"),
    Option("--of", "group whose share the CSV's values give", "", metavar="GROUP"),
    Option("--unit", "unit of the CSV's values: percent, share or other", ""),
    flag("--compare", "also compare the PSE with other measures (WEAT, cosines) on the same words"),
    SVG,
    *OUTPUTS,
    examples=(
        "biaslab probe occupations wiki-bootstraps --compare --svg occupations.svg",
        "biaslab probe occupations vectors.txt --words nurse,engineer,clerk --outside none",
    ),
    description="Estimate the point of subjective equality (PSE) and the just noticeable"
    " difference (JND) of many words between two groups, and correlate them with outside data"
    " such as labour statistics.",
)
def place_words(options: argparse.Namespace) -> None:
    """Estimate where words switch, and compare with outside data."""
    import biaslab as bl

    with shown_progress():
        result = bl.occupations(
            bl.load(options.subject),
            _words(options.words),
            groups_of(options.groups),
            pairing=options.pairing,
            reference=_words(options.reference),
            outside=_outside(options),
        )
    put_out(result, options)
    if options.compare:
        for which in range(len(result.combinations)):
            print()
            for row in result.comparison(which):
                ends = row.pearson_interval
                print(
                    f"{row.measure:30} r = {row.pearson:6.3f} ({ends.low:.2f} to {ends.high:.2f})"
                )
            print(result.comparison_verdict(which))
    if options.svg:
        result.to_svg(options.svg)


def _words(text: str) -> str | list[str]:
    path = Path(text)
    if path.is_file():
        return lines(path)
    return text.split(",") if "," in text else text


def groups_of(text: str) -> str | dict[str, list[str]]:
    """Parse groups: the name of a spec, or ``name=word,word;name=word,word``.

    Raises `QueryError` if a part is not of this form, or a name occurs twice.
    """
    if "=" not in text:
        return text
    groups: dict[str, list[str]] = {}
    for part in text.split(";"):
        name, mark, cues = part.partition("=")
        if not mark or name.strip() in groups:
            raise QueryError(
                f"{part!r} in --groups is not a new group with its words. Write them as in"
                " female=she,her;male=he,him."
            )
        groups[name.strip()] = cues.split(",")
    return groups


def _outside(options: argparse.Namespace) -> OutsideTable | str | None:
    import biaslab as bl

    if options.outside == "none":
        return None
    if not Path(options.outside).is_file():
        return str(options.outside)
    return bl.probes.occupations.OutsideTable.read_csv(
        Path(options.outside),
        word=options.word_column,
        value=options.value_column,
        of=options.of,
        unit=options.unit,
    )


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
    Option(
        "--leave-out",
        "really leave this many passages and blocks out each way",
        0,
        former="--check",
    ),
    Option("--level", "level of the intervals", 0.95),
    Option("--memory", "memory for the counts in MB", 2000.0, metavar="MB"),
    *OUTPUTS,
    examples=("biaslab probe trace wiki-bootstraps electrician --cues she,he --leave-out 10",),
    description="Find the passages that pull the point of subjective equality (PSE) of a word most"
    " toward each cue (after Brunet et al. 2019), and check it by really leaving passages out.",
)
def trace_word(options: argparse.Namespace) -> None:
    """Trace a word, and print the passages."""
    import biaslab as bl

    cues = options.cues
    if "," in cues:
        cues = [tuple(pair.split(",")) for pair in cues.split(";")]
    with shown_progress():
        result = bl.trace(
            options.subject,
            options.word,
            cues,
            memory_mb=options.memory,
            **given(options, "counts", "passages", "leave_out", "level"),
        )
    put_out(result, options)
