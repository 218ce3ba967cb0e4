"""Look up known vulnerabilities of what biaslab is tested with, in Python and in the front end.

Exit status 1: one is known. 2: none is known, but a list of vulnerabilities could not be reached,
so that nothing is known of that part.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "locks" / "everything.txt"
TIMEOUT_S = 300.0


@dataclass(frozen=True)
class Audit:
    """What was learnt of one part: findings as lines; a reason for what was not looked up."""

    part: str
    n_checked: int
    findings: tuple[str, ...] = ()
    unknown: str = ""

    def text(self) -> str:
        """Return it in words."""
        if self.findings:
            found = [f"{self.part}: {len(self.findings)} known vulnerabilities", *self.findings]
            return "\n  ".join([*found, self.unknown] if self.unknown else found)
        if self.unknown:
            return f"{self.part}: not checked. {self.unknown}"
        return f"{self.part}: no known vulnerability in {self.n_checked} packages."


def python_audit(report: str, error: str) -> Audit:
    """Read what ``pip-audit --format json`` printed."""
    try:
        packages = json.loads(report)["dependencies"]
    except (ValueError, KeyError, TypeError):
        return Audit("Python", 0, unknown=_last_line(error) or "pip-audit gave no report.")
    known = [one for one in packages if "vulns" in one]
    # A list that cannot be reached looks to pip-audit as if it knew none of the packages.
    missing = sorted(one["name"] for one in packages if "vulns" not in one)
    few = ", ".join(missing[:3]) + (", ..." if len(missing) > 3 else "")
    unknown = (
        f"Nothing could be looked up about {len(missing)} of {len(packages)} packages ({few})."
    )
    findings = [
        f"{one['name']} {one['version']}: {vuln['id']}"
        + (f", mended in {', '.join(vuln['fix_versions'])}" if vuln.get("fix_versions") else "")
        for one in known
        for vuln in one["vulns"]
    ]
    return Audit("Python", len(known), tuple(findings), unknown if missing else "")


def front_end_audit(report: str, error: str) -> Audit:
    """Read what ``npm audit --json`` printed."""
    try:
        data: dict[str, Any] = json.loads(report)
        found, counts = data["vulnerabilities"], data["metadata"]["dependencies"]
    except (ValueError, KeyError, TypeError):
        return Audit("Front end", 0, unknown=_last_line(error) or "npm gave no report.")
    findings = [f"{name}: {one['severity']}, {one['range']}" for name, one in sorted(found.items())]
    return Audit("Front end", counts["total"], tuple(findings))


def status(audits: Sequence[Audit]) -> int:
    """Return the exit status."""
    if any(audit.findings for audit in audits):
        return 1
    return 2 if any(audit.unknown for audit in audits) else 0


def _last_line(error: str) -> str:
    lines = [line.strip() for line in error.splitlines() if line.strip()]
    lines = [line for line in lines if "complete log" not in line and "WARNING" not in line]
    return lines[-1].removeprefix("npm error ") if lines else ""


def _run(command: Sequence[str]) -> tuple[str, str]:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=TIMEOUT_S, cwd=ROOT
        )
    except OSError as error:
        return "", f"{command[0]} cannot be started ({error.strerror})."
    except subprocess.TimeoutExpired:
        return "", f"No answer within {TIMEOUT_S:.0f} seconds."
    return done.stdout, done.stderr


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what is known of both parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pip-audit", default="pip-audit", help="pip-audit's executable")
    options = parser.parse_args(arguments)
    python = _run(
        [options.pip_audit, "--disable-pip", "--requirement", str(LOCK), "--format", "json",
         "--progress-spinner", "off"]
    )  # fmt: skip
    npm = _run([sys.executable, str(ROOT / "tools" / "front_end.py"), "audit", "--json"])
    audits = [python_audit(*python), front_end_audit(*npm)]
    print("\n".join(audit.text() for audit in audits))
    return status(audits)


if __name__ == "__main__":
    raise SystemExit(main())
