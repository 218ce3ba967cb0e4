"""Write constraints.txt from what is installed in this environment, after it was tested.

No host, no local path and no build label stands in the file. What is pinned but not installed here
(Node, the benchmark's libraries) keeps its pin.
"""

from __future__ import annotations

from importlib.metadata import distributions
from pathlib import Path

from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
CONSTRAINTS = ROOT / "constraints.txt"
HEADER = "# What biaslab is tested with; make installs with it. Written by `make constraints`.\n"
NOT_PINNED = {"biaslab", "pip", "setuptools", "wheel"}


def main() -> None:
    """Write the file."""
    lines = CONSTRAINTS.read_text().splitlines() if CONSTRAINTS.exists() else []
    pins = dict(line.split("==") for line in lines if "==" in line)
    for installed in distributions():
        # A label such as +cpu names one build of a version; any build will do.
        pins[canonicalize_name(installed.name)] = installed.version.partition("+")[0]
    rows = [f"{name}=={pins[name]}\n" for name in sorted(pins) if name not in NOT_PINNED]
    CONSTRAINTS.write_text(HEADER + "".join(rows))


if __name__ == "__main__":
    main()
