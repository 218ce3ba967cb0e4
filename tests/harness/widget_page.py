"""A page with another program's widget manager, over a bench in this process as its kernel."""

from __future__ import annotations

import functools
import json
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from front_ends import HTML_MANAGER, REQUIRE, VSCODE

ANYWIDGET = Path(sys.prefix) / "share" / "jupyter" / "nbextensions" / "anywidget" / "index.js"
FILES = {
    "require.js": REQUIRE.path,
    "vscode.js": VSCODE.path,
    "html-manager.js": HTML_MANAGER.path,
    "anywidget.js": ANYWIDGET,
}
"""Modules of widgets lie beside the page, as VS Code and Colab find them at a kernel or a CDN."""

PAGE = """<!doctype html>
<meta charset="utf-8">
<link rel="icon" href="data:,">
<main id="output"></main>
<script src="require.js"></script>
<script type="module">
const managers = {
  async vscode() {
    const { activate } = await import("./vscode.js");
    activate();
    window.vscIPyWidgets8.load();
    const signal = { connect() {}, disconnect() {} };
    const kernel = {
      registerCommTarget() {}, statusChanged: signal, connectionStatusChanged: signal,
      iopubMessage: signal, requestCommInfo: async () => ({ content: { comms: {} } }),
    };
    const scripts = {
      widgetsRegisteredInRequireJs: new Set(), loadWidgetScript: async () => {},
      successHandler() {}, errorHandler(name, module, version, error) { throw error; },
    };
    const output = document.getElementById("output");
    const { WidgetManager } = window.vscIPyWidgets;
    const manager = new WidgetManager(kernel, output, scripts, () => {});
    return [manager, (view) => manager.display_view(undefined, view, { node: output })];
  },
  async html() {
    const load = (names) => new Promise((done, fail) => window.require(names, done, fail));
    await load(["html-manager"]);
    const [{ HTMLManager }] = await new Promise((done, fail) =>
      window.require(["@jupyter-widgets/html-manager"], (...found) => done(found), fail));
    const loader = (name) => load([name]);
    const manager = new HTMLManager({ loader });
    return [manager, (view) => manager.display_view(view, document.getElementById("output"))];
  },
};

function comm(id) {
  const listeners = [];
  return {
    comm_id: id,
    target_name: "jupyter.widget",
    on_msg: (listener) => listeners.push(listener),
    on_close() {},
    close() {},
    send(data, callbacks) {
      const taken = data.method === "update" && window.toKernel(id, JSON.stringify(data.state));
      // A widget sends its next change when the kernel is idle again.
      const idle = { content: { execution_state: "idle" } };
      Promise.resolve(taken).then(() => callbacks?.iopub?.status?.(idle));
      return id;
    },
    receive: (content) => listeners.forEach((listener) => listener({ content, buffers: [] })),
  };
}

window.show = async (kind, widgets) => {
  const [manager, display] = await managers[kind]();
  const comms = {};
  for (const [id, state] of widgets) {
    comms[id] = comm(id);
    await manager.handle_comm_open(comms[id], {
      content: { comm_id: id, target_name: "jupyter.widget", data: { state, buffer_paths: [] } },
      metadata: { version: "2.1.0" },
      buffers: [],
    });
  }
  window.fromKernel = (id, state) =>
    comms[id].receive({ comm_id: id, data: { method: "update", state, buffer_paths: [] } });
  const model = await manager.get_model(widgets.at(-1)[0]);
  await display(await manager.create_view(model));
};
</script>
"""


@contextmanager
def widget_page(folder: Path) -> Iterator[str]:
    """Serve the page from an empty folder; gives its address."""
    (folder / "index.html").write_text(PAGE, encoding="utf-8")
    for name, file in FILES.items():
        shutil.copy(file, folder / name)
    handler = functools.partial(_Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_message: Any) -> None:
        """Say nothing."""


class Kernel:
    """Carries what changes between a bench in this process and the page."""

    def __init__(self, page: Page, bench: Any) -> None:
        self.page = page
        self.bench = bench
        self._known: dict[str, str] = {}
        page.expose_function("toKernel", self._take)

    def show(self, kind: str) -> None:
        """Show the bench through a widget manager."""
        states = [(one.model_id, one.get_state()) for one in (self.bench.layout, self.bench)]
        self._known = self._texts()
        self.page.evaluate("([kind, widgets]) => window.show(kind, widgets)", [kind, states])

    def send(self) -> None:
        """Send the page what has changed in Python."""
        now = self._texts()
        changed = {name: json.loads(v) for name, v in now.items() if v != self._known[name]}
        self._known = now
        if changed:
            self.page.evaluate(
                "([id, state]) => window.fromKernel(id, state)", [self.bench.model_id, changed]
            )

    def _take(self, model: str, state: str) -> None:
        if model == self.bench.model_id:
            self.bench.set_state(json.loads(state))

    def _texts(self) -> dict[str, str]:
        return {name: json.dumps(value) for name, value in self.bench.get_state().items()}
