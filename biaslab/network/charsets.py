"""The character sets in which answers of servers are read.

Python knows about a hundred. Some take hours for an answer of megabytes, such as punycode.
"""

from __future__ import annotations

import codecs
import re
from typing import Final

from biaslab.errors import ServiceAnswerError

_READ: Final = frozenset({"ascii", "cp1252", "iso8859-1", "utf-16", "utf-16-be", "utf-16-le",
                          "utf-8", "utf-8-sig"})  # fmt: skip
_NAMED: Final = re.compile(r"charset\s{0,9}=\s{0,9}[\"']?([\w.:-]{1,60})", re.ASCII | re.IGNORECASE)


def charset_of(content_type: str, where: str) -> str:
    """Return the character set that a content type names; UTF-8 where it names none.

    - `content_type`: the header of an answer.
    - `where`: the server, for the message.
    - Raises `ServiceAnswerError` if it is none of UTF-8, UTF-16, Latin-1, Windows-1252 and ASCII.
    """
    match = _NAMED.search(content_type)
    name = match[1] if match else "utf-8"
    try:
        known = codecs.lookup(name).name
    except LookupError:
        known = ""
    if known not in _READ:
        raise ServiceAnswerError(
            f"{where} answers in the character set {name!r}, which is not read. Let it answer in"
            " UTF-8; UTF-16, Latin-1, Windows-1252 and ASCII are read, too."
        )
    return known
