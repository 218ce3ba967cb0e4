"""Run the checks of the repository itself that may come out otherwise than at their last success.

``python tools/house_checks.py`` runs those files of ``tests/house`` whose inputs changed since
they last passed. A file's inputs are itself, the files and folders of its constant ``READS``
(without one, every file that git knows), the settings of pytest, and the installed packages.
"""

from __future__ import annotations

import ast
import hashlib
import json
import subprocess
import sys
from collections.abc import Mapping
from importlib.metadata import distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PASSED = ROOT / "build" / "house_checks.json"
ALWAYS = ("tests/conftest.py", "tests/harness", "pyproject.toml", "tools/house_checks.py")


def main() -> int:
    """Run what changed; return pytest's exit status."""
    contents = hashes()
    digests = {
        check.relative_to(ROOT).as_posix(): digest(check, contents)
        for check in sorted((ROOT / "tests" / "house").glob("test_*.py"))
    }
    passed = json.loads(PASSED.read_text("utf-8")) if PASSED.exists() else {}
    changed = [name for name, one in digests.items() if passed.get(name) != one]
    if not changed:
        print(f"house checks: nothing changed for any of {len(digests)} files")
        return 0
    status = subprocess.run(
        [sys.executable, "-m", "pytest", "-n0", "-q", *changed], cwd=ROOT
    ).returncode
    if status == 0:
        PASSED.parent.mkdir(exist_ok=True)
        PASSED.write_text(json.dumps(digests, indent=1) + "\n", "utf-8")
    return status


def hashes() -> dict[str, str]:
    """Content hashes of the files that git knows or would take, by path."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, check=True,
    ).stdout.decode()  # fmt: skip
    return {
        name: hashlib.sha256((ROOT / name).read_bytes()).hexdigest()
        for name in sorted(filter(None, listed.split("\0")))
        if (ROOT / name).is_file()
    }


def digest(check: Path, contents: Mapping[str, str]) -> str:
    """Return one hash of all that a check depends on."""
    own = check.relative_to(ROOT).as_posix()
    reads = (own, *ALWAYS, *_reads(check))
    known = {
        name: found
        for name, found in contents.items()
        if any(name == one or one == "." or name.startswith(f"{one}/") for one in reads)
    }
    installed = sorted(f"{one.name} {one.version}" for one in distributions())
    return hashlib.sha256(json.dumps([sys.version, installed, known]).encode()).hexdigest()


def _reads(check: Path) -> tuple[str, ...]:
    for node in ast.parse(check.read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "READS":
            return tuple(ast.literal_eval(node.value))
    return (".",)


if __name__ == "__main__":
    raise SystemExit(main())
