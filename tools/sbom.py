"""Add to a bill of materials what the wheel holds beside Python packages.

``python tools/sbom.py FILE`` takes the CycloneDX JSON that cyclonedx-py wrote of an environment,
and adds what the built front end holds, the bundled subjects and the word lists, with their
licences.
"""

from __future__ import annotations

import base64
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FRONT_END = ("preact", "inter-ui")
"""npm packages of which something is in the built front end."""
_CARD_LICENCE = re.compile(r"^- \*\*Licence\*\*: (.*(?:\n  .*)*)", re.MULTILINE)
Part = dict[str, Any]


def complete(bill: Part) -> Part:
    """Return the bill with all that is inside biaslab, which depends on it."""
    itself = bill["metadata"]["component"]
    inside = [*front_end(), *subjects(itself["version"]), *word_lists(itself["version"])]
    dependencies = [dict(one) for one in bill["dependencies"]]
    (own,) = (one for one in dependencies if one["ref"] == itself["bom-ref"])
    own["dependsOn"] = [*own.get("dependsOn", ()), *(one["bom-ref"] for one in inside)]
    return {**bill, "components": [*bill["components"], *inside], "dependencies": dependencies}


def front_end() -> Iterator[Part]:
    """Return the npm packages of which something is in the built front end."""
    lock = json.loads((ROOT / "js" / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    for name in FRONT_END:
        package = lock[f"node_modules/{name}"]
        kind, _, digest = package["integrity"].partition("-")
        ref = f"pkg:npm/{name}@{package['version']}"
        yield {
            "type": "library",
            "bom-ref": ref,
            "name": name,
            "version": package["version"],
            "purl": ref,
            "licenses": [{"license": {"id": package["license"]}}],
            "hashes": [
                {
                    "alg": kind.upper().replace("SHA", "SHA-"),
                    "content": base64.b64decode(digest).hex(),
                }
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


def main(file: Path) -> None:
    """Complete the bill in a file."""
    bill = complete(json.loads(file.read_text(encoding="utf-8")))
    file.write_text(json.dumps(bill, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
