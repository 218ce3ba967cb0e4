"""Bases of the app's own pages and of its JSON answers, beside the benches that Panel serves."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from tornado.web import HTTPError, RequestHandler

from biaslab.errors import BiaslabError, NotAllowedError, RunNotFoundError
from biaslab.records.wording import prose
from biaslab_widgets.app.shell import shell, template
from biaslab_widgets.app.site import Site

_DIGITS = 16


class SiteHandler(RequestHandler):
    """A handler that knows what all requests share."""

    site: Site

    def initialize(self, site: Site) -> None:
        """Take what all requests share."""
        self.site = site

    def log_exception(self, typ: Any, value: Any, tb: Any) -> None:
        """Log what is unexpected; an error of biaslab is an answer."""
        if not isinstance(value, BiaslabError):
            super().log_exception(typ, value, tb)


class PageHandler(SiteHandler):
    """A page in the app's shell."""

    def show(self, name: str, *, title: str, current: str, **variables: Any) -> None:
        """Answer with a template.

        - `name`: file name of the template.
        - `title`: title of the page.
        - `current`: address of the entry of the navigation that is marked; empty for none.
        - `**variables`: variables of the template.
        """
        text = template(name).render(
            title=title, shell=shell(current, self.site.counts()), **variables
        )
        self.finish(text)

    def write_error(self, status_code: int, **details: Any) -> None:
        """Show the message of an error of biaslab, which says what to do."""
        error = details.get("exc_info", (None, None, None))[1]
        if not isinstance(error, BiaslabError):
            super().write_error(status_code, **details)
            return
        self.set_status(_status_of(error))
        self.show("refused.html", title="biaslab", current="", text=prose(error))


class NotFoundHandler(RequestHandler):
    """The page of an address that leads nowhere."""

    def prepare(self) -> None:
        """Answer every method in the same way."""
        self.set_status(HTTPStatus.NOT_FOUND)
        # Addresses of the shell are relative to the root, above which this path lies.
        root = "../" * max(self.request.path.count("/") - 1, 0) or "."
        text = template("not-found.html").render(
            title="Not found · biaslab", shell=shell(""), path=self.request.path, root=root
        )
        self.finish(text)


class ApiHandler(SiteHandler):
    """JSON for the app's own pages.

    A request that changes something must come from a page of this server: a browser states the
    page's origin, and a page of another one is refused.
    """

    def prepare(self) -> None:
        """Refuse changes that a page of another server asks for."""
        if self.request.method in ("GET", "HEAD"):
            return
        origin = self.request.headers.get("Origin", "")
        if urlsplit(origin).netloc != self.request.host:
            raise HTTPError(HTTPStatus.FORBIDDEN, reason="This request is from another site")

    def answer(self, values: Any) -> None:
        """Answer with JSON."""
        self.set_header("Content-Type", "application/json; charset=utf-8")
        self.set_header("Cache-Control", "no-store")
        self.finish(json.dumps(values, allow_nan=False))

    def body(self) -> dict[str, Any]:
        """Return the JSON object of a request.

        Raises `HTTPError`: 400 when it is none.
        """
        try:
            values = json.loads(self.request.body)
            # Half a character, which JSON can write, is in no name and in no file.
            json.dumps(values, ensure_ascii=False).encode()
        except (ValueError, RecursionError) as error:
            raise HTTPError(HTTPStatus.BAD_REQUEST, reason="The request is not JSON") from error
        if not isinstance(values, dict):
            raise HTTPError(HTTPStatus.BAD_REQUEST, reason="The request is not a JSON object")
        return values

    def whole_number(self, name: str, default: str) -> int:
        """Return a number in the address.

        Raises `HTTPError`: 400 when it is none.
        """
        text = self.get_query_argument(name, default)
        if not (text.isdecimal() and len(text) < _DIGITS):
            raise HTTPError(HTTPStatus.BAD_REQUEST, reason=f"{name} is not a whole number")
        return int(text)

    def write_error(self, status_code: int, **details: Any) -> None:  # noqa: ARG002
        """Answer with the message of an error of biaslab, which says what to do."""
        error = details.get("exc_info", (None, None, None))[1]
        message = self._reason
        if isinstance(error, BiaslabError):
            self.set_status(_status_of(error))
            message = prose(error)
        self.answer({"error": message})


def _status_of(error: BiaslabError) -> HTTPStatus:
    if isinstance(error, NotAllowedError):
        return HTTPStatus.FORBIDDEN
    missing = isinstance(error, RunNotFoundError)
    return HTTPStatus.NOT_FOUND if missing else HTTPStatus.BAD_REQUEST
