"""Find a Chromium for the browser tests, and install one where there is none.

``python tools/chromium.py`` prints its path. ``BIASLAB_CHROMIUM`` names one explicitly.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

SHELL = "chromium-headless-shell"
"""The same engine without a window's parts: Playwright's own choice where nobody looks on."""
NAMES = (SHELL, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
MAC = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)


class NoChromiumError(Exception):
    """No Chromium was found, and none could be installed."""


def find() -> Path | None:
    """The Chromium named, else the system's, else Playwright's own; None if there is none."""
    if named := os.environ.get("BIASLAB_CHROMIUM"):
        if Path(named).is_file():
            return Path(named)
        raise NoChromiumError(f"BIASLAB_CHROMIUM is {named}, where there is no file.")
    on_path = (shutil.which(name) for name in NAMES)
    candidates = [path for path in (*on_path, *MAC) if path and Path(path).is_file()]
    return Path(candidates[0]) if candidates else _playwrights_own()


def _playwrights_own() -> Path | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = Path(playwright.chromium.executable_path)
    return path if path.is_file() else None


def install() -> None:
    """Install Chromium by the system's package manager, else by Playwright."""
    if shutil.which("apt-get") and (os.geteuid() == 0 or shutil.which("sudo")):
        prefix = [] if os.geteuid() == 0 else ["sudo"]
        env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        apt = [*prefix, "apt-get", "-qq"]
        add = [*apt, "install", "-y", "--no-install-recommends", "fonts-dejavu-core"]
        _run([*apt, "update"], env)
        try:
            _run([*add, SHELL], env)
        except NoChromiumError:  # Not every distribution has it as a package of its own.
            _run([*add, "chromium"], env)
    else:
        _run([sys.executable, "-m", "playwright", "install", "chromium"], dict(os.environ))


def _run(command: list[str], env: dict[str, str]) -> None:
    # Only what went wrong is worth reading; a package manager says a lot when all is well.
    done = subprocess.run(
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode != 0:
        raise NoChromiumError(f"`{' '.join(command)}` failed:\n{done.stdout[-3000:]}")


def main() -> int:
    """Print the path of a Chromium, installing one first if needed."""
    try:
        path = find()
        if path is None:
            print("No Chromium found: installing one for the browser tests.", flush=True)
            install()
            path = find()
        if path is None:
            raise NoChromiumError("The installation left no Chromium.")
    except NoChromiumError as error:
        print(
            f"{error}\nInstall Chromium or Chrome, or set BIASLAB_CHROMIUM to its path.",
            file=sys.stderr,
        )
        return 1
    print(f"browser: {path}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
