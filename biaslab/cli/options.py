"""Options that several commands share, with the same names, help texts and values."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biaslab.cli.commands import Group, Option, flag
from biaslab.cli.output import in_shell

if TYPE_CHECKING:
    from biaslab.frames import FrameSet
    from biaslab.records.result import Result


def names(text: str) -> list[str] | None:
    """Split a text such as ``male,female``; None for an empty text."""
    return [name.strip() for name in text.split(",")] if text else None


def nonempty_names(text: str) -> list[str]:
    """Split a text such as ``es,eo``, leaving out empty names."""
    return [name.strip() for name in text.split(",") if name.strip()]


def two_names(
    option: str, text: str | None, what: str = "groups", such_as: str = "male,female"
) -> tuple[str, str] | None:
    """Split the text of an option into its two names.

    - `text`: value of the option; None if it was left out.
    - `what`, `such_as`: what the names stand for, and an example, for the message.
    - Raises `QueryError` if the text does not hold exactly two names.
    """
    from biaslab.errors import QueryError

    if text is None:
        return None
    one, *others = (name.strip() for name in text.split(","))
    if len(others) != 1:
        raise QueryError(f"{option} {text!r}: give two {what}, as in {option} {such_as}.")
    return one, others[0]


def lines(path: Path) -> list[str]:
    """Read the lines of a file, without empty ones.

    Raises `QueryError` if it cannot be read as text.
    """
    from biaslab.errors import QueryError
    from biaslab.files.tables import lines_of, read_text

    text = read_text(path, QueryError)
    return [line.strip() for line in lines_of(text) if line.strip()]


SUBJECT = Option("subject", "bundled name, file or folder")
SPEC_OF_TWO_GROUPS = "name or file of a spec with two groups, such as {}"
"""Help text of ``spec``, with a place for an example."""
GROUPS = Option("--groups", "groups of the spec to use, in order", type=names, metavar="NAME,NAME")
TWO_GROUPS = Option("--groups", "two groups of the spec", metavar="NAME,NAME")
LEVEL = Option("--level", "level of the intervals", 0.95)
RESAMPLES = Option("--resamples", "bootstrap resamples", 2000)
SEED = Option("--seed", "random seed", 0)
MEMORY = Option("--memory", "memory limit of a batch in MB", type=float, metavar="MB")
DEVICE = Option("--device", "cpu or cuda (default: the GPU if there is one)")
THREADS = Option("--threads", "number of processor threads", type=int)
MODEL_FOLDER = Option("--output", "folder for the model", required=True, metavar="FOLDER")
PORTRAIT_FOLDER = Option(
    "--data", "folder for the drawn portraits, which several runs may share", metavar="FOLDER"
)
STRENGTH = Option("--strength", "factor on the planted bias; 0 plants none", 1.0)
TEMPLATE = Option(
    "--template",
    "caption with {concept} in it, or question (repeatable)",
    action="append",
    metavar="TEXT",
)
SVG = Option("--svg", "write the chart to an SVG file", metavar="FILE")
_OPENING = (
    Option(
        "--device",
        "cpu, cuda, cuda:1 ..., or auto to spread it over all GPUs and main memory (default: the"
        " GPU if there is one)",
    ),
    Option(
        "--dtype",
        "type in which it computes (default: float32 on a CPU, as stored on a GPU)",
        choices=("float32", "float16", "bfloat16"),
    ),
    Option("--quantize", "bits of each weight, on a CUDA device", choices=("4bit", "8bit")),
    Option("--attention", "implementation of attention, such as sdpa or eager"),
    Option("--revision", "branch, tag or commit of hf:NAME (default: the newest)"),
)
MODEL = Group(
    "how a model is opened",
    *_OPENING,
    Option(
        "--chat-template",
        "how a causal model is shown a text",
        choices=("auto", "plain", "chat", "chat without system prompt"),
    ),
)
"""Options of `biaslab.load` for models."""
TRANSLATION_MODELS = Group("how translation models are opened", *_OPENING)
"""Options of `biaslab.load` for models that have no template."""


def opening(options: argparse.Namespace) -> dict[str, Any]:
    """Return the options of these groups that were given, as arguments of `biaslab.load`."""
    arguments = {
        name: getattr(options, name)
        for name in ("device", "dtype", "quantize", "attention", "revision")
    } | {"template": getattr(options, "chat_template", None)}
    return {name: value for name, value in arguments.items() if value is not None}


DESIGN = Option(
    "--design",
    "with --frames LANGUAGE: how the item stands in the sentence (default: neutral)",
    choices=("neutral", "both", "feminine", "masculine", "agreeing"),
)
NUMBER = Option(
    "--number",
    "with --frames LANGUAGE: number of the words (default: singular)",
    choices=("singular", "plural"),
)
NAMES = flag(
    "--names",
    "with --frames LANGUAGE: ask about given names of two origins, and print gender by origin",
)
OF_A_LANGUAGE = (DESIGN, NUMBER, NAMES)
"""Options of the frames of a language."""


def frames_of(options: argparse.Namespace) -> FrameSet | None:
    """Return the frames of the language in ``--frames``.

    - Returns: None where ``--frames`` is left out or names a file of sentences.
    - Raises `FrameError` when there are no such frames; `QueryError` when one of `OF_A_LANGUAGE`
      stands without a language.
    """
    from biaslab import frames
    from biaslab.errors import QueryError
    from biaslab.files.toml import ENDING

    given = options.frames
    if given is not None and (given in frames.names() or given.lower().endswith(ENDING)):
        return frames.get(
            given,
            options.design or "neutral",
            number=options.number or "singular",
            cues="names" if options.names else "words",
        )
    choices = [name for name in ("design", "number", "names") if getattr(options, name)]
    if choices:
        raise QueryError(
            f"--{choices[0]} chooses among the frames of a language. Add --frames LANGUAGE: one of"
            f" {', '.join(frames.names())}, or a {ENDING} file."
        )
    return None


def frames_in_file(given: str) -> list[str]:
    """Return the sentences in the file that ``--frames`` names.

    Raises `QueryError` when there is no such file, or it cannot be read.
    """
    from biaslab import frames
    from biaslab.errors import QueryError

    file = Path(given).expanduser()
    if not file.exists():
        raise QueryError(
            f"--frames {given}: there is no such language and no such file. The languages are"
            f" {', '.join(frames.names())}."
        )
    return lines(file)


def print_crossed(result: Result, frames: FrameSet) -> None:
    """Print the effects of gender and origin, where the cues are names of both."""
    from biaslab.probes.psychometrics import TwoAFCResult
    from biaslab.probes.sentences import StereotypeScore

    if frames.cues_are == "names" and isinstance(result, TwoAFCResult | StereotypeScore):
        print(f"\n{in_shell(result.crossed_groups(frames.factors).summary())}")
