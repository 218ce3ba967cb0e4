"""JupyterLab as `make lab` and the browser tests run it: on this machine only, asking nobody.

JupyterLab would offer to fetch news, look for updates and list extensions to install; each of these
leaves the machine.
"""

from typing import Any

c: Any = get_config()  # type: ignore[name-defined]  # noqa: F821  (Jupyter defines it)

c.ServerApp.ip = "127.0.0.1"
c.LabApp.extension_manager = "readonly"
c.LabApp.news_url = None
c.LabApp.check_for_updates_class = "jupyterlab.handlers.announcements.NeverCheckForUpdate"
