"""The passages behind a bias, in the app: opened by keyboard; what is missing is said."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from harness.psychometric_hosts import AppHost

pytestmark = pytest.mark.parametrize("host_name", ["app"])


def test_the_section_opens_by_keyboard_and_says_that_the_counts_are_missing(host: AppHost) -> None:
    bench = host.bench()
    opener = bench.part("passages-open")
    expect(opener).to_have_attribute("aria-expanded", "false")
    opener.focus()
    opener.press("Enter")
    expect(opener).to_have_attribute("aria-expanded", "true")
    problem = bench.part("passages-problem")
    expect(problem).to_contain_text("biaslab train counts")
    expect(bench.part("passages-find")).to_have_text("Try again")
    opener.press("Enter")
    expect(bench.part("passages")).to_be_hidden()
