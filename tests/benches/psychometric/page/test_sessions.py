"""Each tab of the served app is a session of its own, over subjects that all share."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from harness.psychometric import PsychometricPage, differences
from harness.psychometric_hosts import AppHost

pytestmark = pytest.mark.parametrize("host_name", ["app"])


def test_two_tabs_do_not_disturb_each_other_and_one_may_leave(host: AppHost) -> None:
    first = host.bench()
    before = first.shown()
    tab = host.watched.context.new_page()
    tab.goto(host.served.url + host.path)
    second = PsychometricPage.on(tab).settle()
    second.type_word("electrician")
    second.slide("noise", 0.2)
    second.settle()
    assert first.shown() == before
    assert differences(second.shown(), host.result(second, word="electrician", noise=0.2)) == {}
    # It leaves with a change on its way.
    second.slide("noise", 0.3)
    tab.close()
    first.type_word("teacher")
    first.settle()
    assert differences(first.shown(), host.result(first, word="teacher")) == {}


def test_every_bench_has_a_page_that_the_navigation_marks(host: AppHost) -> None:
    host.show().settle()
    navigation = host.page.get_by_role("navigation", name="Benches")
    links = navigation.get_by_role("link")
    for number in range(links.count()):
        link = links.nth(number)
        link.click()
        expect(link).to_have_attribute("aria-current", "page")
        # Two benches run when they are told to.
        waits = host.page.url.endswith(("/posterior", "/rating"))
        answered = "empty" if waits else "ready"
        expect(host.page.get_by_test_id("bench")).to_have_attribute("data-state", answered)
