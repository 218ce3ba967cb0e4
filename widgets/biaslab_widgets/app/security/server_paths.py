"""Paths of the server, taken out of what others are sent.

Messages name a file as its reader may see it (`biaslab.people.access.shown_path`). This is the
second line: whatever text slipped through, such as the message of an error of the operating
system, loses the folders of the server.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from functools import lru_cache
from pathlib import Path

from tornado.httputil import HTTPHeaders
from tornado.web import Application, OutputTransform

import biaslab
from biaslab.people.access import Access, current_access, owner_folder
from biaslab_widgets.app.security.gate import COUNTS
from biaslab_widgets.hosts.bokeh_socket import BenchSocket

HIDDEN = "…"
_SHORTEST = 4
_TEXTS = ("text/html", "text/plain", "application/json")


def without_paths(text: str) -> str:
    """Return text without the folders of this server; the names of files in them stay."""
    pattern = _pattern(current_access(), owner_folder(), Path.cwd())
    return pattern.sub(HIDDEN, text)


@lru_cache(maxsize=256)
def _pattern(access: Access, owners: Path, here: Path) -> re.Pattern[str]:
    package = Path(biaslab.__file__).parent
    folders = {owners, here, package, package.parent, Path.home(), Path(sys.prefix)}
    folders |= {Path(tempfile.gettempdir()), *filter(None, (access.home, access.shared))}
    folders |= {folder.resolve() for folder in folders}
    texts = {str(folder) for folder in folders}
    for _ in range(2):  # in JSON, and in JSON that stands in JSON
        texts |= {json.dumps(text)[1:-1] for text in texts}
    usable = sorted((t for t in texts if len(t) >= _SHORTEST), key=len, reverse=True)
    # A folder only: "/tmp" must not bite into "/tmpfs", nor "/home/a" into "/home/ab".
    return re.compile("|".join(f"(?:{re.escape(one)})(?![\\w.-])" for one in usable) or r"(?!)")


def hide_paths(application: Application) -> None:
    """Take paths of the server out of all that an application sends to anybody but its owner."""
    application.transforms.insert(0, HidePaths)
    BenchSocket.outgoing = staticmethod(for_person)


def for_person(text: str) -> str:
    """Return text as the person who asks may see it."""
    COUNTS.sent()
    return text if current_access().is_owner else without_paths(text)


class HidePaths(OutputTransform):
    """Takes paths of the server out of an answer."""

    def transform_first_chunk(
        self, status_code: int, headers: HTTPHeaders, chunk: bytes, finishing: bool
    ) -> tuple[int, HTTPHeaders, bytes]:
        """Change a page or an answer in JSON, whole as all of them are sent."""
        is_text = headers.get("Content-Type", "").startswith(_TEXTS)
        if finishing and is_text and not current_access().is_owner:
            text = chunk.decode("utf-8", "surrogateescape")
            chunk = without_paths(text).encode("utf-8", "surrogateescape")
            if "Content-Length" in headers:
                headers["Content-Length"] = str(len(chunk))
        return status_code, headers, chunk
