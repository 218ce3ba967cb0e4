"""``biaslab subjects``: list subjects, show one, and add your own."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from biaslab.cli.commands import Family, Option, command, flag
from biaslab.cli.options import MODEL, opening
from biaslab.cli.output import JSON, Column, print_json, print_table
from biaslab.errors import QueryError, SubjectError


def _kind_title(kind: str) -> str:
    # Imported late, with numpy, so that other commands do not wait for it.
    from biaslab.subjects.opening.needs import KIND_TITLES

    return KIND_TITLES.get(kind, kind)


_COLUMNS = (
    Column("name"),
    Column("kind", 1, _kind_title),
    Column("size", 2),
    Column("source", is_wide=True),
)


@command(
    "list",
    "list the bundled subjects and your own",
    Option("words", "words that each occur in a row", nargs="*", metavar="WORD"),
    JSON,
    examples=("biaslab subjects", "biaslab subjects list model --json"),
    description="List the bundled subjects and your own. In a pipe each subject is one line with a"
    " tab between the columns name, kind, size and source.",
)
def list_subjects(options: argparse.Namespace) -> None:
    """Print a table of subjects."""
    words = [word.casefold() for word in options.words]
    rows = [row for row in _rows() if _holds(row, words)]
    if options.json:
        print_json(rows)
    elif not rows:
        raise QueryError(
            f"No subject matches {' '.join(options.words)!r}. `biaslab subjects` lists all."
        )
    else:
        print_table(rows, _COLUMNS)


@command(
    "show",
    "say what a subject is, and what it can be asked",
    Option("subject", "name of a subject, file, folder or hf:NAME"),
    JSON,
    examples=("biaslab subjects show wiki-mlm", "biaslab subjects show vectors.txt"),
    description="Say what a subject is, and what it can be asked, without loading it.",
)
def show_subject(options: argparse.Namespace) -> None:
    """Print what is known of one subject."""
    import biaslab as bl

    info = bl.subjects.inspect(options.subject)
    if options.json:
        fits = {fit.name: {"fits": fit.fits, "reason": fit.reason} for fit in info.questions}
        facts = ("words", "dimensions", "parameters", "replicates", "format", "dtype")
        more = {name: getattr(info, name) for name in facts}
        print_json({**_row(info), **more, "labels": list(info.labels), "benches": fits})
        return
    print(f"{info.name}: {info.summary()}")
    print(f"source: {_source(info)}")
    for fit in info.questions:
        print(f"{fit.name + ':':14}{'yes' if fit.fits else f'no, {fit.explanation}'}")


@command(
    "add",
    "remember a subject of your own under a name",
    Option("source", "embedding file, folder of an ensemble or a model, spacy:NAME, or hf:NAME"),
    Option("--name", "its name (default: the name of the file or folder)"),
    Option("--kind", "encoder, or embedding for a model's input (default: the one found)"),
    flag("--hub", "ask the Hugging Face hub about hf:NAME"),
    MODEL,
    examples=("biaslab subjects add vectors.txt --name mine",),
    description="Remember a subject of your own under a name, for all commands and benches.",
)
def add_subject(options: argparse.Namespace) -> None:
    """Remember one subject."""
    import biaslab as bl

    subject = bl.subjects.add(
        options.source, options.name, kind=options.kind, hub=options.hub, options=opening(options)
    )
    print(f"Added {subject.name}: {bl.subjects.inspect(subject.name).summary()}")


@command(
    "remove",
    "forget subjects of your own; their files stay",
    Option("names", "names of your own subjects", nargs="+", metavar="NAME"),
    examples=("biaslab subjects remove mine",),
)
def remove_subjects(options: argparse.Namespace) -> None:
    """Forget subjects."""
    import biaslab as bl

    for name in options.names:
        bl.subjects.library.remove(name)
        print(f"Removed {name}.")


SUBJECTS = Family(
    "subjects",
    "list subjects, show one, and add your own",
    (list_subjects, show_subject, add_subject, remove_subjects),
    default="list",
)


def _rows() -> Iterator[dict[str, Any]]:
    import biaslab as bl

    for name in (*bl.subjects.bundled_names(), *bl.subjects.library.own_subjects()):
        try:
            yield _row(bl.subjects.inspect(name))
        except SubjectError as error:  # such as one whose file has been moved
            subject = bl.subjects.library.own_subject(name)
            kind, source = (subject.kind, subject.source) if subject else ("", "")
            yield {
                "name": name,
                "kind": kind,
                "size": "",
                "bytes": 0,
                "source": source,
                "problem": str(error),
            }


def _row(info: Any) -> dict[str, Any]:
    return {
        "name": info.name,
        "kind": info.kind,
        "size": info.facts,
        "bytes": info.bytes,
        "source": _source(info),
        "problem": "",
    }


def _source(info: Any) -> str:
    import biaslab as bl

    return "bundled" if info.name in bl.subjects.bundled_names() else info.source


def _holds(row: dict[str, Any], words: list[str]) -> bool:
    text = " ".join(map(str, row.values())).casefold()
    return all(word in text for word in words)
