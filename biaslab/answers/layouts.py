"""Rows of the logs that two evaluation programs write: Inspect, and lm-evaluation-harness.

Only the fields that say who was asked what, and what was answered, become columns; a nested record
becomes one column for each of its fields.
"""

from __future__ import annotations

import io
import math
import re
import struct
import zipfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from biaslab.errors import AnswersError, MissingExtraError
from biaslab.files.given import LARGEST, parse_json
from biaslab.files.tables import Row
from biaslab.jobs.context import current_context

INSPECT_VERSIONS: Final = (1, 2)
"""Versions of Inspect's logs that are read."""
BENCHMARK_COLUMNS: Final[Mapping[str, frozenset[str]]] = {
    "BBQ": frozenset(
        {"context_condition", "question_polarity", "ans0", "ans1", "ans2", "label"}
    ),
    "CrowS-Pairs": frozenset({"sent_more", "sent_less"}),
    "Winogender": frozenset({"occupation", "participant", "gender", "label"}),
    "WinoBias": frozenset({"stereotype", "label", "type"}),
    "discrim-eval": frozenset({"decision_question_id", "race", "gender", "age", "log-likelihoods"}),
}  # fmt: skip
"""By the name of a published benchmark, the columns that every file of its answers has."""
_MOST_SAMPLES: Final = 200_000
_MOST_BYTES: Final = 16 * LARGEST
_ZSTANDARD: Final = 93
"""Inspect packs members of its logs with Zstandard since 2026; Python's zipfile cannot."""


def inspect_rows(content: bytes, name: str) -> list[Row]:
    """Return the samples of an Inspect log, of either format.

    Raises `AnswersError` if the log is of another version, was not finished, or is damaged.
    """
    try:
        if content.startswith(b"PK"):
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                return _archive_rows(content, archive, name)
        log = parse_json(content)
        _check_version(log, name)
        return [_sample(log, one) for one in log.get("samples") or ()]
    except (zipfile.BadZipFile, ValueError, KeyError, struct.error, AttributeError) as error:
        if isinstance(error, AnswersError):
            raise
        raise AnswersError(f"{name} is a damaged Inspect log ({error}). Copy it again.") from error


def _archive_rows(content: bytes, archive: zipfile.ZipFile, name: str) -> list[Row]:
    members = {one.filename: one for one in archive.infolist()}
    if "header.json" not in members:
        raise AnswersError(
            f"{name} has no header.json: it is no Inspect log, or its run was not finished. Finish"
            " the run with 'inspect eval-retry', or export the samples as JSON lines."
        )
    samples = [one for path, one in members.items() if path.startswith("samples/")]
    if len(samples) > _MOST_SAMPLES or sum(one.file_size for one in samples) > _MOST_BYTES:
        raise AnswersError(
            f"{name} holds {len(samples):,} samples, {_MOST_BYTES / 1e9:.0f} GB or more than"
            f" {_MOST_SAMPLES:,}. Export the columns that matter as JSON lines."
        )
    log = parse_json(_member(content, archive, members["header.json"], name))
    _check_version(log, name)
    context, rows = current_context(), []
    for number, one in enumerate(samples, start=1):
        context.checkpoint()
        context.report(number, len(samples), "reading samples")
        rows.append(_sample(log, parse_json(_member(content, archive, one, name))))
    return rows


def _member(content: bytes, archive: zipfile.ZipFile, one: zipfile.ZipInfo, name: str) -> bytes:
    """Return the content of a member, which may be packed with Zstandard."""
    if one.file_size > LARGEST:
        raise AnswersError(f"{name}: {one.filename} has more than {LARGEST / 1e6:,.0f} MB.")
    if one.compress_type != _ZSTANDARD:
        with archive.open(one) as file:
            return file.read(LARGEST)
    try:
        import pyarrow as pa
    except ImportError as error:
        raise MissingExtraError(
            f"{name} is packed with Zstandard: pip install 'biaslab[parquet]'"
        ) from error
    lengths = struct.unpack_from("<HH", content, one.header_offset + 26)
    start = one.header_offset + 30 + sum(lengths)
    packed = pa.BufferReader(content[start : start + one.compress_size])
    try:
        return bytes(pa.CompressedInputStream(packed, "zstd").read(one.file_size))
    except OSError as error:
        raise AnswersError(f"{name}: {one.filename} is damaged ({error}).") from error


def _check_version(log: Mapping[str, Any], name: str) -> None:
    version = log.get("version")
    if version not in INSPECT_VERSIONS:
        raise AnswersError(
            f"{name} is an Inspect log of version {version}; versions"
            f" {' and '.join(map(str, INSPECT_VERSIONS))} are read. Export its samples as JSON"
            " lines, with the columns group and answer, or convert it with 'inspect log convert'."
        )


