"""Files that describe what is planted in a model."""

from __future__ import annotations

import math
import tomllib
from pathlib import Path
from typing import Any

from biaslab.errors import TrainingError


def read_toml(path: Path) -> dict[str, Any]:
    """Return the content of the TOML file of a plant.

    Raises `TrainingError` if it cannot be read, or is no TOML.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise TrainingError(f"The plant {path} cannot be read: {error}.") from error
    except tomllib.TOMLDecodeError as error:
        raise TrainingError(f"The plant {path} is not valid TOML: {error}.") from error


def checked_number(
    value: Any, where: str, low: float = -math.inf, high: float = math.inf, what: str = "number"
) -> float:
    """Return a number of a plant; TrainingError if it is none, or outside its range."""
    good = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not good or not low <= value <= high:
        between = "" if math.isinf(low) else f" from {low:g} to {high:g}"
        raise TrainingError(f"{where} is {value!r}. Use a {what}{between}.")
    return float(value)
