"""``biaslab lab``: open the lessons in JupyterLab, on this machine only."""

from __future__ import annotations

import argparse
import os
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Final
from urllib.parse import quote

import biaslab
from biaslab.cli.commands import Option, command
from biaslab.errors import MissingExtraError, QueryError, WriteError

SETTINGS: Final[dict[str, str | None]] = {
    "ServerApp.ip": "127.0.0.1",
    "LabApp.extension_manager": "readonly",
    "LabApp.news_url": None,
    "LabApp.check_for_updates_class": "jupyterlab.handlers.announcements.NeverCheckForUpdate",
}
"""JupyterLab would offer to fetch news, look for updates and list extensions to install; each of
these leaves the machine."""
COPIES = "biaslab-lessons"
"""Folder of the copied lessons; JupyterLab's launcher opens the tour in the same one."""
_FIRST = ("index.ipynb", "lesson-0.ipynb")


@command(
    "lab",
    "open the lessons in JupyterLab on this machine",
    Option(
        "folder",
        "folder that JupyterLab shows; the lessons are copied into its subfolder"
        f" {COPIES}, and a lesson that is there stays as it is (default: the current one)",
        Path(),
        nargs="?",
        type=Path,
        metavar="FOLDER",
    ),
    Option("--port", "port of the server", 8888),
    Option("--open", "open it in the browser", True, action=argparse.BooleanOptionalAction),
    examples=("biaslab lab", "biaslab lab course --port 8890 --no-open"),
    description="Open the lessons in JupyterLab. It listens on 127.0.0.1 and asks nobody else for"
    " news, updates or extensions.",
)
def open_lab(options: argparse.Namespace) -> None:
    """Run JupyterLab until the person stops it."""
    if find_spec("jupyterlab") is None:
        raise MissingExtraError("The lessons need JupyterLab: pip install 'biaslab[lab]'")
    root = options.folder.expanduser().resolve()
    if not root.is_dir():
        raise QueryError(f"There is no folder {root}. Make it, or give another one.")
    first = _first_of(_lessons_in(root))
    arguments = [f"--{name}={value}" for name, value in SETTINGS.items()]
    arguments += [f"--ServerApp.root_dir={root}", f"--ServerApp.port={options.port}"]
    arguments.append(f"--LabApp.default_url=/lab/tree/{quote(first.relative_to(root).as_posix())}")
    if not options.open:
        arguments.append("--no-browser")
    if hasattr(os, "getuid") and os.getuid() == 0:
        arguments.append("--allow-root")  # as in a container; Jupyter else refuses to start
    _run_jupyter_lab(arguments)


def _run_jupyter_lab(arguments: list[str]) -> None:
    from jupyterlab.labapp import LabApp

    LabApp.launch_instance(argv=arguments)


def _lessons_in(root: Path) -> Path:
    """Return the folder of the lessons below the root; they are copied there if need be."""
    source = _installed_lessons()
    if source.is_relative_to(root):  # a checkout: the notebooks themselves
        return source
    target = root / COPIES
    try:
        target.mkdir(exist_ok=True)
        for lesson in sorted(source.glob("*.ipynb")):
            if not (target / lesson.name).exists():
                shutil.copyfile(lesson, target / lesson.name)
    except OSError as error:
        raise WriteError(
            f"The lessons cannot be copied to {target}: {error.strerror or error}."
        ) from error
    return target


def _installed_lessons() -> Path:
    from jupyter_core.paths import jupyter_path

    checkout = Path(biaslab.__file__).resolve().parents[1] / "notebooks"
    installed = (Path(one) for one in jupyter_path("labextensions", "biaslab", "lessons"))
    for folder in (checkout, *installed):
        if any((folder / name).is_file() for name in _FIRST):
            return folder.resolve()
    raise QueryError("The lessons are not installed. Install biaslab again.")


def _first_of(folder: Path) -> Path:
    return next(folder / name for name in _FIRST if (folder / name).is_file())
