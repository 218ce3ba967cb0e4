"""Write locks/ from constraints.txt: the same versions with the hashes of all their files.

``locks/everything.txt`` holds all pins, ``locks/base.txt`` what ``pip install biaslab`` brings, and
``locks/build.txt`` what makes the wheel. pip refuses any other file with ``--require-hashes``. No
address stands in them. An index whose builds have other hashes, as PyTorch's has, is named with
``--index-url``: the hashes of torch there are added.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

from packaging.requirements import Requirement

from constraints import CONSTRAINTS, NOT_PINNED, normalised

ROOT = Path(__file__).resolve().parent.parent
LOCKS = ROOT / "locks"
GROUPS = {
    "base": ("what `pip install biaslab` brings", ("biaslab",)),
    "build": ("what makes the wheel", ("build", "hatchling")),
}
HOW = "python -m pip install --require-hashes --no-deps -r locks/{}.txt"
_PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)")
_HASH = re.compile(r"--hash=(sha256:[0-9a-f]{64})")


class LockError(Exception):
    """The lock cannot be made; says what to do."""


@dataclass(frozen=True)
class Locked:
    """A version and the hashes of its files."""

    version: str
    hashes: tuple[str, ...]


def parse(text: str) -> dict[str, Locked]:
    """Read a requirements file with hashes: by name, as pip compares it."""
    found: dict[str, Locked] = {}
    name = version = ""
    hashes: list[str] = []
    for line in [*text.splitlines(), "=="]:
        pin = _PIN.match(line)
        if pin or line == "==":
            if name:
                found[name] = Locked(version, tuple(sorted(set(hashes))))
            name, version, hashes = (normalised(pin[1]), pin[2], []) if pin else ("", "", [])
        hashes += _HASH.findall(line)
    return found


def pins(text: str) -> dict[str, str]:
    """Return the versions of constraints.txt by name."""
    matches = (_PIN.match(line) for line in text.splitlines())
    return {normalised(match[1]): match[2] for match in matches if match}


def checked(locked: Mapping[str, Locked], wanted: Mapping[str, str]) -> None:
    """Raise LockError unless every wanted version is locked, with a hash, and nothing else."""
    without = sorted(n for n in wanted if n not in locked or not locked[n].hashes)
    if without:
        raise LockError(
            f"The index gives no hash for {', '.join(without)}. Use an index that does."
        )
    other = sorted(n for n, one in locked.items() if wanted.get(n) != one.version)
    if other:
        raise LockError(f"Not as in constraints.txt: {', '.join(other)}. Run `make constraints`.")


def written(names: Iterable[str], locked: Mapping[str, Locked], title: str, group: str) -> str:
    """Return one lock file as text, in the order of names."""
    lines = [f"# {title}, by hash. Written by `make lock`. {HOW.format(group)}"]
    for name in sorted(names):
        one = locked[name]
        lines.append(
            " \\\n    ".join([f"{name}=={one.version}", *(f"--hash={h}" for h in one.hashes)])
        )
    return "\n".join(lines) + "\n"


def needed(roots: Sequence[str]) -> set[str]:
    """Return the distributions that these need in this environment, with themselves.

    Raises
    ------
    LockError
        If one of them is not installed.
    """
    found: set[str] = set()
    todo = [Requirement(root) for root in roots]
    done: set[tuple[str, frozenset[str]]] = set()
    while todo:
        one = todo.pop()
        key = (normalised(one.name), frozenset(one.extras))
        if key in done:
            continue
        done.add(key)
        found.add(key[0])
        try:
            wanted = [Requirement(text) for text in requires(one.name) or ()]
        except PackageNotFoundError:
            raise LockError(f"{one.name} is not installed here. Run `make setup`.") from None
        todo.extend(
            each
            for each in wanted
            if each.marker is None
            or any(each.marker.evaluate({"extra": extra}) for extra in ("", *one.extras))
        )
    return found - {*NOT_PINNED}


def asked(uv: Path, source: str, index: str = "") -> dict[str, Locked]:
    """Ask the index, through uv, for the hashes of the versions in `source`."""
    version = ".".join(map(str, sys.version_info[:3]))
    command = [
        str(uv), "pip", "compile", "-", "--quiet", "--no-deps", "--generate-hashes", "--no-header",
        "--no-annotate", "--python-version", version, "--no-config",
    ]  # fmt: skip
    # The roots that the machine trusts, as pip does.
    env = os.environ | {"UV_SYSTEM_CERTS": "1"}
    if certificates := os.environ.get("PIP_CERT"):
        env.setdefault("SSL_CERT_FILE", certificates)
    done = subprocess.run(
        [*command, *(["--default-index", index] if index else [])],
        input=source, capture_output=True, text=True, check=False, env=env,
    )  # fmt: skip
    if done.returncode:
        raise LockError(f"uv could not ask the index:\n{done.stderr.strip()}")
    return parse(done.stdout)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the files, or leave them as they are and say why."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--uv", type=Path, default=Path("uv"), help="uv's executable")
    parser.add_argument("--index-url", default="", help="an index with builds of torch of its own")
    options = parser.parse_args(arguments)
    wanted = pins(CONSTRAINTS.read_text(encoding="utf-8"))
    source = "".join(f"{name}=={version}\n" for name, version in wanted.items())
    try:
        locked = asked(options.uv, source)
        checked(locked, wanted)
        if options.index_url:
            own = asked(options.uv, f"torch=={wanted['torch']}\n", options.index_url)["torch"]
            both = sorted({*locked["torch"].hashes, *own.hashes})
            locked["torch"] = Locked(wanted["torch"], tuple(both))
        texts = {
            group: written(needed(roots), locked, f"{title[0].upper()}{title[1:]}", group)
            for group, (title, roots) in GROUPS.items()
        }
    except LockError as error:
        print(error, file=sys.stderr)
        return 1
    texts["everything"] = written(locked, locked, "All that biaslab is tested with", "everything")
    LOCKS.mkdir(exist_ok=True)
    for group, text in texts.items():
        (LOCKS / f"{group}.txt").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
