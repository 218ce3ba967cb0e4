"""The app's own pages behind a server of the test; Tornado is loaded when a test runs."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any
from unittest import TestCase

if TYPE_CHECKING:
    from tornado.httpclient import HTTPResponse

    from biaslab_widgets.app.people import People
    from biaslab_widgets.app.site import Site


class SiteTest(TestCase):
    """Asks the routes of a site."""

    people: People

    @abstractmethod
    def site(self) -> Site:
        """Make the site that is asked."""

    def setUp(self) -> None:
        from tornado.testing import AsyncHTTPTestCase
        from tornado.web import Application

        from biaslab_widgets.app.pages.handlers import NotFoundHandler
        from biaslab_widgets.app.security.gate import Gate
        from biaslab_widgets.app.serve import routes

        test = self

        class Served(AsyncHTTPTestCase):
            def get_app(self) -> Application:
                site = test.site()
                app = Application(routes(site), default_handler_class=NotFoundHandler)
                Gate(app, site.people)
                test.people = site.people
                return app

            def runTest(self) -> None:
                """Name a method, as a test case must have one."""

        self._served = Served()
        self._served.setUp()
        self.addCleanup(self._served.tearDown)

    def fetch(self, address: str, **options: Any) -> HTTPResponse:
        """Ask for an address."""
        return self._served.fetch(address, **options)

    def cookie_of(self, name: str) -> str:
        """Return the header with which the browser of a person says who asks."""
        from biaslab_widgets.app.people import COOKIE

        return f"{COOKIE}={self.people.new_cookie(name)}"

    def get_url(self, address: str) -> str:
        """Return an address with the server's own before it."""
        return self._served.get_url(address)
