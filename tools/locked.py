"""Print the locked hashes of what pip would install, for an installation of some extras by hash.

``pip install --dry-run --report needs.json -c constraints.txt biaslab.whl[app]`` and then
``python tools/locked.py needs.json > needs.txt``. Both fail where a package is not in the lock.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

LOCK = Path(__file__).resolve().parent.parent / "locks" / "everything.txt"
_ENTRY = re.compile(r"^([\w.-]+)==(\S+) \\\n(?: {4}--hash=\S+(?: \\)?\n)+", re.MULTILINE)


def locked(report: str, lock: str) -> str:
    """Return the lock's entries of the packages in a report of pip, biaslab left out.

    Raises `SystemExit`, naming them, if some are not in the lock.
    """
    entries = {(_key(m[1]), m[2]): m[0] for m in _ENTRY.finditer(lock)}
    packages = [one["metadata"] for one in json.loads(report)["install"]]
    needed = {(_key(one["name"]), one["version"]) for one in packages} - entries.keys()
    missing = sorted(f"{name} {version}" for name, version in needed if name != "biaslab")
    if missing:
        raise SystemExit(f"Not in {LOCK.name}: {', '.join(missing)}. Run `make lock`.")
    chosen = {(_key(one["name"]), one["version"]) for one in packages} & entries.keys()
    return "".join(entries[one] for one in sorted(chosen))


def _key(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    print(locked(Path(sys.argv[1]).read_text("utf-8"), LOCK.read_text("utf-8")), end="")
