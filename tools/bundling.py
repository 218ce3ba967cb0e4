"""Take a finished model from its training folder, with its card: what the bundling tools share."""

from __future__ import annotations

import json
import math
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from biaslab.errors import BiaslabError
from biaslab.files.atomic import write_atomically

BUNDLED = Path(__file__).resolve().parent.parent / "biaslab" / "bundled"
FILES = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json")


def facts(trained: Path) -> dict[str, Any]:
    """Read how a model was trained; BiaslabError if its training has not ended."""
    noted = trained / "training.json"
    if not noted.exists():
        raise BiaslabError(f"{trained} holds no finished model: train it first.")
    about: dict[str, Any] = json.loads(noted.read_text(encoding="utf-8"))
    return about


def vocabulary(trained: Path) -> int:
    """Count the entries of a model's vocabulary, without those that its tokenizer adds."""
    tokenizer = json.loads((trained / "tokenizer.json").read_text(encoding="utf-8"))
    return len(tokenizer["model"]["vocab"]) - len(tokenizer["added_tokens"])


def require(failures: Sequence[str]) -> None:
    """Raise BiaslabError if a model misses a floor."""
    if failures:
        raise BiaslabError("\n".join(["Not bundled; train longer (--resume).", *failures]))


def take(
    trained: Path,
    target: Path,
    about: dict[str, Any],
    card: Callable[[dict[str, Any], int], str],
    *,
    largest: int,
    files: Sequence[str] = FILES,
) -> None:
    """Copy a model with its facts and its card; BiaslabError if it has more bytes than allowed."""
    from safetensors import safe_open

    size = sum((trained / file).stat().st_size for file in files)
    if size > largest:
        raise BiaslabError(f"{target.name} takes {size:,} bytes, {largest:,} are allowed.")
    target.mkdir(parents=True, exist_ok=True)
    for file in files:
        shutil.copyfile(trained / file, target / file)
    with safe_open(trained / "model.safetensors", framework="np") as weights:
        shapes = [weights.get_slice(key).get_shape() for key in weights.keys()]  # noqa: SIM118
    about = about | {"parameters": sum(math.prod(shape) for shape in shapes)}
    write_atomically(target / "training.json", json.dumps(about, indent=1) + "\n")
    write_atomically(target / "README.md", card(about, size))


def status(make: Callable[[], None]) -> int:
    """Run a tool; return its exit status, with what stopped it on standard error."""
    try:
        make()
    except (BiaslabError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0
