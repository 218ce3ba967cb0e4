"""Output of commands: results, tables, progress, and messages in the words of a shell."""

from __future__ import annotations

import argparse
import codecs
import io
import json
import re
import shutil
import sys
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from biaslab.cli.commands import Option, flag
from biaslab.jobs.context import reporting_to
from biaslab.jobs.showing import is_terminal, showing

if TYPE_CHECKING:
    from biaslab.records.result import Result
    from biaslab.reports.chart import Chart


_PROBES: Final = {
    "two_afc": "probe two-afc",
    "occupations": "probe occupations",
    "weat": "probe weat",
    "mac": "probe mac",
    "distance_model": "probe distances",
    "association.seat": "probe seat",
    "association.ceat": "probe ceat",
    "association.list_length": "probe list-length",
    "association.suggest_words": "probe suggest-words",
    "association.residual": "probe residual",
    "sample_posterior": "probe posterior",
    "stereotype_score": "probe sentences",
    "image_association": "probe images",
    "rate": "probe rate",
    "trace": "probe trace",
    "debias": "debias",
    "treat": "treat",
    "probes.similarity.word_similarity": "evaluate",
    "compare": "compare",
    "opinion": "opinion",
    "sensitivity": "sensitivity",
}
"""Functions of ``bl``, and the commands that call them."""


_PLAIN: Final = str.maketrans(
    {
        "−": "-", "–": "-", "—": "-", "‘": "'", "’": "'", "“": '"', "”": '"', "…": "...",
        "±": "+/-", "≤": "<=", "≥": ">=", "×": "x", "→": "->", "←": "<-",
    }
)  # fmt: skip
"""Characters of an older console for those that it cannot write."""


def write_anything() -> None:
    """Let output be written to a console or file in any encoding, such as Windows' cp1252."""
    codecs.register_error("biaslab", _in_plain_letters)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="biaslab")


def _in_plain_letters(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    plain = unicodedata.normalize("NFKD", text.translate(_PLAIN))
    encoded = plain.encode("ascii", "ignore").decode() if plain.strip() else ""
    return encoded or text.encode("ascii", "backslashreplace").decode(), error.end


def _command(match: re.Match[str]) -> str:
    command = _PROBES.get(match[1])
    return f"`biaslab {command}`" if command else match[0]


_WORDS: Final[tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...]] = (
    (r"(?<![\w.])runs\(\) lists all runs", "`biaslab runs` lists all runs"),
    (r"(?<![\w.])restore\('([^']*)'\) brings", r"`biaslab runs restore \1` brings"),
    (r"bl\.specs\.catalog\(\) lists", "`biaslab specs` lists"),
    (r"bl\.subjects\.library\.own_subjects\(\) lists", "`biaslab subjects` lists"),
    (r"when it is opened: bl\.load\('[^']*'\)", "when a probe opens it by this name"),
    (r"(Pass|Open one with) bl\.load\('([^']*)'\)", r"Give \2"),
    (r"bl\.load\('([^']*)'\)", r"\1"),
    (r",? or wrap a torch module in TorchClassifier", ""),
    (r"\bsee \.?dropped\b", "--json gives all"),
    (r"(?<!\w)\.dropped lists", "--json lists"),
    (r"\bdefining=\[\('she', 'he'\), \.\.\.\]", "--defining 'she,he;woman,man'"),
    (r"\bto_svg\(\) writes", "--svg writes"),
    (r", or call to_pdf\(\) for \.pdf, to_png\(\) for \.png", ""),
    (r"\bbl\.(\w+(?:\.\w+)*)", _command),
)
"""Patterns of Python, and what stands in their place."""


def in_shell(text: str, *, options: Collection[str] = ()) -> str:
    """Return a message with commands in place of Python where there is one for it.

    Parameters
    ----------
    text : str
        The message.
    options : collection of str
        Of the command that it is for, as Python names them: a keyword among them becomes an option.

    Examples
    --------
    >>> in_shell("There is no run 'x'. runs() lists all runs.")
    "There is no run 'x'. `biaslab runs` lists all runs."
    """
    for pattern, words in _WORDS:
        text = re.sub(pattern, words, text)
    for name in options:
        option = f"--{name.replace('_', '-')}"
        text = re.sub(rf"(?<![\w-]){name}='(\w+)'", rf"{option} \1", text)
        text = re.sub(rf"(?<![\w-]){name}=(?=[\s.,;:)]|$)", option, text)
    return text


@contextmanager
def shown_progress() -> Iterator[None]:
    """Show the progress of probes in this block if standard error is a terminal."""
    with showing() if is_terminal() else reporting_to(None):
        yield


JSON = flag("--json", "print one JSON document")
_GAP = 2
_LONGEST = 24
_WIDEST_NEED = 30
"""Cells that the widest column gets before other columns are left out."""

Row = Mapping[Any, Any]