def _sample(log: Mapping[str, Any], sample: Mapping[str, Any]) -> Row:
    task, output = log["eval"], sample.get("output") or {}
    choices, scores = sample.get("choices") or (), sample.get("scores") or {}
    reply = "" if sample.get("error") else output.get("completion")
    if reply is None and output.get("choices"):
        reply = _content(output["choices"][0].get("message", {}).get("content"))
    answer = next((one.get("answer") for one in scores.values()), None)
    place = (
        ord(answer) - ord("A") if choices and isinstance(answer, str) and len(answer) == 1 else -1
    )
    return _flat(
        {
            "reply": choices[place] if 0 <= place < len(choices) else reply,
            "model": task.get("model"),
            "task": task.get("task"),
            "id": sample.get("id"),
            "epoch": sample.get("epoch"),
            "input": _content(sample.get("input")),
            "choices": choices or None,
            "target": sample.get("target"),
        },
        sample.get("metadata") or {},
        {f"score {key}": one.get("value") for key, one in scores.items()},
    )


def _content(value: Any) -> Any:
    """Return the text of a message, or of the last one of a conversation."""
    if isinstance(value, list) and value and isinstance(value[-1], Mapping):
        parts = value[-1].get("content", value[-1].get("text", ""))
        return _content(parts)
    return value


def is_harness(row: Mapping[str, Any]) -> bool:
    """Return whether a row is a sample that lm-evaluation-harness logged."""
    return {"doc_id", "doc", "resps"} <= set(row)


def harness_rows(rows: Sequence[Row]) -> list[Row]:
    """Return the samples that lm-evaluation-harness logged, one for each answered question.

    Of a choice by likelihood the reply is the most probable option, and the column
    ``log-likelihoods`` holds those of all options.
    """
    return [_harness_row(row) for row in rows]


def _harness_row(row: Row) -> Row:
    replies = row.get("filtered_resps") or row["resps"]
    options = [str(one).strip() for one in _last_arguments(row.get("arguments"))]
    scores = [score for one in replies if (score := _likelihood(one)) is not None]
    known: Row = {"reply": None, "doc_id": row["doc_id"], "target": row.get("target")}
    if scores and len(scores) == len(replies):
        known["log-likelihoods"] = scores
        if len(options) == len(scores) and all(map(math.isfinite, scores)):
            known |= {"options": options, "reply": options[scores.index(max(scores))]}
    else:
        first = replies[0]
        known["reply"] = first[0] if isinstance(first, list) and first else first
    metrics = {name: row[name] for name in row.get("metrics") or () if name in row}
    doc = row["doc"] if isinstance(row["doc"], Mapping) else {"doc": row["doc"]}
    return _flat(known, doc, metrics | {"filter": row.get("filter")})


def _last_arguments(arguments: Any) -> Iterator[Any]:
    """Yield the continuation of each request, in either layout of the harness."""
    requests = arguments.values() if isinstance(arguments, Mapping) else arguments or ()
    for one in requests:
        parts = list(one.values()) if isinstance(one, Mapping) else one
        if isinstance(parts, list) and len(parts) > 1:
            yield parts[1]


def _likelihood(reply: Any) -> float | None:
    """Return the log-likelihood in the reply to one option; None if it is a text."""
    value = reply[0] if isinstance(reply, list) and len(reply) == 2 else reply
    try:
        return float(value) if isinstance(reply, list) else None
    except (TypeError, ValueError):
        return None


def benchmark_name(columns: Collection[str]) -> str | None:
    """Return the published benchmark whose columns a file has; None if it is of none."""
    known = BENCHMARK_COLUMNS.items()
    return next((name for name, own in known if own.issubset(columns)), None)


_SENTENCE_ID: Final = re.compile(
    r"(?P<occupation>[^.]+)\.(?P<participant>[^.]+)\.(?P<label>[01])\.(?P<gender>[a-z]+)(?:\.txt)?"
)


def with_parts_of_ids(rows: list[Row]) -> list[Row]:
    """Return rows with the parts of Winogender's sentence ids as columns.

    The published sentences have no others: ``cook.guest.1.female.txt`` names the occupation, the
    participant, whom the pronoun means (1: the participant), and its gender.
    """
    if "sentid" not in rows[0] or "occupation" in rows[0]:
        return rows
    ids = [_SENTENCE_ID.fullmatch(str(row.get("sentid"))) for row in rows]
    return [row | one.groupdict() if one else row for row, one in zip(rows, ids, strict=True)]


def _flat(first: Mapping[str, Any], *others: Mapping[str, Any]) -> Row:
    """Return records as one row; a name that is taken has a number after it."""
    row = dict(first)
    for other in others:
        for name, value in other.items():
            row[name if name not in row else f"{name} 2"] = value
    return row


def is_inspect(content: bytes, path: Path) -> bool:
    """Return whether a file is a log of Inspect."""
    if content.startswith(b"PK"):  # so do spreadsheets
        return path.suffix.lower() == ".eval" or b"header.json" in content
    return path.suffix.lower() == ".json" and b'"eval"' in content[:4096] and (
        b'"version"' in content[:4096]
    )  # fmt: skip
