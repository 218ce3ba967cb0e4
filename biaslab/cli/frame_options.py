"""Options that choose the frames of a language, shared by the probes that take them."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from biaslab.cli.commands import Option, flag
from biaslab.cli.shell_words import in_shell
from biaslab.cli.texts import lines

if TYPE_CHECKING:
    from biaslab.frames import FrameSet
    from biaslab.results import Result

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

    Returns
    -------
    FrameSet or None
        None where ``--frames`` is left out or names a file of sentences.

    Raises
    ------
    FrameError
        When there are no such frames.
    QueryError
        When one of `OF_A_LANGUAGE` stands without a language.
    """
    from biaslab import frames
    from biaslab.errors import QueryError
    from biaslab.toml_files import ENDING

    given = options.frames
    if given is not None and (given in frames.names() or given.lower().endswith(ENDING)):
        return frames.get(
            given,
            options.design or "neutral",
            number=options.number or "singular",
            cues="names" if options.names else "words",
        )
    asked = [name for name in ("design", "number", "names") if getattr(options, name)]
    if asked:
        raise QueryError(
            f"--{asked[0]} chooses among the frames of a language. Add --frames LANGUAGE: one of"
            f" {', '.join(frames.names())}, or a {ENDING} file."
        )
    return None


def frames_in_file(given: str) -> list[str]:
    """Return the sentences in the file that ``--frames`` names.

    Raises
    ------
    QueryError
        When there is no such file, or it cannot be read.
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
