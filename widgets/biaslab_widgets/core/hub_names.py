"""Names of the hub: all that a page that is served to others may open."""

from __future__ import annotations

import re
from pathlib import Path

HUB = "hf:"
_NAME = re.compile(r"hf:[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?")


def is_hub_name(name: str) -> bool:
    """Whether a name is one of the hub and no path of this machine.

    A folder of that name beside the server would be opened in place of what is on the hub.
    """
    if _NAME.fullmatch(name) is None or ".." in name:
        return False
    return not Path(name.removeprefix(HUB)).exists()
