"""The psychometric bench keeps its shape in every typeface."""

from __future__ import annotations

import pytest

from harness.layout import NARROW, WIDE, LayoutTrial
from harness.psychometric_hosts import Host


@pytest.mark.validate
@pytest.mark.parametrize("host_name", ["app"], indirect=True)
def test_the_layout_holds_in_every_typeface(host: Host) -> None:
    bench = host.show().settle()
    trial = LayoutTrial(bench, (".drawing", ".rail", ".raws", ".foot"), (WIDE, NARROW))
    trial.look("nurse")
    trial.look_at_cards("edit-words")
    for word, state in (("electrician", "ready"), ("electrixian", "error"), ("", "empty")):
        bench.type_word(word)
        bench.settle(state)
        trial.look(word or "no word")
    bench.type_word("nurse")
    bench.settle()
    bench.slide("noise", 0.2)
    bench.part("jnd-select").select_option("sd")
    bench.part("fit-axis").check(force=True)
    bench.settle()
    trial.look("noise, on a fitted axis")
    assert trial.report() == ""
    bench.slide("noise", 0)
    bench.part("fit-axis").uncheck(force=True)
    bench.part("residuals-switch").check(force=True)
    opened = LayoutTrial(bench, (".drawing", ".rail", ".raws", ".foot"), (WIDE, NARROW))
    for word in ("nurse", "electrician"):
        bench.type_word(word)
        bench.settle()
        opened.look(f"residuals of {word}")
    assert opened.report() == ""
