"""Names that the app answers to, and pages that may ask it."""

from __future__ import annotations

import socket

import pytest

from biaslab.errors import BiaslabError
from harness.deferred import Deferred

pages = Deferred("biaslab_widgets.app.security.foreign_pages")


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1:5006",
        "[::1]:5006",
        "localhost",
        "192.0.2.7:8000",
        socket.gethostname(),
        "lab.org",
    ],
)
def test_it_answers_to_addresses_own_names_and_allowed_ones(host: str) -> None:
    assert pages.Origins(["lab.org"]).answers_to(host)


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "lab.org.evil.example", "xlab.org", ""]
)
def test_a_name_that_somebody_points_here_is_none_of_them(host: str) -> None:
    assert not pages.Origins(["lab.org"]).answers_to(host)


def test_a_page_of_the_same_host_or_of_an_allowed_one_may_ask() -> None:
    origins = pages.Origins(["Lab.org", "demo.org:8443"])
    assert origins.allows("http://127.0.0.1:5006", "127.0.0.1:5006")
    assert origins.allows("https://lab.org", "127.0.0.1:5006")
    assert origins.allows("https://lab.org:444", "127.0.0.1:5006"), "any port, as none was given"
    assert origins.allows("https://demo.org:8443", "127.0.0.1:5006")
    for foreign in ("http://127.0.0.1:5007", "https://evil.example", "null", "https://demo.org"):
        assert not origins.allows(foreign, "127.0.0.1:5006")


@pytest.mark.parametrize("text", ["https://lab.org", "lab.org/app", "*", "", "lab .org", "a,b"])
def test_what_is_no_host_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(BiaslabError, match=r"lab\.example\.org"):
        pages.Origins([text])
