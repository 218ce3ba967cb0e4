"""One spec in one file: TOML or JSON, by the file's ending."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import Any

from biaslab.atomic import write_atomically
from biaslab.calls import recorded
from biaslab.errors import SpecError
from biaslab.given_files import read_given
from biaslab.specs.spec import Spec
from biaslab.toml_text import parse_toml

ENDINGS = (".toml", ".json")
LONGEST = 2_000_000
"""Bytes of a file."""


@recorded
def read(path: str | os.PathLike[str]) -> Spec:
    """Read the spec in a TOML or JSON file.

    Raises
    ------
    SpecError
        Names the file, the field (for syntax: line and column) and the fix.
    """
    file = Path(path).expanduser()
    ending = _ending(file)
    try:
        content = read_given(file, 4 * LONGEST)
    except OSError as error:
        raise SpecError(
            f"{file}: cannot be read ({error.strerror or error}). Check the name and the"
            " permissions."
        ) from error
    return parse(content, ending, str(file))


def parse(content: bytes, ending: str, where: str) -> Spec:
    """Parse the spec in a file's bytes; `where` names the file in an error.

    Raises
    ------
    SpecError
        Names the file, the field (for syntax: line and column) and the fix.
    """
    _check_size(len(content), where)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise SpecError(f"{where}: line {line} is not UTF-8. Save the file as UTF-8.") from error
    return Spec.from_dict(_parsed(text, ending, where), where)


def write(spec: Spec, path: str | os.PathLike[str]) -> Path:
    """Write a spec to a TOML or JSON file, completely or not at all.

    Raises
    ------
    SpecError
        If the ending is neither ``.toml`` nor ``.json``, or the spec is too large to be read back.
    WriteError
        If the file cannot be written.
    """
    file = Path(path).expanduser()
    text = spec.to_toml() if _ending(file) == ".toml" else spec.to_json()
    _check_size(len(text.encode()), str(file))
    write_atomically(file, text)
    return file


def _check_size(size: int, where: str) -> None:
    if size > LONGEST:
        raise SpecError(f"{where}: a spec has at most {LONGEST / 1e6:g} MB. Split it.")


def _ending(file: Path) -> str:
    ending = file.suffix.lower()
    if ending not in ENDINGS:
        raise SpecError(f"{file}: a spec is a .toml or .json file. Rename the file.")
    return ending


def _parsed(text: str, ending: str, where: str) -> dict[str, Any]:
    try:
        if ending == ".toml":
            return parse_toml(text, longest=LONGEST)
        data: dict[str, Any] = json.loads(text, object_pairs_hook=_unique)
        return data
    except tomllib.TOMLDecodeError as error:
        raise SpecError(
            f"{where}: is not valid TOML: {error}. Look there for a missing quote, comma or"
            " bracket, or a repeated name."
        ) from error
    except json.JSONDecodeError as error:
        raise SpecError(
            f"{where}: is not valid JSON: {error.msg} (at line {error.lineno}, column "
            f"{error.colno}). Look there for a missing quote, comma or bracket."
        ) from error
    except _TwiceError as error:
        raise SpecError(f"{where}: field {error.args[0]!r} appears twice. Keep one.") from error
    except ValueError as error:  # a number of thousands of digits
        raise SpecError(f"{where}: cannot be read: {error}. Correct it.") from error
    except RecursionError as error:
        raise SpecError(f"{where}: is nested too deeply for a spec. Flatten it.") from error


class _TwiceError(ValueError):
    """A JSON object repeats a name: Python would silently keep the last one."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table: dict[str, Any] = {}
    for name, value in pairs:
        if name in table:
            raise _TwiceError(name)
        table[name] = value
    return table
