"""A real JupyterLab, and notebooks written, opened and run in it."""

from __future__ import annotations

import json
import os
import re
import sys
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from harness import socket_report
from harness.heavy import nbformat
from harness.installed_data import lay_out
from harness.isolation import isolated
from harness.server import Server, free_port
from harness.watched_page import STILL, WatchedPage

TOKEN = "biaslab-tests"
READY_MS = 60_000
TESTS = Path(__file__).resolve().parents[1]
CONFIG = TESTS.parent / "tools" / "jupyter_lab_config.py"
FAILED_OUTPUT = ".jp-OutputArea-output[data-mime-type*='application/vnd.jupyter.error']"


class JupyterLab(Server):
    """JupyterLab on a free port of 127.0.0.1, serving notebooks of the folder ``root``.

    It runs with what installation enables (server extensions, the front ends of widgets) and with
    none of the person's own settings.

    Parameters
    ----------
    folder : Path
    without : sequence of str
        Server extensions that are switched off.
    """

    def __init__(self, folder: Path, without: Sequence[str] = ()) -> None:
        self.root = folder / "notebooks"
        self.root.mkdir(parents=True, exist_ok=True)
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        env = isolated(folder / "home") | lay_out(folder / "installed")
        env["PYTHONPATH"] += f"{os.pathsep}{TESTS}"
        extensions = {socket_report.__name__: True, **dict.fromkeys(without, False)}
        _disable_announcements(Path(env["JUPYTER_CONFIG_DIR"]))
        command = [
            *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
            f"--config={CONFIG}",
            *(f"--ServerApp.port={port}", "--ServerApp.port_retries=0"),
            f"--ServerApp.root_dir={self.root}",
            f"--IdentityProvider.token={TOKEN}",
            "--LabApp.expose_app_in_browser=True",
            f"--ServerApp.jpserver_extensions={extensions}",
        ]
        self._shared: tuple[Browser, WatchedPage] | None = None
        super().__init__(
            command,
            ready_url=f"{self.url}/api/status?token={TOKEN}",
            log=folder / "jupyterlab.log",
            env=env,
            cwd=self.root,
        )

    def write_notebook(self, name: str, cells: Sequence[str]) -> Path:
        """Write a notebook of code cells; ``name`` ends in ``.ipynb``."""
        notebook = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(source) for source in cells],
            metadata={
                "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}
            },
        )
        path = self.root / name
        nbformat.write(notebook, path)
        return path

    def shared_page(self, browser: Browser) -> WatchedPage:
        """A page for one notebook after the other: loading JupyterLab takes seconds."""
        if self._shared is None or self._shared[0] is not browser:
            self._shared = browser, WatchedPage(browser, **STILL)
        return self._shared[1]

    def begin(self, watched: WatchedPage) -> None:
        """Begin a test in the shared page, when it has heard that earlier kernels are gone."""
        watched.page.evaluate(
            """async () => {
                const { sessions, kernels } = window.jupyterapp?.serviceManager ?? {};
                await sessions?.refreshRunning();
                await kernels?.refreshRunning();
                await new Promise(done => setTimeout(done));
            }"""
        )
        watched.begin()
        # JupyterLab says so of what it still asked a kernel when its notebook was closed.
        watched.allow(r"^uncaught: (Disposed|Cannot read properties of null \(reading 'kernel'\))$")

    def leave_shared_page(self) -> None:
        """Close what is open in the shared page, unsaved, and end its kernels."""
        if self._shared is not None:
            self._shared[1].page.evaluate(
                """async () => {
                    for (const open of [...(window.jupyterapp?.shell.widgets('main') ?? [])]) {
                        await open.context?.sessionContext?.shutdown();
                        open.dispose();
                    }
                }"""
            )

    def drop_shared_page(self) -> None:
        """Take another page for the next notebook: this one is not as it was."""
        if self._shared is not None:
            self._shared[1].close()
        self._shared = None

    def load(self, page: Page, address: str) -> bool:
        """Load JupyterLab at an address, unless the page shows it already; whether it did."""
        if page.evaluate("window.jupyterapp !== undefined"):
            return False
        page.goto(f"{self.url}/lab/{address}?token={TOKEN}")
        page.wait_for_function("window.jupyterapp !== undefined", timeout=READY_MS)
        page.evaluate("window.jupyterapp.restored.then(() => null)")
        return True

    def open(self, page: Page, notebook: Path) -> None:
        """Open a notebook and wait until its kernel is ready.

        A page that does not show JupyterLab yet loads it, with a workspace of its own.
        """
        path = notebook.relative_to(self.root).as_posix()
        workspace = re.sub(r"\W+", "-", notebook.stem)
        if not self.load(page, f"workspaces/{workspace}/tree/{path}"):
            page.evaluate(
                """path => window.jupyterapp.commands
                    .execute('docmanager:open', { path }).then(() => null)""",
                path,
            )
        page.wait_for_function(
            "path => window.jupyterapp.shell.currentWidget?.context?.path === path",
            arg=path,
            timeout=READY_MS,
        )
        page.evaluate(
            """async () => {
                const { context } = window.jupyterapp.shell.currentWidget;
                await context.ready;
                await context.sessionContext.ready;
                await context.sessionContext.session.kernel.info;
            }"""
        )

    def shows(self, page: Page, name: str) -> bool:
        """Whether the open notebook is the one of that name."""
        return bool(
            page.evaluate(
                "name => window.jupyterapp?.shell.currentWidget?.context?.path === name", name
            )
        )

    def close(self, page: Page) -> None:
        """Close the open notebook, unsaved, and end its kernel."""
        page.evaluate(
            """async () => {
                const notebook = window.jupyterapp.shell.currentWidget;
                await notebook.context.sessionContext.shutdown();
                notebook.dispose();
            }"""
        )

    def run_all(self, page: Page) -> None:
        """Run all cells of the open notebook and wait until the kernel has answered them."""
        page.evaluate(
            "() => window.jupyterapp.commands.execute('notebook:run-all-cells').then(() => null)"
        )
        errors = page.locator(FAILED_OUTPUT)
        if (count := errors.count()) > 0:
            text = errors.first.inner_text()
            raise AssertionError(f"{count} cell(s) of the notebook failed:\n{text}")

    def run_cell(self, page: Page, source: str) -> str:
        """Run code in the open notebook's kernel and return what it printed.

        Raises AssertionError with the traceback when the code raises.
        """
        result = page.evaluate(
            """async code => {
                const { sessionContext } = window.jupyterapp.shell.currentWidget.context;
                const { kernel } = sessionContext.session;
                const future = kernel.requestExecute({ code, store_history: false });
                let printed = '';
                future.onIOPub = message => {
                    if (message.header.msg_type === 'stream' && message.content.name === 'stdout')
                        printed += message.content.text;
                };
                const reply = await future.done;
                const { status, traceback } = reply.content;
                return { printed, status, trace: traceback ?? [] };
            }""",
            source,
        )
        if result["status"] != "ok":
            trace = re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(result["trace"]))
            raise AssertionError(f"The cell failed:\n{trace}")
        return str(result["printed"])

    def sockets_send_at_once(self) -> list[bool]:
        """Whether each open websocket of a kernel sends without delay (TCP_NODELAY)."""
        found: list[bool] = self._api("GET", socket_report.PATH)
        return found

    def shut_down_kernels(self) -> None:
        """End every session, so that the next notebook starts with a fresh kernel."""
        for session in self._api("GET", "/api/sessions"):
            self._api("DELETE", f"/api/sessions/{session['id']}")

    def _api(self, method: str, path: str) -> Any:
        request = urllib.request.Request(
            self.url + path, method=method, headers={"Authorization": f"token {TOKEN}"}
        )
        with urllib.request.urlopen(request, timeout=30) as response:
            body = response.read()
        return json.loads(body) if body else None


def _disable_announcements(config: Path) -> None:
    """Spare the page the question whether it may fetch news: it covers a corner of the bench."""
    labconfig = config / "labconfig"
    labconfig.mkdir(exist_ok=True)
    disabled = {"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}}
    (labconfig / "page_config.json").write_text(json.dumps(disabled))
