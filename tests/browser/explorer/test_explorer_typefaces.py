"""The explorer keeps its shape in every typeface."""

from __future__ import annotations

import pytest

from harness.explorer_hosts import Host
from harness.layout import NARROW, WIDE, LayoutTrial


@pytest.mark.validate
@pytest.mark.parametrize("host_name", ["app"], indirect=True)
def test_the_layout_holds_in_every_typeface(host: Host) -> None:
    explorer = host.show().settle()
    trial = LayoutTrial(explorer, (".drawing", ".rail", ".raws", ".foot"), (WIDE, NARROW))
    trial.look("nurse")
    trial.look_at_cards("edit-words")
    for word, state in (("electrician", "ready"), ("electrixian", "error"), ("", "empty")):
        explorer.type_word(word)
        explorer.settle(state)
        trial.look(word or "no word")
    explorer.type_word("nurse")
    explorer.settle()
    explorer.slide("noise", 0.2)
    explorer.part("jnd-select").select_option("sd")
    explorer.part("fit-axis").check(force=True)
    explorer.settle()
    trial.look("noise, on a fitted axis")
    assert trial.report() == ""
