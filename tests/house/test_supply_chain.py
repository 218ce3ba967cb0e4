"""What is installed and released is known: versions by hash, audited, and listed with licences."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

import audit
import lock
import sbom

READS = ("constraints.txt", "js/package-lock.json", "js/package.json", "locks", "tools")

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "locks").glob("*.txt"))
PINNED = lock.pins((ROOT / "constraints.txt").read_text(encoding="utf-8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def locked(name: str) -> dict[str, lock.Locked]:
    return lock.parse((ROOT / "locks" / f"{name}.txt").read_text(encoding="utf-8"))


def test_the_lock_is_of_the_pinned_versions_with_a_hash_of_each() -> None:
    lock.checked(locked("everything"), PINNED)


def test_what_the_package_alone_brings_is_locked_and_no_more() -> None:
    base = locked("base")
    assert set(base) == lock.needed(PROJECT["dependencies"])
    everything = locked("everything")
    assert all(everything[name] == one for name, one in base.items())
    assert {"build", "hatchling"} <= set(locked("build")) <= set(everything)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_no_address_stands_in_a_lock(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert "/" not in re.sub(r"locks/[a-z]+\.txt", "", text)
    assert not re.search(r"^-", text, re.MULTILINE)


def test_a_package_without_a_hash_or_of_another_version_is_not_locked() -> None:
    none = lock.parse("a==1 \\\n    --hash=sha256:" + "0" * 64 + "\nb-c==2\n")
    assert none["b-c"] == lock.Locked("2", ())
    with pytest.raises(lock.LockError, match=r"no hash for b-c\."):
        lock.checked(none, {"a": "1", "b-c": "2"})
    with pytest.raises(lock.LockError, match=r"Not as in constraints\.txt: a"):
        lock.checked({"a": none["a"]}, {"a": "1.1"})


def test_an_index_that_does_not_answer_leaves_the_locks_as_they_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lock, "LOCKS", tmp_path / "locks")
    uv = tmp_path / "uv"
    uv.write_text("#!/bin/sh\necho 'error: no route to the index' >&2\nexit 2\n")
    uv.chmod(0o755)
    assert lock.main(["--uv", str(uv)]) == 1
    assert "no route to the index" in capsys.readouterr().err
    assert not (tmp_path / "locks").exists()


VULNERABLE = {"name": "old", "version": "1.0", "vulns": [{"id": "CVE-1", "fix_versions": ["1.1"]}]}
SOUND = {"name": "new", "version": "2.0", "vulns": []}
SKIPPED = {"name": "other", "skip_reason": "Dependency not found"}


@pytest.mark.parametrize(
    ("packages", "error", "said", "status"),
    [
        ([SOUND], "", "no known vulnerability in 1 packages", 0),
        ([SOUND, VULNERABLE], "", "old 1.0: CVE-1, mended in 1.1", 1),
        ([SKIPPED, SKIPPED], "", "not checked. Nothing could be looked up about 2 of 2", 2),
        ([SOUND, SKIPPED], "", "about 1 of 2 packages (other)", 2),
        ([VULNERABLE, SKIPPED], "", "CVE-1", 1),
        (None, "WARNING x\nERROR: no connection\n", "not checked. ERROR: no connection", 2),
    ],
)
def test_an_audit_without_an_answer_is_not_a_clean_one(
    packages: list[object] | None, error: str, said: str, status: int
) -> None:
    report = "" if packages is None else json.dumps({"dependencies": packages, "fixes": []})
    found = audit.python_audit(report, error)
    assert said in found.text()
    assert audit.status([found]) == status


def test_npm_without_an_answer_is_told_apart_from_npm_without_a_finding() -> None:
    clean = {"vulnerabilities": {}, "metadata": {"dependencies": {"total": 12}}}
    assert audit.front_end_audit(json.dumps(clean), "").text().endswith("in 12 packages.")
    bad = clean | {"vulnerabilities": {"x": {"severity": "high", "range": "<2"}}}
    assert "x: high, <2" in audit.front_end_audit(json.dumps(bad), "").text()
    refused = audit.front_end_audit('{"message": "405"}', "npm error audit endpoint is closed\n")
    assert refused.text() == "Front end: not checked. audit endpoint is closed"
    assert audit.status([refused]) == 2


@pytest.fixture(scope="module")
def bill() -> sbom.Part:
    return sbom.bill()


def test_the_bill_lists_every_pinned_package_and_all_that_is_inside(bill: sbom.Part) -> None:
    parts = {one["bom-ref"]: one for one in bill["components"]}
    assert len(parts) == len(bill["components"])
    assert {f"pkg:pypi/{name}@{version}" for name, version in PINNED.items()} <= set(parts)
    kinds = [one["type"] for one in parts.values()]
    assert kinds.count("data") == 41
    assert kinds.count("machine-learning-model") == 6
    inside = [one for one in parts.values() if not one["bom-ref"].startswith("pkg:pypi/")]
    assert all(one["licenses"] for one in inside)
    refs = {ref for one in bill["dependencies"] for ref in [one["ref"], *one["dependsOn"]]}
    assert refs <= {*parts, bill["metadata"]["component"]["bom-ref"]}
    required = {one["name"] for one in parts.values() if one.get("scope") == "required"}
    assert {"numpy", "preact"} <= required
    assert "torch" not in required
    assert sbom.bill() == bill


def test_the_bill_has_the_licence_that_a_package_states(bill: sbom.Part) -> None:
    stated = {one["name"]: one.get("licenses") for one in bill["components"]}
    assert "BSD-3-Clause" in json.dumps(stated["numpy"])
    assert stated["preact"] == [{"license": {"id": "MIT"}}]
    (clip,) = stated["portrait-clip"]
    assert clip["license"]["name"].startswith("BSD-3-Clause, as biaslab. Source:")


def test_no_other_npm_package_gets_into_the_front_end() -> None:
    used = {"inter-ui"}  # the font, by js/font.mjs
    for file in (ROOT / "js" / "src").rglob("*.ts*"):
        text = file.read_text(encoding="utf-8")
        names = re.findall(
            r"""(?:\bfrom|^import|\bimport\() ?"([^."\n][^"\n]*)\"""", text, re.MULTILINE
        )
        used |= {name.split("/")[0] for name in names}
    assert used == set(sbom.FRONT_END)
