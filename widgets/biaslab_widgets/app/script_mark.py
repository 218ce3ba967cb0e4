"""The mark of the app's own inline scripts, by which the server knows them when a page leaves."""

from __future__ import annotations

import secrets
from typing import Final

MARK: Final = f'data-of="{secrets.token_urlsafe(12)}"'
"""On each inline script of the app and of Bokeh until its page leaves.

Only these are allowed by their hash: whoever brought a script into a page could not know the mark.
"""
