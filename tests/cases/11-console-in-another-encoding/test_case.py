from __future__ import annotations

import io
import sys

import pytest

from biaslab.cli.output import write_anything


@pytest.mark.parametrize(
    ("encoding", "written"),
    [
        ("cp1252", "d = -0.5 ± 0.2, \\u03b1 -> café"),
        ("ascii", "d = -0.5 +/- 0.2, \\u03b1 -> cafe"),
        ("utf-8", "d = −0.5 ± 0.2, α → café"),
    ],
)
def test_a_result_is_written(encoding: str, written: str, monkeypatch: pytest.MonkeyPatch) -> None:
    content = io.BytesIO()
    out = io.TextIOWrapper(content, encoding=encoding, write_through=True)
    monkeypatch.setattr(sys, "stdout", out)
    write_anything()
    sys.stdout.write("d = −0.5 ± 0.2, α → café")
    assert content.getvalue().decode(encoding) == written
