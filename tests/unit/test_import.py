"""`import biaslab` is light: what only some probes need is loaded when it is needed."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec

import pytest

import biaslab as bl

HEAVY = [
    "anywidget",
    "bokeh",
    "gensim",
    "ipywidgets",
    "pandas",
    "panel",
    "pyro",
    "rich",
    "scipy.stats",
    "sqlalchemy",
    "torch",
    "transformers",
]


def _loaded_by(statement: str) -> set[str]:
    code = f"import sys, json\n{statement}\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("import biaslab", [*HEAVY, "biaslab_widgets", "biaslab_train"]),
        ("from biaslab.cli import parsed; parsed(['subjects', 'show', 'x'])",
         [*HEAVY, "numpy", "jupyterlab", "biaslab_train"]),
        ("import biaslab.records.result, biaslab.store; biaslab.store.Store()", HEAVY),
        ("from biaslab.records.provenance import versions as v; assert len(v()) == 4, v()", HEAVY),
        ("import biaslab.probes.association, biaslab.probes.rating, biaslab.probes.posterior",
         ["biaslab.reports", "bokeh"]),
        # Of Jupyter's server.
        ("import biaslab_widgets.hosts.nodelay", [*HEAVY, "biaslab"]),
    ],
)  # fmt: skip
def test_what_is_not_needed_is_not_loaded(statement: str, absent: list[str]) -> None:
    assert _loaded_by(statement).intersection(absent) == set()


def test_every_public_name_is_there_and_no_other() -> None:
    assert dir(bl) == sorted(bl.__all__)
    for module in (bl, bl.probes, bl.association, bl.posterior, bl.subjects):
        assert {name for name in module.__all__ if not hasattr(module, name)} == set()
    assert (bl.association, bl.posterior) == (bl.probes.association, bl.probes.posterior)
    with pytest.raises(AttributeError, match="rnd"):
        bl.rnd  # type: ignore[attr-defined] # noqa: B018
    assert bl.__version__


def test_the_top_level_stays_small() -> None:
    assert len(bl.__all__) <= 44


def test_the_names_above_are_importable_names() -> None:
    """A slip of the pen in a name would make the tests above pass whatever is loaded."""
    assert [name for name in HEAVY if find_spec(name) is None] == []
