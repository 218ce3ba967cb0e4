"""Build the wheel and the source archive, and try each in an empty environment.

``python tools/dist.py`` leaves both in ``dist/``. An environment gets one of them with what it
needs and no extra; ``--here`` tries the biaslab that this Python has installed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
LAB = Path("share/jupyter/labextensions/biaslab/static/remoteEntry.js")


def trial() -> None:
    """Ask a bundled subject a question and open each bench; raise where something is missing."""
    import biaslab as bl
    import biaslab_widgets

    command = Path(sys.executable).parent / "biaslab"
    stated = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
    assert stated.stdout == f"biaslab {version('biaslab')}\n", stated.stdout
    assert find_spec("torch") is None, "The base brings torch."
    result = bl.two_afc(bl.load("wiki-bootstraps"), ["nurse"], [("woman", "man")])
    print(stated.stdout + "\n".join(result.verdict()))
    for name in biaslab_widgets.__all__:
        getattr(biaslab_widgets, name)()
    static = Path(biaslab_widgets.__file__).parent / "static"
    for file in (static / "app/shell.js", static / "fonts/inter.woff2", Path(sys.prefix) / LAB):
        assert file.exists(), f"{file} is missing."


def tried(file: Path, folder: Path) -> str:
    """Install a distribution in a new environment and try it; return what that took."""
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    start = time.monotonic()
    venv.create(folder, with_pip=True)
    # Isolated (-I), or else PYTHONPATH could lead back to the checkout.
    install = ["-I", "-m", "pip", "install", "-q", "-c"]
    subprocess.run([python, *install, ROOT / "constraints.txt", file], cwd=folder, check=True)
    installed = time.monotonic()
    subprocess.run([python, "-I", __file__, "--here"], cwd=folder, check=True)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return (
        f"{file.name}: {file.stat().st_size / 1e6:.0f} MB, installed {size / 1e6:.0f} MB in "
        f"{installed - start:.0f} s, tried in {time.monotonic() - installed:.0f} s"
    )


def main(arguments: Sequence[str]) -> None:
    """Build and try both, or try what is installed here."""
    if list(arguments) == ["--here"]:
        trial()
        return
    shutil.rmtree(DIST, ignore_errors=True)
    build = ["-m", "build", "--no-isolation", "--outdir"]
    subprocess.run([sys.executable, *build, DIST], cwd=ROOT, check=True)
    for file in sorted(DIST.iterdir()):
        with tempfile.TemporaryDirectory() as folder:
            print(tried(file, Path(folder)))


if __name__ == "__main__":
    main(sys.argv[1:])