def _written(value: Any) -> str:
    if value is None:
        return ""
    text = ",".join(value) if isinstance(value, list | tuple) else str(value)
    return " ".join(text.split())


@dataclass(frozen=True)
class Column:
    """A column of a table.

    - `name`: its heading, and the key of its values in a row.
    - `rank`: a narrow terminal leaves out the columns of the highest ranks; rank 0 stays.
    - `short`: how a terminal shows a value. A pipe has it in full.
    - `is_wide`: whether its texts are cut where the terminal is too narrow; one column of a table.
    """

    name: str
    rank: int = 0
    short: Callable[[Any], str] = _written
    is_wide: bool = False


def cut(value: Any) -> str:
    """Return a text that leaves room for other columns."""
    text = _written(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def print_json(value: Any) -> None:
    """Print one JSON document."""
    print(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False))


def print_table(rows: Sequence[Row], columns: Sequence[Column]) -> None:
    """Print rows: fitted to the width of a terminal, or one tab-separated line each in a pipe."""
    if sys.stdout.isatty():
        _print_fitted(rows, columns)
        return
    for row in rows:
        print("\t".join(_written(row[column.name]) for column in columns))


def _print_fitted(rows: Sequence[Row], columns: Sequence[Column]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    # Rich takes 80 columns for a simple terminal, whatever COLUMNS says.
    width, height = shutil.get_terminal_size()
    console = Console(file=sys.stdout, highlight=False, width=width, height=height)
    texts = {c.name: [c.short(row[c.name]) for row in rows] for c in columns}
    shown = _fitting(texts, columns, width)
    widths = {c.name: _width(c, texts) for c in shown}
    too_wide = sum(widths.values()) + _GAP * (len(shown) - 1) - width
    for column in shown:
        if column.is_wide and too_wide > 0:
            widths[column.name] = max(1, widths[column.name] - too_wide)
    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="bold")
    for column in shown:
        table.add_column(column.name, no_wrap=True, overflow="ellipsis", width=widths[column.name])
    for place in range(len(rows)):
        table.add_row(*(Text(texts[column.name][place]) for column in shown))
    console.print(table)


def _fitting(
    texts: Mapping[str, Sequence[str]], columns: Sequence[Column], width: int
) -> list[Column]:
    """Return the columns that have values and fit side by side."""
    shown = [column for column in columns if any(texts[column.name])]

    def needed() -> int:
        widths = (
            min(_width(column, texts), _WIDEST_NEED if column.is_wide else width)
            for column in shown
        )
        return sum(widths) + _GAP * (len(shown) - 1)

    while needed() > width and (last := max(shown, key=lambda column: column.rank)).rank:
        shown.remove(last)
    return shown


def _width(column: Column, texts: Mapping[str, Sequence[str]]) -> int:
    from rich.cells import cell_len

    return max(map(cell_len, (column.name, *texts[column.name])))


PRINTED = Path("-")
"""In place of a file: the document is printed."""
OUTPUTS = (
    Option("--csv", "write the estimates to a CSV file", metavar="FILE"),
    Option(
        "--json",
        "write the whole result to a JSON file; without FILE print it, and all else to standard"
        " error",
        nargs="?",
        const=PRINTED,
        metavar="FILE",
    ),
    flag("--save", "save the run; 'biaslab runs' lists saved runs"),
)


def put_out(result: Result, options: argparse.Namespace) -> None:
    """Print the summary and write the requested files."""
    print(in_shell(result.summary()))
    write_outputs(result, options)


def write_outputs(result: Result, options: argparse.Namespace) -> None:
    """Write the requested files, and save the run if requested."""
    if options.csv:
        result.to_csv(options.csv)
    if options.json == PRINTED:
        print(result.to_json(), file=options.document)
    elif options.json:
        result.to_json(options.json)
    if options.save:
        print(f"Saved as run {result.save()}.")


def put_out_side_by_side(
    results: Sequence[Any],
    options: argparse.Namespace,
    chart: Callable[[Sequence[Any]], Chart],
    raw_csv: Path | None,
) -> None:
    """Print the results of several models and their differences, and write the requested files.

    - `results`: the first is the one that the others are compared with, and the one that is saved.
    - `chart`: draws all results in one chart.
    - `raw_csv`: file for the raw observations of all.
    """
    first, *others = results
    put_out(first, options)
    for other in others:
        print(f"\n{in_shell(other.summary())}")
        print(first.compared_with(other, resamples=options.resamples, rng=options.seed).summary())
    if raw_csv:
        import pandas as pd

        from biaslab.files.atomic import write_atomically
        from biaslab.files.csv_text import frame_text

        tables = [one.raw_frame().assign(model=one.provenance.subject) for one in results]
        write_atomically(raw_csv, frame_text(pd.concat(tables, ignore_index=True)))
    if options.svg:
        from biaslab.files.atomic import write_atomically
        from biaslab.reports import svg

        write_atomically(options.svg, svg.paint(chart(results)))
