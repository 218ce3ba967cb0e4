"""Fetch the front ends that other programs show widgets in, for their test.

Each is one file of an npm package, pinned by its checksum. `npm ci` would install hundreds of
megabytes that these packages name as dependencies and have already built in. `make front-ends`
does it; no other target asks for them.
"""

from __future__ import annotations

import base64
import hashlib
import io
import shutil
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "front-ends"


@dataclass(frozen=True)
class FrontEnd:
    """A file of an npm package.

    - `sha512`: of the package, in base64, as npm states it.
    """

    package: str
    version: str
    file: str
    sha512: str

    @property
    def path(self) -> Path:
        """Where it lies once it is fetched."""
        name = f"{self.package.replace('/', '-').lstrip('@')}-{self.version}.js"
        return FOLDER / name


VSCODE = FrontEnd(
    "@vscode/jupyter-ipywidgets8",
    "1.0.9",
    "dist/ipywidgets.js",
    "bocCThfa4JDIDd7qCFAfW3HpzHfTLYxOTpTbiDfw4DXOUjKHnr6ObkMBiIkuzYPRybh5bY4FhYLemuDuTvIbpQ==",
)
HTML_MANAGER = FrontEnd(
    "@jupyter-widgets/html-manager",
    "1.0.15",
    "dist/libembed-amd.js",
    "5thBIV6ymNgmPVOHvzx+gGy8ZSKmSazhtGw4/c4xJDVzRhG9PTeQsRjF3FUTopvFi//SABeNz1yp47bCrJ3CQA==",
)
REQUIRE = FrontEnd(
    "requirejs",
    "2.3.8",
    "require.js",
    "7/cTSLOdYkNBNJcDMWf+luFvMriVm7eYxp4BcFCsAX0wF421Vyce5SXP17c+Jd5otXKGNehIonFlyQXSowL6Mw==",
)
FRONT_ENDS = (VSCODE, HTML_MANAGER, REQUIRE)


def fetch(one: FrontEnd) -> Path:
    """Fetch a front end, unless it is here.

    Raises `ValueError` if the package is not the pinned one.
    """
    if one.path.exists():
        return one.path
    npm = shutil.which("npm")
    if npm is None:
        raise FileNotFoundError("npm is not installed: it comes with Node.")
    with tempfile.TemporaryDirectory() as folder:
        command = [npm, "pack", f"{one.package}@{one.version}", "--silent"]
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        (archive,) = Path(folder).glob("*.tgz")
        data = archive.read_bytes()
    if base64.b64encode(hashlib.sha512(data).digest()).decode() != one.sha512:
        raise ValueError(f"{one.package} {one.version} is not the package that was pinned.")
    with tarfile.open(fileobj=io.BytesIO(data)) as packed:
        member = packed.extractfile(f"package/{one.file}")
        if member is None:
            raise ValueError(f"{one.package} {one.version} holds no {one.file}.")
        FOLDER.mkdir(parents=True, exist_ok=True)
        one.path.write_bytes(member.read())
    return one.path


def main() -> int:
    """Fetch all."""
    for one in FRONT_ENDS:
        print(fetch(one).relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
