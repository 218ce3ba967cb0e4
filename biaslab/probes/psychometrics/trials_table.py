"""Read trials from a table or a CSV file."""

from __future__ import annotations

import os
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from biaslab.arguments import described
from biaslab.errors import TrialsError
from biaslab.given_files import read_given

if TYPE_CHECKING:
    import pandas as pd

MOST_ROWS = 1_000_000
_QUESTION = ("item", "cue_1", "cue_2", "alpha")
_ANSWER = "an answer column (a trial a row), or n and n_cue_2 (a question a row)"
_CANNOT_SAY = {"", "nan", "none", "<na>", "cannot say"}
_BOOLEANS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def frame_of(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Return a CSV file as a table of text.

    Raises
    ------
    TrialsError
        If it cannot be opened, is not UTF-8, or is no table.
    """
    import pandas as pd

    where = Path(path).expanduser()
    try:
        # Words such as "null" and "NA" are words here.
        return pd.read_csv(
            BytesIO(read_given(where)),
            dtype=str,
            keep_default_na=False,
            encoding="utf-8-sig",
            nrows=MOST_ROWS + 1,
        )
    except OSError as error:
        raise TrialsError(
            f"Could not open {str(where)!r}: {error.strerror or error}. Give the path of a CSV file"
            " of trials."
        ) from error
    except UnicodeDecodeError as error:
        raise TrialsError(
            f"{where.name} is not UTF-8 text. If it is a spreadsheet, save it as 'CSV UTF-8'."
        ) from error
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise TrialsError(
            f"{where.name} cannot be read as CSV ({error}). Its columns are"
            f" {', '.join(_QUESTION)}, and {_ANSWER}."
        ) from error


def columns_of(frame: pd.DataFrame) -> dict[str, NDArray[Any]]:
    """Return the columns of `biaslab.probes.psychometrics.trials.Trials`.

    Raises
    ------
    TrialsError
        Names the missing column, or the row and its problem.
    """
    columns = getattr(frame, "columns", None)
    if columns is None:
        raise TrialsError(
            f"Trials are {described(frame)}. Pass a DataFrame, or a CSV file to Trials.read_csv."
        )
    has = [str(name) for name in columns]
    counts = {"n", "n_cue_2"} <= set(has)
    missing = [name for name in _QUESTION if name not in has]
    if missing or not (counts or "answer" in has):
        missing += [] if counts or "answer" in has else [_ANSWER]
        raise TrialsError(
            f"The trials have no column {', '.join(missing)}. Their columns are:"
            f" {', '.join(has) or 'none'}."
        )
    if len(frame) > MOST_ROWS:
        raise TrialsError(
            f"The trials have more than {MOST_ROWS:,} rows. Count equal questions together: a row"
            " each, with n and n_cue_2."
        )
    text = {name: _texts(frame, name) for name in ("item", "cue_1", "cue_2")}
    size = len(frame)
    table: dict[str, NDArray[Any]] = {
        **text,
        "alpha": _numbers(frame, "alpha"),
        "observer": _texts(frame, "observer") if "observer" in has else np.full(size, "1"),
        "cue_1_first": _booleans(frame) if "cue_1_first" in has else np.ones(size, dtype=bool),
    }
    if counts:
        table |= {name: _numbers(frame, name) for name in ("n", "n_cue_2")}
        cannot_say = "n_cannot_say" in has
        table["n_cannot_say"] = _numbers(frame, "n_cannot_say") if cannot_say else np.zeros(size)
        return table
    answers = _answers(_texts(frame, "answer"), text["cue_1"], text["cue_2"])
    return table | {
        "n": np.ones(size),
        "n_cue_2": np.where(answers == 1, 1, 0),
        "n_cannot_say": np.where(np.isnan(answers), 1, 0),
    }


def _texts(frame: pd.DataFrame, column: str) -> NDArray[np.str_]:
    values = frame[column].tolist()
    return np.array([_text(value) for value in values], dtype=np.str_)


def _text(value: Any) -> str:
    whole = isinstance(value, float) and value.is_integer()  # an observer's number beside a gap
    return str(int(value) if whole else value).strip()


def _numbers(frame: pd.DataFrame, column: str) -> NDArray[np.float64]:
    import pandas as pd

    numbers = pd.to_numeric(frame[column], errors="coerce").to_numpy(dtype=np.float64)
    wrong = ~np.isfinite(numbers)
    if wrong.any():
        row = int(np.argmax(wrong))
        found = frame[column].tolist()[row]
        raise TrialsError(
            f"Row {row + 1} of the trials: {column} is {found!r}, not a number. Correct it, or"
            " leave the row out."
        )
    return numbers


def _booleans(frame: pd.DataFrame) -> NDArray[np.bool_]:
    words = [word.casefold() for word in _texts(frame, "cue_1_first").tolist()]
    for row, word in enumerate(words, 1):
        if word not in _BOOLEANS:
            raise TrialsError(
                f"Row {row} of the trials: cue_1_first is {word!r}. Write true or false."
            )
    return np.array([_BOOLEANS[word] for word in words])


def _answers(
    words: NDArray[np.str_], cue_1: NDArray[np.str_], cue_2: NDArray[np.str_]
) -> NDArray[np.float64]:
    """Return 0, 1 or NaN for each word."""
    answers = np.empty(len(words))
    for row, (word, one, two) in enumerate(
        zip(words.tolist(), cue_1.tolist(), cue_2.tolist(), strict=True)
    ):
        folded = word.casefold()
        if folded in _CANNOT_SAY and folded not in (one.casefold(), two.casefold()):
            answers[row] = np.nan
        elif folded in ("0", "false", one.casefold()):
            answers[row] = 0
        elif folded in ("1", "true", two.casefold()):
            answers[row] = 1
        else:
            raise TrialsError(
                f"Row {row + 1} of the trials: the answer is {word!r}. Write 0 or {one!r}, 1 or"
                f" {two!r}, or leave it empty for 'cannot say'."
            )
    return answers
