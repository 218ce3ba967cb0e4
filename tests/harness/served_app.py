"""The served app, as `biaslab serve` starts it."""

from __future__ import annotations

import json
import sys
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from harness.isolation import BEARER, isolated
from harness.server import Server, free_port

RUN = "from biaslab.cli import main; raise SystemExit(main())"
UNOPENED = (
    "from biaslab_widgets.app.library.shared import Shared; Shared.open_bundled = lambda self: None"
)


def command(*, opens_models: bool, before: str = "") -> list[str]:
    """Command of `biaslab`, whose server for several people may leave the bundled models unopened.

    It then begins without torch, in a third of the time. `before` is Python that runs first.
    """
    lines = [before or "pass", "pass" if opens_models else UNOPENED, RUN]
    return [sys.executable, "-c", "; ".join(lines)]


class ServedApp(Server):
    """`biaslab serve` on a free port of 127.0.0.1, without opening a browser."""

    def __init__(
        self,
        folder: Path,
        arguments: Sequence[str] = (),
        *,
        opens_models: bool = True,
        before: str = "",
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        super().__init__(
            [
                *command(opens_models=opens_models, before=before),
                *("serve", "--port", str(port), "--no-open", *arguments),
            ],
            ready_url=f"{self.url}/healthz",
            log=folder / "served-app.log",
            env=isolated(folder / "home"),
            cwd=folder,
        )

    def offer(self, source: Path) -> str:
        """Add a file or a folder as the page of subjects does; returns its name."""
        return str(json.loads(self.ask("/api/subjects/add", path=str(source)))["name"])

    def ask(self, path: str, /, **values: str) -> str:
        """Return the answer to whoever has the token; to a POST of values, if there are any."""
        body = json.dumps(values).encode() if values else None
        request = urllib.request.Request(f"{self.url}{path}", body, {"Origin": self.url, **BEARER})
        with urllib.request.urlopen(request, timeout=60) as response:
            return str(response.read().decode())


@contextmanager
def serving(folder: Path, *, opens_models: bool = True) -> Iterator[ServedApp]:
    """Serve the app; a traceback through our code in the end is an error."""
    with ServedApp(folder, opens_models=opens_models) as served:
        yield served
        # A page that leaves while it is written to gives a traceback of Tornado's own.
        assert "/biaslab_widgets/" not in served.output(), served.output()
