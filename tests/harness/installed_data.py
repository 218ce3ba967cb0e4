"""What an installation of the package lays beside its modules, laid out of this checkout.

An editable installation keeps what it laid out once, maybe from another checkout. Servers that
tests start find these files instead.
"""

from __future__ import annotations

import os
import shutil
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def lay_out(folder: Path) -> dict[str, str]:
    """Lay out the shared data and the entry points; return the environment that finds them.

    Parameters
    ----------
    folder : Path
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for source, target in project["tool"]["hatch"]["build"]["targets"]["wheel"][
        "shared-data"
    ].items():
        place = folder / target
        place.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / source).is_dir():
            shutil.copytree(ROOT / source, place, dirs_exist_ok=True)
        else:
            shutil.copy(ROOT / source, place)
    about = project["project"]
    site = folder / "site"
    info = site / f"{about['name']}-{about['version']}.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {about['name']}\nVersion: {about['version']}\n"
    )
    (info / "entry_points.txt").write_text(
        "".join(
            f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in entries.items())
            for group, entries in about.get("entry-points", {}).items()
        )
    )
    ours = (str(ROOT / folder) for folder in ("", "widgets", "train"))
    paths = [str(site), *ours, os.environ.get("PYTHONPATH", "")]
    return {
        "JUPYTER_PATH": str(folder / "share" / "jupyter"),
        "JUPYTER_CONFIG_PATH": str(folder / "etc" / "jupyter"),
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
    }
