"""How this works, in both hosts."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from harness.psychometric_hosts import Host


@pytest.mark.both_hosts
def test_the_steps_are_those_of_the_result(host: Host) -> None:
    view = host.bench()
    view.part("how-open").press("Enter")
    expect(view.part("how-about")).to_contain_text("“nurse”")
    told = view.part("how-step").filter(has_text="Read off the PSE")
    expect(told).to_contain_text(f"{100 * host.result(view).pse[0]:.2f}\N{NO-BREAK SPACE}%")
    view.part("how").locator('[data-term="JND"]').first.focus()
    expect(view.part("tip")).to_contain_text("just noticeable difference")
    view.page.keyboard.press("Escape")
    expect(view.part("tip")).to_have_count(0)
