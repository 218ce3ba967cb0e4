"""Which scripts of a page a browser may run: those of the app and of Bokeh, and no other."""

from __future__ import annotations

import base64
import hashlib

from biaslab_widgets.app.shell import MARK, marked
from harness.deferred import Deferred

app_headers = Deferred("biaslab_widgets.app.security.foreign_pages")
tornado = Deferred("tornado.httputil")
OWN = "let own = 1;"
FOREIGN = "let foreign = 1;"


def allowed(script: str) -> str:
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def sent(page: str) -> tuple[str, str]:
    """A page as it leaves, and its policy."""
    headers = tornado.HTTPHeaders({"Content-Type": "text/html; charset=UTF-8"})
    transform = app_headers.SafeHeaders.__new__(app_headers.SafeHeaders)
    _, headers, body = transform.transform_first_chunk(200, headers, page.encode(), True)
    assert int(headers["Content-Length"]) == len(body)
    return body.decode(), headers["Content-Security-Policy"]


def test_a_script_that_somebody_brought_into_a_page_is_not_allowed() -> None:
    page = f"<p><script>{FOREIGN}</script><script {MARK}>{OWN}</script></p>"
    body, policy = sent(page)
    assert allowed(OWN) in policy
    assert allowed(FOREIGN) not in policy
    assert "'unsafe-inline'" not in policy.partition("style-src")[0]
    assert MARK not in body, "whoever reads the page does not learn the mark"
    assert f"<script>{OWN}</script>" in body


def test_a_guessed_mark_allows_nothing() -> None:
    for attribute in ("data-of", 'data-of=""', 'data-of="x"', MARK[:-2] + '"'):
        assert app_headers.inline_scripts(f"<script {attribute}>{FOREIGN}</script>".encode()) == []


def test_bokehs_scripts_are_marked_and_what_stands_in_one_is_not() -> None:
    text = (
        '<script type="text/javascript">const s = "<script>x";</script>\n<p></p><script>y</script>'
    )
    made = str(marked(text))
    assert made.count(MARK) == 2
    assert 'const s = "<script>x";' in made
