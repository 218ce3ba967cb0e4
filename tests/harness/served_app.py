"""The served app, as `biaslab serve` starts it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from harness.isolation import isolated
from harness.server import Server, free_port


class ServedApp(Server):
    """`biaslab serve` on a free port of 127.0.0.1, without opening a browser."""

    def __init__(self, folder: Path, arguments: Sequence[str] = ()) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        super().__init__(
            [
                *(sys.executable, "-c", "from biaslab.cli import main; raise SystemExit(main())"),
                *("serve", "--port", str(port), "--no-open", *arguments),
            ],
            ready_url=f"{self.url}/",
            log=folder / "served-app.log",
            env=isolated(folder / "home"),
            cwd=folder,
        )
