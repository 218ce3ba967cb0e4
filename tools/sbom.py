"""Write the bill of materials of a release as CycloneDX JSON.

Components: what ``pip install biaslab`` brings (required), what the extras and tests were tested
with (optional), what the built front end holds, and the bundled subjects and word lists with their
licences. Versions and hashes are those of ``locks/`` and ``js/package-lock.json``; licences and who
needs whom are read from the distributions that are installed here.
"""

from __future__ import annotations

import argparse
import base64
import json
import re
import sys
import tomllib
import uuid
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageMetadata, PackageNotFoundError, metadata, requires
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

from constraints import normalised
from lock import LOCKS, Locked, parse

ROOT = Path(__file__).resolve().parent.parent
FRONT_END = ("preact", "inter-ui")
"""npm packages of which something is in the built front end."""
_CARD_LICENCE = re.compile(r"^- \*\*Licence\*\*: (.*(?:\n  .*)*)", re.MULTILINE)
Part = dict[str, Any]


def bill() -> Part:
    """Return the whole document. The same sources and installed packages give the same one."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    everything = parse((LOCKS / "everything.txt").read_text(encoding="utf-8"))
    base = parse((LOCKS / "base.txt").read_text(encoding="utf-8"))
    itself = f"pkg:pypi/biaslab@{project['version']}"
    packages = [package(name, one, name in base) for name, one in everything.items()]
    inside = [*front_end(), *subjects(project["version"]), *word_lists(project["version"])]
    direct = [normalised(Requirement(text).name) for text in project["dependencies"]]
    refs = {name: purl(name, one) for name, one in everything.items()}
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": itself,
                "name": "biaslab",
                "version": project["version"],
                "purl": itself,
                "licenses": [{"expression": project["license"]}],
            }
        },
        "components": [*packages, *inside],
        "dependencies": [
            {
                "ref": itself,
                "dependsOn": sorted(
                    [refs[name] for name in direct] + [one["bom-ref"] for one in inside]
                ),
            },
            *(
                {"ref": refs[name], "dependsOn": sorted(refs[n] for n in needs if n in refs)}
                for name in everything
                if (needs := _needs(name))
            ),
        ],
    }
    content = json.dumps(document, sort_keys=True)
    return {**document, "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, content)}"}


def purl(name: str, one: Locked) -> str:
    """Return the package URL of a Python distribution."""
    return f"pkg:pypi/{name}@{one.version}"


def package(name: str, one: Locked, is_required: bool) -> Part:
    """Return a Python distribution, with the hashes of all its files as properties."""
    found: Part = {
        "type": "library",
        "bom-ref": purl(name, one),
        "name": name,
        "version": one.version,
        "purl": purl(name, one),
        "scope": "required" if is_required else "optional",
        # CycloneDX's own field holds one file's hash: a release here has a file per platform.
        "properties": [{"name": "biaslab:file-hash", "value": h} for h in one.hashes],
    }
    try:
        stated = licence(metadata(name))
    except PackageNotFoundError:
        stated = []
    return {**found, "licenses": stated} if stated else found


def licence(about: PackageMetadata) -> list[Part]:
    """Return the licence that a distribution states: an expression, or names; may be empty."""
    fields = about.json
    if expression := fields.get("license_expression"):
        return [{"expression": str(expression)}]
    classifiers = [str(one) for one in fields.get("classifier") or []]
    names = [one.split(" :: ")[-1] for one in classifiers if one.startswith("License :: ")]
    # Many put the whole text in this field.
    text = str(fields.get("license") or "").strip()
    if not names and text and len(text) < 80 and "\n" not in text:
        names = [text]
    return [{"license": {"name": name}} for name in names if name != "OSI Approved"]


def front_end() -> Iterator[Part]:
    """Return the npm packages of which something is in the built front end."""
    lock = json.loads((ROOT / "js" / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    for name in FRONT_END:
        one = lock[f"node_modules/{name}"]
        kind, _, digest = one["integrity"].partition("-")
        ref = f"pkg:npm/{name}@{one['version']}"
        yield {
            "type": "library",
            "bom-ref": ref,
            "name": name,
            "version": one["version"],
            "purl": ref,
            "scope": "required",
            "licenses": [{"license": {"id": one["license"]}}],
            "hashes": [
                {"alg": kind.upper().replace("SHA", "SHA-"), "content": _hexadecimal(digest)}
            ],
        }


def subjects(version: str) -> Iterator[Part]:
    """Return the bundled subjects, with the licence on their cards."""
    for card in sorted((ROOT / "biaslab" / "bundled").glob("*/README.md")):
        (stated,) = _CARD_LICENCE.findall(card.read_text(encoding="utf-8"))
        yield {
            "type": "machine-learning-model",
            "bom-ref": f"subject:{card.parent.name}",
            "name": card.parent.name,
            "version": version,
            "licenses": [{"license": {"name": " ".join(stated.split())}}],
        }


def word_lists(version: str) -> Iterator[Part]:
    """Return the word lists of the catalogue, with what each states."""
    for file in sorted((ROOT / "biaslab" / "specs" / "catalogue").glob("*.toml")):
        spec = tomllib.loads(file.read_text(encoding="utf-8"))
        yield {
            "type": "data",
            "bom-ref": f"word-list:{spec['name']}",
            "name": spec["name"],
            "version": version,
            "description": spec["source"],
            "licenses": [{"license": {"name": spec["licence"]}}],
        }


def _needs(name: str) -> set[str]:
    try:
        wanted = [Requirement(text) for text in requires(name) or ()]
    except PackageNotFoundError:
        return set()
    return {
        normalised(one.name)
        for one in wanted
        if one.marker is None or one.marker.evaluate({"extra": ""})
    }


def _hexadecimal(digest: str) -> str:
    return base64.b64decode(digest).hex()


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the bill to a file, or print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, help="where to write it; else it is printed")
    options = parser.parse_args(arguments)
    text = json.dumps(bill(), indent=1, ensure_ascii=False) + "\n"
    if options.file is None:
        sys.stdout.write(text)
    else:
        options.file.parent.mkdir(parents=True, exist_ok=True)
        options.file.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
