"""The catalogue of predefined specs: one TOML file each in ``catalogue/``."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from biaslab.errors import SpecError
from biaslab.specs.spec import Spec

if TYPE_CHECKING:
    import pandas as pd


@cache
def _all() -> dict[str, Spec]:
    specs: dict[str, Spec] = {}
    for file in sorted(
        files("biaslab.specs").joinpath("catalogue").iterdir(), key=lambda f: f.name
    ):
        if file.name.endswith(".toml"):
            spec = Spec.from_dict(tomllib.loads(file.read_text(encoding="utf-8")), file.name)
            specs[spec.name] = spec
    return specs


def get(name: str) -> Spec:
    """A predefined spec by name.

    Raises
    ------
    SpecError
        When there is none of that name; lists those that exist.
    """
    specs = _all()
    if name not in specs:
        raise SpecError(f"No spec is called {name!r}. The catalogue holds: {', '.join(specs)}.")
    return specs[name]


def catalog() -> pd.DataFrame:
    """The catalogue as a table: name, title, cue pairs, items, source."""
    import pandas as pd

    return pd.DataFrame(
        [
            {
                "name": s.name,
                "title": s.title,
                "cue_pairs": len(s.cue_pairs),
                "items": len(s.items),
                "source": s.source,
            }
            for s in _all().values()
        ]
    )
