"""``bl.report`` and ``bl.model_card``: what was found, for other people."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from typing import overload

from biaslab.files.atomic import check_ending, written
from biaslab.records.result import Result
from biaslab.reports.document import document
from biaslab.reports.exchange import model_index
from biaslab.reports.run_entry import RunEntry, entries_of
from biaslab.reports.tables import estimates_of, intervals_of
from biaslab.store import Store

_CARD_ROWS = 20


@overload
def report(
    results: Result | str | Iterable[Result | str],
    path: None = None,
    title: str = "",
    *,
    store: Store | None = None,
) -> str: ...
@overload
def report(
    results: Result | str | Iterable[Result | str],
    path: str | os.PathLike[str],
    title: str = "",
    *,
    store: Store | None = None,
) -> None: ...
def report(
    results: Result | str | Iterable[Result | str],
    path: str | os.PathLike[str] | None = None,
    title: str = "",
    *,
    store: Store | None = None,
) -> str | None:
    """Write one or more runs as one HTML file: findings, charts, tables, limits, provenance.

    It prints on A4 and Letter, and needs no other file and no network. Two runs that
    `biaslab.compare` can compare are compared.

    Parameters
    ----------
    results : Result, str, or several of them
        Results, or ids of runs. A run given by its id is shown with the
        command that makes it again.
    path : path, optional
        Of a file that it is written to (whole or not at all).
    title : str
        By default the finding of the first run, or of the comparison.
    store : Store, optional
        Where ids are looked up; by default the person's own store.

    Returns
    -------
    str or None
        The document where no path is given.

    Raises
    ------
    ArgumentError
        If there is nothing to report, or something that is no result.
    StoreError
        If there is no run with an id.
    WriteError
        If the file cannot be written.
    """
    check_ending(path, {".html": "bl.report()"})
    return written(document(entries_of(results, store), title), path)


def report_of_one(result: Result) -> str:
    """Return the report of one result; see `Result.report`."""
    return document([RunEntry(result)])


def model_card(
    results: Result | str | Iterable[Result | str], *, eval_results: bool = False
) -> str:
    """Write a section on bias for a model card, in Markdown.

    Each run has its finding, its table of estimates with intervals, its limits and what it was
    made with.

    Parameters
    ----------
    results : Result, str, or several of them
        As of `report`.
    eval_results : bool
        Whether the estimates also stand at the top as metadata: the ``model-index`` that Hugging
        Face reads from a model card.

    Returns
    -------
    str

    Raises
    ------
    ArgumentError
        If there is nothing to report, or something that is no result.
    StoreError
        If there is no run with an id.
    """
    runs = entries_of(results)
    lines = ["## Bias", ""]
    if eval_results:
        index = model_index(run.result for run in runs)
        # JSON is YAML.
        lines[:0] = ["---", f"model-index: {json.dumps(index)}", "---", ""]
    for run in runs:
        lines += _section(run)
    return "\n".join(lines).rstrip() + "\n"


def _section(run: RunEntry) -> Iterator[str]:
    result, origin = run.result, run.result.provenance
    yield f"### {_text(origin.subject)}: {_text(origin.probe)}"
    yield ""
    yield _text(" ".join(result.verdict()))
    yield ""
    table = estimates_of(result, _CARD_ROWS)
    yield f"| {' | '.join(map(_text, table.heads))} |"
    yield f"|{'|'.join('---:' if one else '---' for one in table.is_number)}|"
    for row in table.rows:
        yield f"| {' | '.join(map(_text, row))} |"
    yield ""
    yield f"Estimates with {intervals_of(result)}."
    if table.same:
        yield _text(table.same_text)
    yield ""
    if table.left_out:
        yield f"The first {_CARD_ROWS} of {_CARD_ROWS + table.left_out} rows."
        yield ""
    for one in run.limits:
        yield f"- {_text(one)}"
    for why, terms in run.left_out:
        yield f"- Left out: {_text(why)}: {_text(terms)}"
    versions = ", ".join(f"{name} {one}" for name, one in origin.versions.items())
    made = [f"biaslab {origin.versions.get('biaslab', '')}".strip(), origin.time[:10]]
    if origin.subject_hash:
        made.append(f"subject `{origin.subject_hash}`")
    yield f"- Made with {', '.join(filter(None, made))} ({versions})."
    if run.again:
        yield ""
        yield "```"
        yield run.again
        yield "```"
    yield ""


def _text(text: str) -> str:
    """Text that Markdown shows as it is, also within a table."""
    text = text.replace("\n", " ")
    for sign in "\\`*_[]<>|#":
        text = text.replace(sign, f"\\{sign}")
    return text
